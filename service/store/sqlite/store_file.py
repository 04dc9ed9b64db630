"""The store's file: its URL, its rights (for its owner alone), the lock of whoever has it open, its errors.

The lock is advisory (flock) and goes with the process, however that ends. Whoever opens the store shares it;
whoever replaces the file, or moves the store, needs it alone. It is on a file of its own: closing any
descriptor of the store's file would drop SQLite's own locks on it (https://sqlite.org/howtocorrupt.html,
section 2.2).
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from sqlalchemy.exc import DBAPIError

from service.store.errors import (
    StoreAccessError,
    StoreBusyError,
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreUrlError,
)

SCHEME: Final = "sqlite:///"
FILE_NAME: Final = "headroom.sqlite"
LOCK_NAME: Final = "headroom.lock"
IMPORT_LOCK_NAME: Final = "headroom.import-lock"
"""Of whom is storing an import, or folds minutes."""
SIDE_ENDINGS: Final = ("-wal", "-shm")
"""Of the files that SQLite keeps beside the store's: changes not yet in it, and an index of those."""
_PRIMARY: Final = 0xFF
"""SQLite's extended result codes carry the primary one in their lowest byte."""
_BUSY: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_DAMAGED: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_NO_ACCESS: Final = (
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
)
_LEAST_SPACE: Final = 64 * 1024
"""Bytes; with less, SQLite reports that it could not extend its shared memory as an I/O error."""


def sqlite_url(data_dir: Path) -> str:
    """The URL of the store in a data folder: `sqlite:///` and the path of its file, as it is."""
    return f"{SCHEME}{data_dir / FILE_NAME}"


def file_of(url: str) -> Path:
    """The file that a store's URL names. Raises StoreUrlError.

    >>> file_of("sqlite:////var/lib/headroom/headroom.sqlite")
    PosixPath('/var/lib/headroom/headroom.sqlite')
    """
    path = url.removeprefix(SCHEME)
    if path in (url, ""):
        # The rest of it may hold a password.
        kind = url.partition(":")[0]
        raise StoreUrlError(f"A URL of the kind {kind!r} names no file, as {SCHEME}PATH does.")
    return Path(path)


class FolderLock:
    """Held from its making until `close`. Raises StoreBusyError, StoreAccessError."""

    def __init__(self, folder: Path, *, alone: bool = False, name: str = LOCK_NAME) -> None:
        kind = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
        self._descriptor = -1
        try:
            self._descriptor = os.open(folder / name, os.O_RDWR | os.O_CREAT, 0o600)
            hand_over(self._descriptor, folder)
            fcntl.flock(self._descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self.close()
            raise StoreBusyError(_taken(folder, name, alone=alone)) from error
        except OSError as error:
            self.close()
            raise no_access(folder, reason_of(error)) from error

    def check(self) -> None:
        """Nothing takes it from its process."""

    def close(self) -> None:
        """May be called again."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


def make_folder(folder: Path) -> None:
    """Make it for its owner alone, if it is not there. Rights that are there stay. Raises OSError."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def make_private(path: Path) -> None:
    """Make the store's file if it is not there, and let its owner alone read it and the files beside it.

    SQLite gives the files that it makes beside it the same rights. Raises OSError.
    """
    # Only a file that nobody has open yet: closing it here would drop the locks of this process on it.
    with suppress(FileExistsError):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        hand_over(descriptor, path.parent)
        os.close(descriptor)
    for ending in ("", *SIDE_ENDINGS):
        # Another owner's file may be shared on purpose; one that is gone needs nothing.
        with suppress(PermissionError, FileNotFoundError):
            path.with_name(path.name + ending).chmod(0o600)


def hand_over(descriptor: int, folder: Path) -> None:
    """Give a file that root makes to the folder's owner, as whom the service runs. Raises OSError."""
    if os.geteuid() == 0:
        owner = folder.stat()
        os.fchown(descriptor, owner.st_uid, owner.st_gid)


def _taken(folder: Path, name: str, *, alone: bool) -> str:
    if name == IMPORT_LOCK_NAME:
        return f"Another import is being stored in {folder}: import again when that is done."
    if alone:
        return f"A server or another command has the store in {folder} open: end it first."
    return f"A backup is being restored in {folder}, or a store moved: try again when that is done."


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Raise what the driver and the system report about the file at `path` as a StoreError."""
    try:
        yield
    except (DBAPIError, sqlite3.Error) as error:
        found = error_of(error.orig if isinstance(error, DBAPIError) else error, path)
        if found is None:
            raise
        raise found from error


def error_of(error: BaseException | None, path: Path) -> StoreError | None:
    """What a driver's error about the file at `path` means; None where it is a defect of ours."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & _PRIMARY
    if code == sqlite3.SQLITE_FULL or (code in _NO_ACCESS and is_full(path.parent)):
        return StoreFullError(
            f"There is no space left on the disk of {path}. Make room; a running service goes on by itself."
        )
    if code in _BUSY:
        return StoreBusyError(f"Another process has been writing to {path} for too long.")
    if code in _DAMAGED:
        return damaged(path, str(error))
    if code in _NO_ACCESS:
        return no_access(path.parent, str(error))
    return None


def damaged(path: Path, reason: str) -> StoreDamagedError:
    return StoreDamagedError(
        f"{path} cannot be read as a store: {reason}. "
        "Restore a backup with `python -m service restore FILE`, or move the file away to begin anew."
    )


def no_access(folder: Path, reason: str) -> StoreAccessError:
    return StoreAccessError(
        f"Cannot keep data in {folder}: {reason}. "
        "Correct that, or set HEADROOM_DATA_DIR to a folder that can be written."
    )


def reason_of(error: OSError) -> str:
    """The system's own words: `Permission denied`, without the number and the path."""
    return error.strerror or str(error)


def identity_of(path: str) -> tuple[int, int] | None:
    """Device and inode number of the file at a path; None where there is none."""
    try:
        # Before each query, where a Path would take longer than the system.
        found = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return found.st_dev, found.st_ino


def is_full(folder: Path) -> bool:
    """Whether the disk of a folder has no space left to speak of."""
    try:
        disk = os.statvfs(folder)
    except OSError:
        return False
    # Some file systems number no inodes at all.
    return disk.f_bavail * disk.f_frsize < _LEAST_SPACE or (disk.f_files > 0 and disk.f_ffree == 0)
