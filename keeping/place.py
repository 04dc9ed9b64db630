"""The two places in which a dashboard keeps things, and how one comes to tables in either."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from sqlalchemy import Connection, MetaData

from keeping.postgresql import SharedDatabase
from keeping.shared_tables import SharedTables
from keeping.sqlite_file import SqliteFile

Place = Path | SharedDatabase
"""A data folder, with a file for each kind of thing; or a database that holds all."""


class Tables(Protocol):
    """Safe to share between threads; what another process writes is seen by the next read."""

    def reading(self) -> AbstractContextManager[Connection | None]:
        """None: nothing was kept yet."""

    def writing(self) -> AbstractContextManager[Connection]:
        """In one transaction, which no other writer of these tables is beside: what a change reads first is
        still so when it writes.
        """


def tables_at(
    place: Place,
    file_name: str,
    tables: MetaData,
    file_format: int,
    *,
    what: str,
    raised: type[Exception],
    is_lasting: bool = True,
) -> Tables:
    """`what` is kept in them, as a sentence for people begins; what goes wrong is raised as `raised`."""
    if isinstance(place, SharedDatabase):
        return SharedTables(place, file_name, tables, file_format, what=what, raised=raised)
    path = place / file_name
    return SqliteFile(path, tables, file_format, what=what, raised=raised, is_lasting=is_lasting)
