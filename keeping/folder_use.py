"""That a dashboard uses a folder: held for as long as its process lives, and let go however that ends.

What it keeps after somebody has begun to move the folder's content would be missing where that is then.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import structlog

LOCK_NAME: Final = "dashboards.lock"
_log = structlog.get_logger("keeping.folder_use")


@contextmanager
def folder_used(folder: Path) -> Iterator[None]:
    """For as long as the block lasts; several may use one. Where it cannot be held, it is logged."""
    descriptor = -1
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        _log.warning(
            "who moves this folder is not told that it is used", folder=str(folder), reason=str(error)
        )
    try:
        yield
    finally:
        if descriptor >= 0:
            os.close(descriptor)


def is_folder_used(folder: Path) -> bool:
    """Whether a dashboard uses it now. Raises OSError."""
    try:
        descriptor = os.open(folder / LOCK_NAME, os.O_RDONLY)
    except (FileNotFoundError, NotADirectoryError):
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
