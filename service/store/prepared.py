"""SQL that is compiled once for each engine, and given to its driver as text: for what is asked for each
request, and for rows by the thousand.

To build a statement takes longer than SQLite takes to answer it, and SQLAlchemy's handling of a row as long
as the row itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from sqlalchemy import Connection, Dialect, text
from sqlalchemy.dialects import sqlite
from sqlalchemy.dialects.postgresql import psycopg
from sqlalchemy.sql import ClauseElement

from service.store.protocol import Numbers

DIALECTS: Final[Mapping[str, Dialect]] = {
    "sqlite": sqlite.dialect(paramstyle="named"),
    "postgresql": psycopg.dialect(),  # type: ignore[no-untyped-call]
}
"""By their names; parameters of both have names."""

Words = Mapping[str, str]
"""By the name of the engine, what one of them calls differently."""


def rows_of_json(parameter: str, columns: int) -> Words:
    """A row for each array of so many whole numbers in a parameter that is a JSON array of them, so that
    there may be any number.

    The limit tells PostgreSQL how many there are: it would take a hundred for granted, and read whole tables.
    """
    of_sqlite = ", ".join(f"json_extract(value, '$[{place}]')" for place in range(columns))
    of_postgresql = ", ".join(f"CAST(value ->> {place} AS BIGINT)" for place in range(columns))
    return {
        "sqlite": f"SELECT {of_sqlite} FROM json_each(:{parameter})",  # noqa: S608 -- names of ours
        "postgresql": f"""
        SELECT {of_postgresql} FROM jsonb_array_elements(CAST(:{parameter} AS JSONB)) AS taken(value)
        LIMIT jsonb_array_length(CAST(:{parameter} AS JSONB))""",  # noqa: S608
    }


NUMBERS: Final[Words] = {
    "sqlite": "SELECT value FROM json_each(:numbers)",
    "postgresql": """
        SELECT CAST(value AS BIGINT)
        FROM jsonb_array_elements_text(CAST(:numbers AS JSONB)) AS taken(value)
        LIMIT jsonb_array_length(CAST(:numbers AS JSONB))""",
}
"""Of `:numbers`, a JSON array of whole numbers; else as `rows_of_json`."""


class Rows(Protocol):
    """A cursor of either driver."""

    @property
    def description(self) -> Sequence[Any]: ...

    def __iter__(self) -> Iterator[tuple[Any, ...]]: ...

    def fetchone(self) -> tuple[Any, ...] | None: ...

    def fetchall(self) -> list[tuple[Any, ...]]: ...


class _Compiled(NamedTuple):
    text: str
    own: Mapping[str, Any]
    """Parameters that the statement itself gave."""


class Prepared:
    """A statement of SQLAlchemy's; or SQL with `:names`, and with `{words}` that engines call differently."""

    def __init__(self, statement: ClauseElement | str, **words: Words) -> None:
        self._statement = statement
        self._words = words
        self._gathering: str | None = None
        """For SQLite; known once it was asked how many columns there are."""

    def run(self, connection: Connection, **asked: Any) -> Rows:
        """Within the connection's transaction."""
        cursor: Any = connection.connection.cursor()
        cursor.execute(*self.for_driver(connection.dialect.name, **asked))
        found: Rows = cursor
        return found

    def columns(self, connection: Connection, **asked: Any) -> Numbers:
        """All rows of whole numbers, none of them null: a row of the matrix for each column. Ascending by the
        first.
        """
        if connection.dialect.name == "sqlite":
            found = self._gathered(connection, asked)
        else:
            cursor = self.run(connection, **asked)
            numbers = np.fromiter(chain.from_iterable(cursor), dtype=np.int64)
            found = numbers.reshape(-1, len(cursor.description)).T
        # Whatever the statement says: SQLite promises no order of what it gathers.
        return found if (np.diff(found[0]) >= 0).all() else found[:, np.argsort(found[0], kind="stable")]

    def _gathered(self, connection: Connection, asked: Mapping[str, Any]) -> Numbers:
        """Each column as one JSON array: to hand over a row takes the driver longer than to find it."""
        text, parameters = self.for_driver("sqlite", **asked)
        cursor: Any = connection.connection.cursor()
        if self._gathering is None:
            cursor.execute(f"SELECT * FROM ({text}) LIMIT 0", parameters)  # noqa: S608 -- a statement of ours
            names = [f"column_{place}" for place in range(len(cursor.description))]
            arrays = ", ".join(f"json_group_array({name})" for name in names)
            self._gathering = f"WITH told({', '.join(names)}) AS ({text}) SELECT {arrays} FROM told"  # noqa: S608
        arrays = cursor.execute(self._gathering, parameters).fetchone()
        numbers = ",".join([array[1:-1] for array in arrays]) if arrays[0] != "[]" else ""
        return np.fromstring(numbers, dtype=np.int64, sep=",").reshape(len(arrays), -1)

    def for_driver(self, engine: str, **asked: Any) -> tuple[str, Mapping[str, Any]]:
        """Text and parameters as the driver of the engine takes them."""
        text, own = self._compiled[engine]
        return text, {**own, **asked}

    @cached_property
    def _compiled(self) -> Mapping[str, _Compiled]:
        return {name: self._for(dialect) for name, dialect in DIALECTS.items()}

    def _for(self, dialect: Dialect) -> _Compiled:
        statement = self._statement
        if isinstance(statement, str):
            words = {name: engines[dialect.name] for name, engines in self._words.items()}
            statement = text(statement.format(**words))
        compiled = statement.compile(dialect=dialect)
        own = {name: value for name, value in compiled.params.items() if value is not None}
        return _Compiled(str(compiled), own)
