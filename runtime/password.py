"""The administrator's password, for dashboards without a provider of logins: `python -m runtime.password`.

Its Argon2id hash alone is kept, in the data folder; the file's being there is what asks for a login.
"""

from __future__ import annotations

import getpass
import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from runtime.settings import SettingsError, get_settings

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


def _asked_for() -> str:
    """From the terminal, twice; else the first line of the standard input."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    password = getpass.getpass(f"Password of the administrator ({SHORTEST} characters or more): ")
    if getpass.getpass("Once more: ") != password:
        raise PasswordError("The two are not the same.")
    return password


def main(arguments: list[str]) -> int:
    """The exit code. `--remove` takes the password away."""
    if arguments not in ([], ["--remove"]):
        sys.stderr.write(
            "usage: python -m runtime.password [--remove]\n"
            "Sets the administrator's password of the dashboard. Without a terminal it is read as one line.\n"
        )
        return 2
    try:
        data_dir = get_settings().data_dir
        if arguments:
            was_there = forget_password(data_dir)
            sys.stdout.write("The password is removed.\n" if was_there else "No password was set.\n")
            sys.stdout.write(
                "Nobody logs in by it any more; a dashboard that is started again asks for none.\n"
            )
            return 0
        keep_password(data_dir, _asked_for())
    except (PasswordError, SettingsError) as error:
        sys.stderr.write(f"Not set. {error}\n")
        return 1
    except OSError as error:
        sys.stderr.write(f"Not set: {error.filename or data_dir}: {error.strerror}\n")
        return 1
    sys.stdout.write(f"Set, in {data_dir / FILE_NAME}. Whoever was logged in by another is logged out.\n")
    sys.stdout.write("A dashboard that had none when it was started asks for it once it is started again.\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
