"""The SQLite file: its settings, its connections, and who may write when."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import structlog
from sqlalchemy import Connection, RootTransaction

from service.store.database import ReplicaState, Result
from service.store.errors import (
    StoreBusyError,
    StoreError,
    StoreFullError,
    StoreMissingError,
)
from service.store.migrations import later_format, make_tables, upgrade
from service.store.prepared import Prepared
from service.store.reading_together import ReadingTogether
from service.store.schema import VERSION
from service.store.sqlite.connections import connect, engine_of
from service.store.sqlite.migration import tables_in, tables_of, version_of
from service.store.sqlite.store_file import (
    IMPORT_LOCK_NAME,
    FolderLock,
    damaged,
    error_of,
    explained,
    file_of,
    identity_of,
    is_full,
    make_folder,
    make_private,
    no_access,
    reason_of,
)
from service.store.troubles import Troubles

BUSY_SECONDS: Final = 20
"""How long a writer waits for another process, such as an import, before it gives up."""

_TRY_AGAIN_SECONDS: Final = 0.1


class SqliteDatabase:
    """One file, many readers, one writer at a time: within the process by a lock, beyond it by SQLite.

    Whatever is wrong with the file is raised as a StoreError.
    """

    is_elsewhere = False

    def __init__(self, path: Path, *, alone: bool = False) -> None:
        self._path = path
        self.where = str(path)
        self._own_files = (str(path), f"{path}-wal")
        self._writing = threading.Lock()
        self._readings = ReadingTogether(self._read)
        self._closed = threading.Event()
        self._looking = threading.Lock()
        self._watching = threading.Lock()
        self._announce: Callable[[], None] | None = None
        self._connections: set[sqlite3.Connection] = set()
        """The engine's connections that are in use."""
        # On a full disk a small write may fit where the next does not: each would be two lines of the log.
        self._troubles = Troubles(lambda error: isinstance(error, StoreFullError) and self._lasts(error))
        self._resources = ExitStack()
        self._resources.callback(FolderLock(path.parent, alone=alone).close)
        try:
            with explained(path):
                self._open()
        except OSError as error:
            self.close()
            raise no_access(path.parent, reason_of(error)) from error
        except BaseException:
            self.close()
            raise

    def import_lock(self, patience: float) -> FolderLock:
        """On a file of its own beside the store."""
        deadline = time.monotonic() + patience
        while True:
            try:
                return FolderLock(self._path.parent, alone=True, name=IMPORT_LOCK_NAME)
            except StoreBusyError:
                if time.monotonic() >= deadline:
                    raise
                time.sleep(_TRY_AGAIN_SECONDS)

    def _open(self) -> None:
        make_private(self._path)
        self._engine = engine_of(self._path, self._connections)
        self._resources.callback(self._engine.dispose)
        self._watcher = connect(self._path)
        self._resources.callback(self._watcher.close)
        self._lookup = connect(self._path)
        self._resources.callback(self._lookup.close)
        # FULL lets an acknowledged commit survive a power cut; WAL lets readers go on meanwhile.
        self._watcher.execute("PRAGMA journal_mode = WAL")
        # The first query makes the log.
        version_of(self._watcher)
        self._opened_files = self._files()
        self._make_tables()

    def _make_tables(self) -> None:
        version = version_of(self._watcher)
        if version > VERSION:
            raise later_format(str(self._path), version)
        # Only then: whoever opens a finished file need not wait for another process that writes.
        if missing := tables_of(version) - tables_in(self._watcher):
            raise damaged(self._path, f"it has no table {min(missing)}")
        if version < VERSION:
            if version:
                self._keep_copy(version)
            with self.writing() as connection:
                self._bring_up_to_date(connection)

    @staticmethod
    def _bring_up_to_date(connection: Connection) -> None:
        version = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
        if version == 0:
            make_tables(connection)
        elif version < VERSION:  # else another process was first
            upgrade(connection, version)
        connection.exec_driver_sql(f"PRAGMA user_version = {VERSION}")

    def _keep_copy(self, version: int) -> None:
        """Beside the store, the file as the earlier version left it, so that one can go back to that."""
        kept = self._path.with_name(f"{self._path.name}.format-{version}")
        unfinished = kept.with_name(f"{kept.name}.unfinished-{os.getpid()}")
        try:
            _remove_left(kept)
            self._watcher.execute("VACUUM INTO ?", (str(unfinished),))
            make_private(unfinished)
            with closing(connect(unfinished)) as copy:
                is_earlier = version_of(copy) == version
            if is_earlier:  # else another process was first
                unfinished.replace(kept)
                structlog.get_logger().info("store kept before its upgrade", file=str(kept), format=version)
        finally:
            unfinished.unlink(missing_ok=True)
            unfinished.with_name(f"{unfinished.name}-journal").unlink(missing_ok=True)

    def reading(self) -> AbstractContextManager[Connection]:
        """A connection that sees one state of the file for as long as it is held. Raises StoreError."""
        return self._readings.reading()

    def reading_together(self) -> AbstractContextManager[None]:
        """See `Database`."""
        return self._readings.together()

    @contextmanager
    def _read(self) -> Iterator[Connection]:
        with self._noted("read"), self._engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A connection whose changes are on the disk when the block is left, or undone if it fails.

        Raises StoreError.
        """
        with self._noted("written"), self._writing, self._engine.connect() as connection:
            connection.execution_options(headroom_writes=True)
            with self._begin_writing(connection):
                # It may have waited for its turn.
                self.check()
                # A later version may have been started meanwhile: what it keeps elsewhere is not known here.
                if (version := connection.exec_driver_sql("PRAGMA user_version").scalar_one()) > VERSION:
                    raise later_format(str(self._path), version)
                yield connection
            # What is not in the folder any more is not stored, whatever was written.
            self.check()
        if self._announce:
            self._announce()

    def storing(self) -> AbstractContextManager[Connection]:
        """See `Database`: a file has one writer at a time."""
        return self.writing()

    def wait_for_changes(self, seconds: float, stop: threading.Event) -> None:
        """A file tells nobody."""
        stop.wait(seconds)

    def announce_by(self, announce: Callable[[], None] | None) -> None:
        """See `Database`."""
        self._announce = announce

    def reading_past(self, ask: Callable[[Connection], Result]) -> tuple[Result, float]:
        """There is no copy."""
        with self.reading() as connection:
            return ask(connection), 0.0

    def replica(self) -> ReplicaState | None:
        """None."""
        return None

    def stop_waiting(self) -> None:
        """SQLite gives up by itself, and sooner."""

    def make_ready(self, minute: int) -> None:
        """A file grows by itself."""

    def give_back(self, before: int) -> None:
        """Pages that are empty are filled again."""

    def check(self) -> None:
        """Raise StoreMissingError where the folder no longer holds the file that was opened.

        SQLite goes on with a file that was removed or replaced, and what it acknowledges is then lost. So it
        does with its write-ahead log, which stays the same for as long as anybody has the store open.
        """
        if self._files() != self._opened_files:
            raise StoreMissingError(
                f"{self._path} or its -wal is no longer the file that was opened: removed or replaced. "
                "End the service, restore a backup with `python -m service restore FILE`, and start it again."
            )

    def _files(self) -> tuple[tuple[int, int] | None, ...]:
        return tuple(map(identity_of, self._own_files))

    def trouble(self) -> StoreError | None:
        """What is wrong with the file now, or was at the last attempt to use it; None when all is well."""
        try:
            self.check()
        except StoreMissingError as error:
            return error
        return next((error for error in self._troubles.errors() if self._lasts(error)), None)

    def _lasts(self, error: StoreError) -> bool:
        """Whether what an attempt failed for still holds, although nobody has tried since."""
        if isinstance(error, StoreFullError):
            return is_full(self._path.parent)
        return not isinstance(error, StoreMissingError)

    def _begin_writing(self, connection: Connection) -> RootTransaction:
        """Wait for other processes in turns, so that a store that is closed meanwhile is not waited for."""
        deadline = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                return connection.begin()
            except sqlite3.OperationalError as error:
                is_busy = isinstance(error_of(error, self._path), StoreBusyError)
                if not is_busy or self._closed.is_set() or time.monotonic() >= deadline:
                    raise

    def row(self, statement: Prepared, **asked: str) -> Mapping[str, Any] | None:
        """See `Database`.

        On a connection of its own and without a transaction: some microseconds, where `reading` takes
        hundreds.
        """
        with self._noted("read"), self._looking:
            cursor = self._lookup.execute(*statement.for_driver("sqlite", **asked))
            cursor.row_factory = sqlite3.Row
            found: sqlite3.Row | None = cursor.fetchone()
            cursor.close()
        return None if found is None else dict(found)

    def data_version(self) -> int:
        """A number that is another one after any commit, of this process or of another. Raises StoreError."""
        with self._noted("read"), self._watching:
            (version,) = self._watcher.execute("PRAGMA data_version").fetchone()
        return int(version)

    def close(self) -> None:
        """May be called again."""
        self._closed.set()
        # What is still being read is for nobody, and the process would wait for it.
        for connection in tuple(self._connections):
            with suppress(sqlite3.Error):
                connection.interrupt()
        with self._watching, self._looking:
            self._resources.close()

    @contextmanager
    def _noted(self, doing: str) -> Iterator[None]:
        """Raise errors as `explained` does, and log when the file begins and ceases to be of use."""
        try:
            with explained(self._path):
                self.check()
                yield
        except StoreBusyError:
            raise
        except StoreError as error:
            self._troubles.failed(doing, error)
            raise
        self._troubles.went_well(doing)


def open_sqlite(url: str, *, alone: bool = False) -> SqliteDatabase:
    """In the file that a URL names, made if it is not there. Raises StoreError."""
    file = file_of(url)
    try:
        make_folder(file.parent)
    except OSError as error:
        raise no_access(file.parent, reason_of(error)) from error
    return SqliteDatabase(file, alone=alone)


def _remove_left(kept: Path) -> None:
    """What upgrades that were killed left of a copy."""
    for left in kept.parent.glob(f"{kept.name}.unfinished-*"):
        process = left.name.rpartition(".unfinished-")[2].removesuffix("-journal")
        if not process.isdecimal() or int(process) == os.getpid() or not _is_running(int(process)):
            left.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
