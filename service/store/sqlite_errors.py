"""What the driver's and the system's errors about the store's file mean, as `StoreError`s."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sqlalchemy.exc import DBAPIError

from service.store.errors import (
    StoreAccessError,
    StoreBusyError,
    StoreDamagedError,
    StoreError,
    StoreFullError,
)

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


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Raise what the driver and the system report about the file at `path` as a StoreError."""
    try:
        yield
    except DBAPIError as error:
        found = error_of(error.orig, path)
        if found is None:
            raise
        raise found from error
    except sqlite3.Error as error:
        found = error_of(error, path)
        if found is None:
            raise
        raise found from error


def error_of(error: BaseException | None, path: Path) -> StoreError | None:
    """What a driver's error about the file at `path` means; None where it is a defect of ours."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & _PRIMARY
    if code == sqlite3.SQLITE_FULL or (code in _NO_ACCESS and is_full(path.parent)):
        return StoreFullError(
            f"There is no space left on the disk of {path}. Make room: it goes on by itself then."
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


def is_full(folder: Path) -> bool:
    """Whether the disk of a folder has no space left to speak of."""
    try:
        disk = os.statvfs(folder)
    except OSError:
        return False
    # Some file systems number no inodes at all.
    return disk.f_bavail * disk.f_frsize < _LEAST_SPACE or (disk.f_files > 0 and disk.f_ffree == 0)
