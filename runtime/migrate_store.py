"""`python -m runtime.migrate_store FROM TO`: moves what a dashboard keeps into a database, or back.

Counts and sites are the service's: `python -m service migrate-store`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Final, NamedTuple

from sqlalchemy import MetaData

from keeping import Place, SharedDatabase, Tables, tables_at
from keeping.folder_use import is_folder_used
from keeping.moving import MoveError, move
from runtime import ended_sessions, preference_store, site_knowledge_store
from runtime.likeness import COUNTED, LikenessError, running_dashboards
from screens import store as screen_store
from screens import store_file as screen_tables

_PATIENCE: Final = 600.0
"""Seconds for what is moved at once; nobody waits for a page meanwhile."""
_USAGE: Final = """usage: python -m runtime.migrate_store FROM TO
Moves screens, kept thresholds, opening hours, notes and what else the dashboard keeps. FROM and TO are a data
folder (HEADROOM_DATA_DIR) or the URL of a database (HEADROOM_DASHBOARD_STORE), as
postgresql://headroom@host/headroom; give a password as PGPASSWORD. End all dashboards first. FROM stays as
it is; nothing that is in TO is replaced.
"""


class Kept(NamedTuple):
    """A kind of things that the dashboard keeps, and where: a file in a folder, or tables of a database."""

    what: str
    file_name: str
    tables: MetaData
    table_format: int


KEPT: Final = (
    Kept("Screens", screen_store.FILE_NAME, screen_tables.TABLES, screen_tables.FORMAT),
    *(
        Kept(what, module.FILE_NAME, module.TABLES, module.FORMAT)
        for what, module in (
            ("Thresholds and the site that opens first", preference_store),
            ("What is known of sites", site_knowledge_store),
            ("Sessions that are over", ended_sessions),
        )
    ),
)


def main(arguments: list[str]) -> int:
    """The exit code."""
    if len(arguments) != 2 or any(one.startswith("-") for one in arguments):  # noqa: PLR2004 - FROM and TO
        sys.stderr.write(_USAGE)
        return 2
    try:
        with ExitStack() as stack:
            source, target = (_place(one, stack) for one in arguments)
            for place in (source, target):
                _check_unused(place)
            for line in _moved(source, target):
                sys.stdout.write(f"{line}\n")
    except (LikenessError, MoveError, OSError, ValueError) as error:
        sys.stderr.write(f"Not moved, or not all of it. {error}\n")
        return 1
    sys.stdout.write("All is there, and was compared. What it was moved from is as it was.\n")
    return 0


def _place(named: str, stack: ExitStack) -> Place:
    """Raises ValueError."""
    if "://" not in named:
        return Path(named)
    try:
        return stack.enter_context(closing(SharedDatabase(named, _PATIENCE)))
    except ValueError as error:
        # The URL may hold a password.
        raise ValueError(f"One of the two is no place to keep things: {error}.") from error


def _check_unused(place: Place) -> None:
    """What a dashboard kept after its rows were read would be missing where they are then. Raises MoveError,
    LikenessError, OSError.
    """
    if isinstance(place, Path):
        if is_folder_used(place):
            raise MoveError(f"A dashboard uses {place}: end it first, then do this again.")
    elif running := running_dashboards(place):
        where = "; ".join(running)
        raise MoveError(
            f"Dashboards use {place} (at {where}): end them first, then do this again. One that did not end"
            f" by itself counts for {COUNTED:.0f} seconds more."
        )


def _moved(source: Place, target: Place) -> Iterator[str]:
    """Raises MoveError."""
    if isinstance(source, Path) and not source.is_dir():
        raise MoveError(f"There is no folder {source}.")
    for kept in KEPT:
        if isinstance(source, Path) and not (source / kept.file_name).exists():
            yield f"{kept.what}: none."
            continue
        for moved in move(tables_of(source, kept), tables_of(target, kept), kept.tables):
            left = f", and {moved.damaged} left out that are damaged" if moved.damaged else ""
            yield f"{kept.what}: {moved.rows} of {moved.table}{left}."


def tables_of(place: Place, kept: Kept) -> Tables:
    """Of what is kept in a place. They raise MoveError when they are used and cannot be."""
    if isinstance(place, Path) and kept.file_name == screen_store.FILE_NAME:
        return screen_tables.ScreensFile(place / kept.file_name, what=kept.what, raised=MoveError)
    return tables_at(place, kept.file_name, kept.tables, kept.table_format, what=kept.what, raised=MoveError)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
