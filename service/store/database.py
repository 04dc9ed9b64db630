"""The SQLite file: its settings, its connections, and who may write when."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Engine, RootTransaction, create_engine, event
from sqlalchemy.exc import OperationalError

from service.store.schema import METADATA, VERSION

_BUSY_SECONDS: Final = 20
"""How long a writer waits for another process, such as an import, before it gives up."""

_BUSY_TURN_SECONDS: Final = 1.0
"""How long SQLite may wait by itself; nothing can wake it."""

_PRIMARY_CODE: Final = 0xFF
"""The bits of SQLite's error codes that name the kind of error."""

_JOURNAL_BYTES: Final = 64 * 1024 * 1024
"""To what size the write-ahead log is cut back after a large import."""


class StoreBusyError(RuntimeError):
    """Another process has been writing for so long that this write was given up. Nothing was stored."""


class StoreVersionError(RuntimeError):
    """The file was made by a later version of the service, which this one would not understand."""


class Database:
    """One file, many readers, one writer at a time: within the process by a lock, beyond it by SQLite."""

    def __init__(self, path: Path) -> None:
        self._engine = _engine(path)
        self._writing = threading.Lock()
        self._closed = threading.Event()
        self._looking = threading.Lock()
        self._lookup = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._watching = threading.Lock()
        self._watcher = sqlite3.connect(
            path, isolation_level=None, timeout=_BUSY_SECONDS, check_same_thread=False
        )
        # FULL lets an acknowledged commit survive a power cut; WAL lets readers go on meanwhile.
        self._watcher.execute("PRAGMA journal_mode = WAL")
        try:
            self._make_tables()
        except BaseException:
            self.close()
            raise

    def _make_tables(self) -> None:
        (version,) = self._watcher.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            raise StoreVersionError(
                f"the store's file has format {version}, made by a later version; this one reads {VERSION}"
            )
        # Only then: whoever opens a finished file need not wait for another process that writes.
        if version < VERSION:
            with self.writing() as connection:
                METADATA.create_all(connection)
                connection.exec_driver_sql(f"PRAGMA user_version = {VERSION}")

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection that sees one state of the file for as long as it is held."""
        with self._engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A connection whose changes are on the disk when the block is left, or undone if it fails.

        Raises StoreBusyError.
        """
        with self._writing, self._engine.connect() as connection:
            connection.execution_options(headroom_writes=True)
            with self._begin_writing(connection):
                yield connection

    def _begin_writing(self, connection: Connection) -> RootTransaction:
        """Wait for other processes in turns, so that a store that is closed meanwhile is not waited for."""
        deadline = time.monotonic() + _BUSY_SECONDS
        while True:
            try:
                return connection.begin()
            except OperationalError as error:
                if getattr(error.orig, "sqlite_errorcode", 0) & _PRIMARY_CODE != sqlite3.SQLITE_BUSY:
                    raise
                if self._closed.is_set() or time.monotonic() >= deadline:
                    message = "another process has been writing to the store for too long"
                    raise StoreBusyError(message) from error

    def row(self, statement: str, *values: str) -> Mapping[str, Any] | None:
        """The first row of a small question, as of the last commit of any process.

        On a connection of its own and without a transaction: some microseconds, where `reading` takes
        hundreds. It waits for nobody.
        """
        with self._looking:
            cursor = self._lookup.execute(statement, values)
            cursor.row_factory = sqlite3.Row
            found: sqlite3.Row | None = cursor.fetchone()
            cursor.close()
        return None if found is None else dict(found)

    def data_version(self) -> int:
        """A number that is another one after any commit, of this process or of another."""
        with self._watching:
            (version,) = self._watcher.execute("PRAGMA data_version").fetchone()
        return int(version)

    def close(self) -> None:
        self._closed.set()
        self._engine.dispose()
        with self._looking:
            self._lookup.close()
        with self._watching:
            self._watcher.close()


def driver(connection: Connection) -> sqlite3.Connection:
    """The driver's own connection, in the same transaction: for rows by the thousand.

    SQLAlchemy's handling of each row would cost as much as the row itself.
    """
    driver_connection = connection.connection.driver_connection
    assert isinstance(driver_connection, sqlite3.Connection)
    return driver_connection


def _engine(path: Path) -> Engine:
    engine = create_engine(
        f"sqlite:///{path}",
        connect_args={"timeout": min(_BUSY_SECONDS, _BUSY_TURN_SECONDS), "check_same_thread": False},
        pool_size=8,
        max_overflow=-1,
    )
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: sqlite3.Connection, _record: Any) -> None:
    # The driver would begin transactions by itself, and only before some statements.
    connection.isolation_level = None
    for setting in (
        "synchronous = FULL",
        "foreign_keys = ON",
        "temp_store = MEMORY",
        "cache_size = -32768",
        f"journal_size_limit = {_JOURNAL_BYTES}",
    ):
        connection.execute(f"PRAGMA {setting}")


def _begin(connection: Connection) -> None:
    # A writer that began as a reader could not wait for its turn: SQLite would refuse it at once.
    writes = connection.get_execution_options().get("headroom_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
