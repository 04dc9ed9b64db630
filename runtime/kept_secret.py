"""A secret of this dashboard, kept in a file that several processes may make and read at once."""

from __future__ import annotations

import fcntl
import os
import secrets
import tempfile
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import structlog

SHORTEST: Final = 32
"""Characters; a file with fewer was never written to its end."""

_log = structlog.get_logger("runtime.kept_secret")


def kept_secret(path: Path) -> str:
    """The secret in `path`, the same for all who ask; made by the first. Raises OSError.

    It is written aside and linked, which only one process succeeds in, so that nobody reads a part of it.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # A link is followed once: one to a folder that is not there, as that of a missing mount, is an error.
    path = Path(os.path.realpath(path))
    while not (secret := _read(path)):
        aside = _written_aside(path)
        try:
            if path.exists():
                _replace_unusable(path, aside)
            else:
                with suppress(FileExistsError):
                    path.hardlink_to(aside)
        finally:
            aside.unlink(missing_ok=True)
    with suppress(PermissionError):
        path.chmod(0o600)
    return secret


def _read(path: Path) -> str:
    """Empty where there is none that can be used."""
    try:
        text = path.read_bytes().decode("ascii", errors="replace").strip()
    except FileNotFoundError:
        return ""
    return text if len(text) >= SHORTEST and text.isascii() and text.isprintable() else ""


def _written_aside(path: Path) -> Path:
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(32))
            file.flush()
            os.fsync(descriptor)
    except OSError:
        Path(name).unlink()
        raise
    return Path(name)


def _replace_unusable(path: Path, aside: Path) -> None:
    """Put `aside` in its place, unless another process did: they take turns by a lock on the old file."""
    with suppress(FileNotFoundError), closing(path.open("rb")) as old:
        fcntl.flock(old, fcntl.LOCK_EX)
        if os.path.samestat(os.fstat(old.fileno()), path.stat()) and not _read(path):
            _log.warning("secret made anew, views that are open have to be reloaded", unusable=str(path))
            aside.replace(path)
