"""A file of the dashboard's own that its user alone may read."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

_PRIVATE_FILE: Final = 0o600
_PRIVATE_FOLDER: Final = 0o700


class NewerFormatError(OSError):
    """A newer dashboard has changed the file; this one could only do harm to it."""


def check_format(found: int, known: int) -> None:
    """Raises NewerFormatError."""
    if found > known:
        raise NewerFormatError(
            f"it was written by a newer dashboard (format {found}, this one knows {known}); "
            "update this one, or give it another HEADROOM_DATA_DIR"
        )


def make_private(path: Path) -> None:
    """Make the file where it is missing. A folder that was there is left as it is: it may hold more."""
    path.parent.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
    # Only where it is missing: closing a file that SQLite has open in this process would drop its locks.
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, _PRIVATE_FILE))
    for suffix in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError, PermissionError):
            path.with_name(path.name + suffix).chmod(_PRIVATE_FILE)
