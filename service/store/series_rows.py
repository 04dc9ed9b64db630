"""Columns of numbers as rows of a series table.

Statements are compiled once and given to the driver as text.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np
from sqlalchemy import Connection, Table
from sqlalchemy.dialects.sqlite import dialect, insert

from service.store.database import driver
from service.store.protocol import Numbers

_MAXIMUM_PARAMETERS: Final = 999
"""Of one statement, as every SQLite takes them."""


def replace_rows(connection: Connection, table: Table, number: int, columns: Sequence[Numbers]) -> None:
    """Insert rows of one series, or replace those of the same minute; columns in the order of the table."""
    write_rows(connection, replacement(table), number, columns)


def write_rows(connection: Connection, statement: str, number: int, columns: Sequence[Numbers]) -> None:
    """Run a statement that inserts a whole row for every row of one series.

    Many rows at a time, which takes half the time of one by one.
    """
    rows = np.column_stack([np.full(len(columns[0]), number, dtype=np.int64), *columns])
    together = _MAXIMUM_PARAMETERS // rows.shape[1]
    cut = len(rows) - len(rows) % together
    driver(connection).executemany(
        _for_rows(statement, together), rows[:cut].reshape(-1, together * rows.shape[1]).tolist()
    )
    driver(connection).executemany(statement, rows[cut:].tolist())


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


@cache
def filling(table: Table) -> str:
    """Insert of a whole row, unless there is one with the same key."""
    return str(insert(table).on_conflict_do_nothing().compile(dialect=dialect()))


@cache
def _for_rows(statement: str, rows: int) -> str:
    """The statement with the values of several rows instead of one."""
    before, found, rest = statement.partition("VALUES ")
    values, end, after = rest.partition(")")
    assert found
    return f"{before}{found}{', '.join([values + end] * rows)}{after}"
