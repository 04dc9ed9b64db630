"""`python -m runtime.password`: sets the administrator's password, or takes it away.

A module apart: `runtime` itself imports the password, and Python warns of a module that is to run twice.
"""

from __future__ import annotations

import getpass
import sys

from runtime.password import FILE_NAME, SHORTEST, PasswordError, forget_password, keep_password
from runtime.settings import SettingsError, get_settings


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
