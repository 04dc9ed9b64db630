"""`migrate-store`: from a file into PostgreSQL, or back, while nobody uses either."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated, Final

import typer

from service.console import fail, number_of, say, store_errors
from service.open_store import open_database
from service.store.archive_tables import ARCHIVED_SITES
from service.store.moving import move
from service.store.sqlite.store_file import SCHEME, file_of

_EVERY: Final = 1_000_000
"""Rows of a table, after which is said how many came."""


def migrate_store(
    source: Annotated[str, typer.Argument(help="URL of the store that is there, sqlite:///PATH.")],
    target: Annotated[
        str, typer.Argument(help="URL of an empty one, postgresql://USER@HOST/DATABASE; or one begun before.")
    ],
) -> None:
    """Move a store into another database and compare both. End the services first; called again, it goes on.

    A password need not stand in a URL, where others see it: PGPASSWORD and ~/.pgpass are read.
    """

    def progress(table: str, rows: int) -> None:
        if rows % _EVERY == 0:
            say(f"{table}: {rows:,} rows so far.")

    with store_errors():
        if source.startswith(SCHEME) and not file_of(source).is_file():
            fail(f"There is no store at {source}.")
        if _is_same(source, target):
            fail(
                "Both URLs name the same store, or files of the same folder: give the one that is there, then"
                " the one to move into."
            )
        with (
            closing(open_database(source, alone=True)) as first,
            closing(open_database(target, alone=True)) as second,
        ):
            moved = list(move(first, second, progress))
    rows = sum(table.rows for table in moved)
    say(
        f"Moved {number_of(rows, 'row')} of {number_of(len(moved), 'table')}, which are the same in both."
        " Start the services with HEADROOM_SERVICE_STORE; keep the first store until they run."
    )
    if any(table.rows for table in moved if table.table == ARCHIVED_SITES.name):
        say(
            "Older days lie in an archive, as before: set HEADROOM_SERVICE_ARCHIVE for them, too, and do not"
            " use the first store with it any more. Both would bring it the same late counts."
        )


def _is_same(source: str, target: str) -> bool:
    """Of two databases, whose addresses can be written in several ways, `alone` tells the rest."""
    if source.startswith(SCHEME) and target.startswith(SCHEME):
        first, second = file_of(source), file_of(target)
        # By the folder, too, which has the lock.
        return first.resolve() == second.resolve() or first.parent.resolve() == second.parent.resolve()
    return source == target
