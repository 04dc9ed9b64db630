"""The administrator's password, for dashboards without a provider of logins; `__main__.py` sets it.

Its Argon2id hash alone is kept, in the data folder; the file's being there is what asks for a login.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

FILE_NAME: Final = "administrator.password"
SHORTEST: Final = 12
LONGEST: Final = 1_000
"""Characters."""
_HASHER: Final = PasswordHasher()
"""Argon2id with the parameters that RFC 9106 recommends where memory is scarce: 64 MiB, three passes."""


class PasswordError(ValueError):
    """Why a password is not taken."""


def kept_hash(data_dir: Path) -> str:
    """Empty: no password was set. Raises OSError: there may be one that cannot be read."""
    try:
        return (data_dir / FILE_NAME).read_text(encoding="ascii", errors="replace").strip()
    except FileNotFoundError:
        return ""


def has_password(data_dir: Path) -> bool:
    """Whether one was set, also where it cannot be read."""
    return os.path.lexists(data_dir / FILE_NAME)


def is_right(password: str, hashed: str) -> bool:
    """Takes some 50 ms of a processor and 64 MiB, whether it is or not."""
    try:
        return len(password) <= LONGEST and _HASHER.verify(hashed, password)
    except (VerificationError, InvalidHashError):
        return False


def keep_password(data_dir: Path, password: str) -> None:
    """Keep its hash in the place of the one before. Raises PasswordError, OSError."""
    if len(password) < SHORTEST:
        raise PasswordError(f"It has {len(password)} characters; give {SHORTEST} or more.")
    if len(password) > LONGEST:
        raise PasswordError(f"It has more than {LONGEST:,} characters.")
    if len(set(password)) < SHORTEST // 3:
        raise PasswordError("It is made of the same few characters; give another.")
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, aside = tempfile.mkstemp(prefix=f".{FILE_NAME}.", dir=data_dir)  # 0600
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(_HASHER.hash(password) + "\n")
            file.flush()
            os.fsync(descriptor)
        Path(aside).replace(data_dir / FILE_NAME)
    except OSError:
        Path(aside).unlink(missing_ok=True)
        raise


def forget_password(data_dir: Path) -> bool:
    """Whether there was one."""
    with suppress(FileNotFoundError):
        (data_dir / FILE_NAME).unlink()
        return True
    return False
