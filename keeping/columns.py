"""What columns and statements are called by both engines."""

from __future__ import annotations

from collections.abc import Sequence
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


def put_all(connection: Connection, table: Table, key: Sequence[str], rows: Sequence[dict[str, Any]]) -> None:
    """Likewise many, all of the same columns; `key`: names of those of the primary key."""
    if rows:
        own = insert(table)
        set_ = {name: own.excluded[name] for name in rows[0] if name not in key}
        connection.execute(own.on_conflict_do_update(index_elements=list(key), set_=set_), rows)


def present(connection: Connection) -> datetime:
    """What time it is, UTC: by the clock of the database that dashboards of several hosts share, so that
    what they keep is in one order; of a file, by this machine's.
    """
    if connection.dialect.name == "sqlite":
        return datetime.now(UTC)
    moment: datetime = connection.execute(select(func.clock_timestamp())).scalar_one()
    return moment.astimezone(UTC)
