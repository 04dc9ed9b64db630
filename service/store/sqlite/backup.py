"""A copy of the store while it is in use, and its return into the data folder.

`VACUUM INTO` writes the copy from one read transaction: writers go on, and it ends however busy they are.
SQLite's backup interface begins again at each write of another process, and a copied file lacks what is still
in the write-ahead log.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import mkstemp
from typing import Final

from service.store.errors import BackupError, StoreBusyError, StoreFullError, StoreUrlError
from service.store.move_mark import APPLICATION_ID
from service.store.schema import KEYS, PASSAGE_MINUTES, SITES, VERSION
from service.store.sqlite.connections import connect
from service.store.sqlite.migration import tables_in, version_of
from service.store.sqlite.store_file import (
    SIDE_ENDINGS,
    FolderLock,
    error_of,
    file_of,
    hand_over,
    make_folder,
    reason_of,
)

_MAGIC: Final = b"SQLite format 3\0"


def back_up(url: str, file: Path, *, replace: bool = False) -> int:
    """Copy the store at a URL, as it is now, to `file`; its size in bytes.

    The file appears when it is whole and on the disk. Raises StoreError.
    """
    source = _file_to_copy(url)
    if not source.is_file():
        raise BackupError(f"There is no store in {source.parent}.")
    _refuse_taken(file, source, replace=replace)
    with _beside(file) as partial:
        with _failing_as(f"{source} cannot be copied to {file}"):
            _copy(source, partial)
        _refuse_taken(file, source, replace=replace)
        _move(partial, file)
        return file.stat().st_size


def restore(url: str, file: Path) -> Path | None:
    """Replace the store at a URL by a copy that `back_up` made; where the replaced one is kept.

    Nobody may have the store open. Raises StoreError.
    """
    store = _file_to_copy(url)
    with _failing_as(f"Nothing can be restored in {store.parent}"):
        make_folder(store.parent)
    with closing(FolderLock(store.parent, alone=True)), _beside(store) as partial:
        with _failing_as(f"{file} cannot be restored"), closing(_opened_copy(file)) as copy:
            _check(copy, file)
            _vacuum_into(copy, partial)
        with _failing_as(f"{store} cannot be replaced"):
            kept = _set_aside(store)
            _move(partial, store)
        return kept


def _file_to_copy(url: str) -> Path:
    try:
        return file_of(url)
    except StoreUrlError as error:
        raise BackupError(
            f"Only a store in a file is backed up and restored here. {error} One in PostgreSQL is"
            " backed up by pg_dump."
        ) from error


def _copy(source: Path, target: Path) -> None:
    """Raises sqlite3.Error, StoreError."""
    try:
        with closing(FolderLock(source.parent)), closing(connect(source)) as connection:
            _vacuum_into(connection, target)
    except sqlite3.Error as error:
        found = error_of(error, source)
        if error.sqlite_errorcode == sqlite3.SQLITE_FULL or not isinstance(found, StoreFullError):
            raise
        # Beside a store that others may open, SQLite keeps an index of its log: for that there is no room.
        if not _copied_alone(source, target):
            raise found from error


def _copied_alone(source: Path, target: Path) -> bool:
    """Copy a file that nobody has open and that has no log, which nothing need be written for; else False."""
    with suppress(StoreBusyError), closing(FolderLock(source.parent, alone=True)):
        if not _log_size(source):
            with closing(_read_only(source, unchanging=True)) as connection:
                _vacuum_into(connection, target)
            return True
    return False


def _log_size(file: Path) -> int:
    """Bytes of the write-ahead log. An attempt to open the file may leave an empty one."""
    try:
        return file.with_name(file.name + "-wal").stat().st_size
    except FileNotFoundError:
        return 0


def _vacuum_into(source: sqlite3.Connection, target: Path) -> None:
    source.execute("VACUUM INTO ?", (str(target),))


def _opened_copy(file: Path) -> sqlite3.Connection:
    if not file.exists():
        raise BackupError(f"There is no file {file}.")
    if not file.is_file():
        raise BackupError(f"{file} is not a file: name one that `backup` wrote.")
    # A copy beside which no log lies is one that nobody writes to, and may be on a medium that is read-only.
    return _read_only(file, unchanging=not file.with_name(file.name + "-wal").exists())


def _read_only(file: Path, *, unchanging: bool) -> sqlite3.Connection:
    """`unchanging`: SQLite locks nothing and writes nothing beside it."""
    address = f"{file.absolute().as_uri()}?mode=ro{'&immutable=1' if unchanging else ''}"
    return sqlite3.connect(address, uri=True, isolation_level=None)


def _check(copy: sqlite3.Connection, file: Path) -> None:
    version = version_of(copy)
    if version > VERSION:
        raise BackupError(
            f"{file} has format {version}, made by a later version of the service; this one reads {VERSION}."
        )
    if version < 1 or not {SITES.name, KEYS.name, PASSAGE_MINUTES.name} <= tables_in(copy):
        raise BackupError(f"{file} is no backup of this service.")
    if copy.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,):
        raise BackupError(f"{file} is of a store into which a move was not finished: restore another one.")
    (found,) = copy.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        raise BackupError(f"{file} is damaged: {' '.join(found.split())}.")


def _set_aside(store: Path) -> Path | None:
    """Keep the present file under another name, whole: with what is still in its write-ahead log.

    A log that stayed would be taken for the new file's, and bring the old state back.
    """
    if _is_database(store):
        # Everything into the file itself, so that one rename is all that changes.
        with suppress(sqlite3.Error), closing(connect(store)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    kept = store.with_name(f"{store.name}.replaced-{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}")
    existed = store.exists()
    if existed:
        kept.hardlink_to(store)
    for ending in SIDE_ENDINGS:
        with suppress(FileNotFoundError):
            store.with_name(store.name + ending).rename(kept.with_name(kept.name + ending))
    return kept if existed else None


def _is_database(store: Path) -> bool:
    """Whether SQLite would know it; beside a file that it does not know, it removes the log."""
    try:
        with store.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except FileNotFoundError:
        return False


@contextmanager
def _beside(file: Path) -> Iterator[Path]:
    """An empty file in the same folder, for its owner alone; removed unless it was moved away."""
    with _failing_as(f"{file} cannot be written"):
        descriptor, name = mkstemp(prefix=f".{file.name}.", suffix=".partial", dir=file.parent)
        hand_over(descriptor, file.parent)
    os.close(descriptor)
    partial = Path(name)
    try:
        yield partial
    finally:
        partial.unlink(missing_ok=True)


def _move(partial: Path, file: Path) -> None:
    """Rename it, once its content is on the disk, and the name, too, before this returns."""
    with _failing_as(f"{file} cannot be written"):
        _sync(partial)
        partial.replace(file)
        _sync(file.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _refuse_taken(file: Path, source: Path, *, replace: bool) -> None:
    with _failing_as(f"{file} cannot be written"):
        exists = file.exists()
        itself = exists and file.samefile(source)
    if itself:
        raise BackupError(f"{file} is the store itself: name another file.")
    if exists and not replace:
        raise BackupError(f"{file} is there already: name another file, or give --replace.")


@contextmanager
def _failing_as(failure: str) -> Iterator[None]:
    """Raise what the system and SQLite report as a BackupError that begins with `failure`."""
    try:
        yield
    except sqlite3.Error as error:
        raise BackupError(f"{failure}: {error}.") from error
    except OSError as error:
        raise BackupError(f"{failure}: {reason_of(error)}.") from error
