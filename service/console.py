"""What the commands share: the option for the data folder, the opened store, and how they speak and fail.

Answers go to standard output; everything else, and what went wrong, to standard error.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from io import StringIO
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from service.open_store import chosen_archive, chosen_replica, chosen_store, open_store
from service.settings import ServiceSettings, SettingsError, read_settings
from service.store.errors import StoreError, StoreUncertainError
from service.store.key_secret import is_control
from service.store.protocol import Store

said = Console(stderr=True, highlight=False)

DataDir = Annotated[
    Path | None,
    typer.Option(
        "--data-dir",
        help="Folder of the service's files (else HEADROOM_DATA_DIR, else .headroom in the project).",
    ),
]


def say(message: str) -> None:
    """Print it as it is: brackets and colons in a name are no markup."""
    said.print(message, markup=False, emoji=False, soft_wrap=True)


def fail(message: str) -> NoReturn:
    """Say it and end with exit code 1."""
    say(message)
    raise typer.Exit(1)


def answer(text: str) -> None:
    """Write to standard output, and be sure that it arrived. Raises OSError."""
    stream = getattr(sys, "stdout", None)
    if stream is None:
        # Python has none when its descriptor was closed before it started.
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    try:
        stream.write(text)
        stream.flush()
    except OSError:
        # What is left in the buffer would fail again, with a traceback, when Python ends.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
        raise


def shown(table: Table) -> str:
    """The table as text."""
    on_terminal = sys.__stdout__ is not None and sys.__stdout__.isatty()
    shown = StringIO()
    # Piped, the table is as wide as it needs to be: a cut id could not be revoked.
    Console(file=shown, force_terminal=on_terminal, width=None if on_terminal else 1000).print(table)
    return shown.getvalue()


def literal(text: str) -> Text:
    """The text as it stands; what a terminal would obey is shown as its escape."""
    return Text("".join(ascii(sign)[1:-1] if is_control(sign) else sign for sign in text))


def number_of(number: int, noun: str) -> str:
    """`1 site`, `2 sites`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def settings_with(data_dir: Path | None, **given: str | int | None) -> ServiceSettings:
    """The settings, where options that were given come before the environment; fails when there is one that
    cannot be read.
    """
    try:
        return read_settings(data_dir=data_dir, **given)
    except SettingsError as error:
        fail(str(error))


@contextmanager
def opened_store(settings: ServiceSettings, *, will_store: bool = False) -> Iterator[Store]:
    """`will_store`: for a command that stores all or nothing; where the store fails it says that, too."""
    with (
        store_errors("Nothing was stored: " if will_store else ""),
        closing(
            open_store(
                chosen_store(settings),
                replica=chosen_replica(settings),
                archive=chosen_archive(settings),
            )
        ) as store,
    ):
        yield store


@contextmanager
def store_errors(first: str = "") -> Iterator[None]:
    """Fail with `first` and the sentence of a StoreError."""
    try:
        yield
    except StoreUncertainError as error:
        fail(str(error))
    except StoreError as error:
        fail(f"{first}{error}")
