"""Columns of numbers as rows of a series table.

Statements are compiled once and given to the driver as text.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import repeat

from sqlalchemy import Connection, Table
from sqlalchemy.dialects.sqlite import dialect, insert

from service.store.database import driver
from service.store.zone_series import Numbers


def replace_rows(connection: Connection, table: Table, number: int, columns: Sequence[Numbers]) -> None:
    """Insert rows of one series, or replace those of the same minute; columns in the order of the table."""
    rows = zip(repeat(number), *(column.tolist() for column in columns), strict=False)
    driver(connection).executemany(replacement(table), rows)


@cache
def replacement(table: Table) -> str:
    """Insert of a whole row that replaces the row with the same key."""
    statement = insert(table)
    values = {column.name: statement.excluded[column.name] for column in table.c if not column.primary_key}
    return str(statement.on_conflict_do_update(set_=values).compile(dialect=dialect()))


@cache
def addition(table: Table) -> str:
    """Insert of a whole row that is added to the row with the same key."""
    statement = insert(table)
    values = {
        column.name: column + statement.excluded[column.name] for column in table.c if not column.primary_key
    }
    return str(statement.on_conflict_do_update(set_=values).compile(dialect=dialect()))
