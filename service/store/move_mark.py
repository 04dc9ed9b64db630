"""The mark of a store into which another is being moved: what it has until then looks as if that were all.

It stands in what engines have for whoever looks at a database from outside: a file's application id, the
comment on a table. So it is no format of its own, and a copy or a backup has it, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlalchemy import Connection

from service.store.schema import ALEMBIC_VERSION

APPLICATION_ID: Final = 0x68656164
"""Of a marked file; 0 of any other."""

_COMMENT: Final = "A move into this store was begun, and is not finished."
_TABLE: Final = ALEMBIC_VERSION.name
_ASKED: Final[Mapping[str, str]] = {
    "sqlite": "PRAGMA application_id",
    "postgresql": f"SELECT obj_description(CAST('{_TABLE}' AS regclass), 'pg_class')",
}
_MARKED: Final[Mapping[str, object]] = {"sqlite": APPLICATION_ID, "postgresql": _COMMENT}
_MARK: Final[Mapping[str, str]] = {
    "sqlite": f"PRAGMA application_id = {APPLICATION_ID}",
    "postgresql": f"COMMENT ON TABLE {_TABLE} IS '{_COMMENT}'",
}
_UNMARK: Final[Mapping[str, str]] = {
    "sqlite": "PRAGMA application_id = 0",
    "postgresql": f"COMMENT ON TABLE {_TABLE} IS NULL",
}


def is_marked(connection: Connection) -> bool:
    engine = connection.dialect.name
    return connection.exec_driver_sql(_ASKED[engine]).scalar() == _MARKED[engine]


def mark(connection: Connection) -> None:
    """In a transaction that the caller ends."""
    connection.exec_driver_sql(_MARK[connection.dialect.name])


def unmark(connection: Connection) -> None:
    """The same."""
    connection.exec_driver_sql(_UNMARK[connection.dialect.name])
