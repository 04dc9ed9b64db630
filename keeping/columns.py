"""What columns and statements are called by both engines."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import Connection, Table, Text, func, select

# SQLAlchemy compiles PostgreSQL's own for SQLite, too.
from sqlalchemy.dialects.postgresql import TEXT, insert

WORDS: Final = Text().with_variant(TEXT(collation="C"), "postgresql")
"""Text that is compared and sorted by its bytes, wherever it is kept."""


def put(connection: Connection, table: Table, key: dict[str, Any], values: dict[str, Any]) -> None:
    """A row, in the place of the one that has this primary key."""
    row = insert(table).values(**key, **values)
    connection.execute(row.on_conflict_do_update(index_elements=list(key), set_=values))


def present(connection: Connection) -> datetime:
    """What time it is, UTC: by the clock of the database that dashboards of several hosts share, so that
    what they keep is in one order; of a file, by this machine's.
    """
    if connection.dialect.name == "sqlite":
        return datetime.now(UTC)
    moment: datetime = connection.execute(select(func.clock_timestamp())).scalar_one()
    return moment.astimezone(UTC)
