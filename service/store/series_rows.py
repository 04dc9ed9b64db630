"""Columns of numbers as rows of a series table: many of them with one statement, compiled once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Final

import numpy as np
from sqlalchemy import Connection, Dialect, Table, exists, select
from sqlalchemy.dialects.postgresql import Insert

from service.store.prepared import DIALECTS
from service.store.protocol import Numbers, WriteMode
from service.store.upsert import insert

MAKES_ROOM: Final = "headroom_makes_room"
"""Option of a connection: what has to hear the minutes of which rows are about to be written."""
COPIES: Final = "headroom_copies"
"""Likewise: what adds new rows faster than a statement, `copy(connection, table, rows)`; False: it cannot."""

COPIED_FROM: Final = 1_000
"""Rows of which it is worth to ask whether any is there: PostgreSQL copies them in a third of the time."""

_MAXIMUM_PARAMETERS: Final = 999
"""Of one statement, as every SQLite takes them."""


def replace_series(
    connection: Connection, table: Table, series: Iterable[tuple[int, Sequence[Numbers]]]
) -> None:
    """Insert rows of several series, each told by its number, or replace those of the same minute; columns in
    the order of the table.
    """
    rows = [numbered(number, columns) for number, columns in series]
    if rows:
        write_rows(connection, table, np.concatenate(rows), WriteMode.SET)


def write_series_rows(
    connection: Connection, table: Table, number: int, columns: Sequence[Numbers], mode: WriteMode
) -> None:
    """`write_rows` of one series: columns without its number."""
    write_rows(connection, table, numbered(number, columns), mode)


def numbered(number: int, columns: Sequence[Numbers]) -> Numbers:
    """As whole rows of one series: columns without its number."""
    return np.column_stack([np.full(len(columns[0]), number, dtype=np.int64), *columns])


def write_rows(connection: Connection, table: Table, rows: Numbers, mode: WriteMode) -> None:
    """Insert whole rows, a matrix in the order of the table; `mode` says what becomes of those that have the
    key of one that is there, or of one before.
    """
    if len(rows):
        _WRITERS[connection.dialect.name](connection, table, rows, mode)


def _write_to_sqlite(connection: Connection, table: Table, rows: Numbers, mode: WriteMode) -> None:
    """Many rows at a time, which takes half the time of one by one."""
    together = _MAXIMUM_PARAMETERS // rows.shape[1]
    cut = len(rows) - len(rows) % together
    cursor = connection.connection.cursor()
    if cut:
        parameters = rows[:cut].reshape(-1, together * rows.shape[1]).tolist()
        cursor.executemany(_of_sqlite(table, mode, together), parameters)
    cursor.executemany(_of_sqlite(table, mode, 1), rows[cut:].tolist())
    cursor.close()


def _write_to_postgresql(connection: Connection, table: Table, rows: Numbers, mode: WriteMode) -> None:
    """All of them as columns."""
    # No row is touched twice by one statement there.
    found = _merged(rows, mode)
    engine = connection.get_execution_options()
    engine[MAKES_ROOM](found[:, 1])
    is_new = len(found) >= COPIED_FROM and not _any_there(connection, table, found)
    if is_new and engine[COPIES](connection, table, found):
        return
    # As text: the driver would look at each number, whether it has to be quoted.
    columns = (f"{{{','.join(map(str, column))}}}" for column in found.T.tolist())
    parameters = dict(zip(table.c.keys(), columns, strict=True))
    cursor = connection.connection.cursor()
    cursor.execute(_of_postgresql(table, mode), parameters)
    cursor.close()


def _any_there(connection: Connection, table: Table, rows: Numbers) -> bool:
    """Whether the series have any row from the first of these minutes to the last. Who asks has locked their
    sites, so that nobody else adds one.
    """
    number, minute = table.c.number, table.c.minute
    chosen = number.in_(np.unique(rows[:, 0]).tolist()) & minute.between(*_ends(rows[:, 1]))
    return bool(connection.execute(select(exists(select(minute).where(chosen)))).scalar())


def _ends(minutes: Numbers) -> tuple[int, int]:
    return int(minutes.min()), int(minutes.max())


_WRITERS: Final[Mapping[str, Callable[[Connection, Table, Numbers, WriteMode], None]]] = {
    "sqlite": _write_to_sqlite,
    "postgresql": _write_to_postgresql,
}


def _merged(rows: Numbers, mode: WriteMode) -> Numbers:
    """One row for each key, as if they had been written one after the other; in the order of the table."""
    order = np.lexsort((rows[:, 1], rows[:, 0]))
    ordered = rows[order]
    is_new = np.append(True, (np.diff(ordered[:, :2], axis=0) != 0).any(axis=1))
    firsts = np.flatnonzero(is_new)
    if mode is WriteMode.SET:
        last: Numbers = ordered[np.append(firsts[1:], len(rows)) - 1]
        return last
    found = ordered[firsts]
    if mode is WriteMode.ADD:
        found[:, 2:] = np.add.reduceat(ordered[:, 2:], firsts)
    return found


@cache
def _of_sqlite(table: Table, mode: WriteMode, rows: int) -> str:
    """With the values of so many rows."""
    before, after = _around_values(table, mode, DIALECTS["sqlite"])
    values = ", ".join(["?"] * len(table.c))
    return f"{before} VALUES {', '.join([f'({values})'] * rows)}{after}"


@cache
def _of_postgresql(table: Table, mode: WriteMode) -> str:
    """With a list for each column."""
    before, after = _around_values(table, mode, DIALECTS["postgresql"])
    columns = ", ".join(f"%({name})s::bigint[]" for name in table.c.keys())  # noqa: SIM118 -- no dict
    return f"{before} SELECT * FROM unnest({columns}){after}"  # noqa: S608 -- names of ours


def _around_values(table: Table, mode: WriteMode, dialect: Dialect) -> tuple[str, str]:
    written = str(_conflicting(insert(table), table, mode).compile(dialect=dialect))
    before, _, rest = written.partition(" VALUES (")
    return before, rest[rest.index(" ON CONFLICT") :]


def _conflicting(statement: Insert, table: Table, mode: WriteMode) -> Insert:
    if mode is WriteMode.FILL:
        return statement.on_conflict_do_nothing()
    new = statement.excluded
    values = {
        column.name: new[column.name] if mode is WriteMode.SET else column + new[column.name]
        for column in table.c
        if not column.primary_key
    }
    return statement.on_conflict_do_update(index_elements=list(table.primary_key), set_=values)
