"""Where the rows of zones and passages are read from that a query of buckets is answered by.

The store's own tables are `StoredSeries`; an archive has others, which are asked the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple, Protocol

from sqlalchemy import Connection, Table, bindparam, select

from service.store.prepared import Prepared
from service.store.protocol import Numbers
from service.store.summed_statements import LEVEL, OF_PASSAGES, OF_ZONES, Statements


class Weighted(NamedTuple):
    """A zone, or a passage, that is summed with others."""

    number: int
    ahead: int = 0
    """Of a passage, how often forward enters."""
    back: int = 0
    """Of a passage, how often backward enters."""


class Summed(NamedTuple):
    """What is read as one series; all of them zones, or all passages, of one site."""

    are_zones: bool
    series: tuple[Weighted, ...]


class SeriesSource(Protocol):
    """Rows of one site. Minutes are whole ones since the epoch, UTC; ranges are [start, end)."""

    def extents(self, summed: Summed) -> Iterable[tuple[int, int | None, int | None]]:
        """Of each series, by its number, the first and the last quarter; those without any may be missing."""

    def minutes(self, summed: Summed, start: int, end: int) -> Numbers:
        """Minutes in which one of them has a row, ascending: the rows of the matrix are the minutes,
        entrances, exits, the change of visitors inside, and of zones `SummedMinutes.lack`.
        """

    def quarters(self, summed: Summed, start: int, end: int) -> Numbers:
        """Likewise the columns of `SummedQuarters`; of passages without visitors inside and what follows."""

    def level(self, summed: Summed, start: int, end: int) -> int:
        """Visitors inside of the zones together, each in its last row."""

    def rows(self, table: Table, number: int, start: int, end: int) -> Numbers:
        """Rows of one series, ascending, as the table has them, but for the number: a row of the matrix
        each.
        """


class StoredSeries:
    """`SeriesSource` in the store's own tables, as the connection sees them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def extents(self, summed: Summed) -> Iterable[tuple[int, int | None, int | None]]:
        return _of(summed).extents.run(self._connection, series=_parameter(summed))

    def minutes(self, summed: Summed, start: int, end: int) -> Numbers:
        return self._read(_of(summed).minutes, summed, start, end)

    def quarters(self, summed: Summed, start: int, end: int) -> Numbers:
        return self._read(_of(summed).quarters, summed, start, end)

    def level(self, summed: Summed, start: int, end: int) -> int:
        [(level,)] = LEVEL.run(self._connection, series=_parameter(summed), start=start, end=end)
        return int(level)

    def rows(self, table: Table, number: int, start: int, end: int) -> Numbers:
        return _rows_of(table).columns(self._connection, number=number, start=start, end=end).T

    def _read(self, statement: Prepared, summed: Summed, start: int, end: int) -> Numbers:
        return statement.columns(self._connection, series=_parameter(summed), start=start, end=end)


def _of(summed: Summed) -> Statements:
    return OF_ZONES if summed.are_zones else OF_PASSAGES


def _parameter(summed: Summed) -> str:
    """See `Statements`; of zones nothing but the number is read."""
    return json.dumps(summed.series)


@cache
def _rows_of(table: Table) -> Prepared:
    number, minute = table.c.number, table.c.minute
    span = (number == bindparam("number"), minute >= bindparam("start"), minute < bindparam("end"))
    columns = [column for column in table.c if column is not number]
    return Prepared(select(*columns).where(*span).order_by(minute))
