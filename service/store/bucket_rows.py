"""From which rows a query of buckets is answered: quarters where whole ones fit, minutes elsewhere.

`rows_of_zone` is SQL that reads one zone. `SummedSeries` reads several zones, or passages, as one series:
summed minute by minute, in pieces of bounded size. A minute is there when at least one of them has a row in
it. Entrances and exits count where there are counts. A zone's visitors inside is a level: where the zone has
no row it is what it was in its last one since the daily reset, and 0 before its first. The SQL of these is in
`summed_statements`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, Final

import numpy as np
from sqlalchemy import ColumnElement, Select, Subquery, Table, case, literal, select, union_all

from service.store.bucket_keys import MinuteRange, RangeShape, number_of
from service.store.bucket_query import (
    Reduction,
    extreme_of,
    is_of_counts,
    stored_or_difference,
    without_extreme,
)
from service.store.errors import QueryTooLargeError
from service.store.protocol import BucketQuery, Numbers
from service.store.schema import ZONE_MINUTES, ZONE_QUARTERS
from service.store.series_source import SeriesSource, Summed, Weighted
from service.store.summed_columns import (
    NO_EXTREME,
    Choice,
    Columns,
    SummedMinutes,
    SummedQuarters,
    columns_of_lost,
    columns_of_minutes,
    columns_of_quarters,
)
from service.store.topology import Flow, Topology
from service.store.zone_series import QUARTER, running_levels

_ROWS_AT_ONCE: Final = 250_000
"""Bounds what SQLite holds while it sorts rows by minute, some dozens of bytes each."""


def minutes_of_zone(names: Sequence[str]) -> Subquery:
    """`minute` and the named columns (see `Reduction.formula`) of one zone, from `:start` to `:end`."""
    return _rows(ZONE_MINUTES, names, "start", "end").subquery()


def rows_of_zone(names: Sequence[str], shape: RangeShape) -> Subquery:
    """`minutes_of_zone`, read from quarters where whole ones fit and hold all columns."""
    if not all(name in ZONE_QUARTERS.c for name in names if extreme_of(name)):
        return minutes_of_zone(names)
    parts = (
        (ZONE_MINUTES, "start", "first"),
        (ZONE_QUARTERS, "first", "last"),
        (ZONE_MINUTES, "last", "end"),
    )
    selects = [_rows(table, names, start, end) for table, start, end in compress(parts, shape.parts)]
    return union_all(*selects).subquery() if len(selects) > 1 else selects[0].subquery()


def _rows(table: Table, names: Sequence[str], start: str, end: str) -> Select[Any]:
    """Of the zone with the number `:zone`."""
    minute = table.c.minute
    within = (table.c.number == number_of("zone")) & (minute >= number_of(start)) & (minute < number_of(end))
    return select(minute, *(_column(table, name).label(name) for name in names)).where(within)


def _column(table: Table, name: str) -> ColumnElement[Any]:
    """The named value in a row of minutes or quarters."""
    minutes = table.c["minutes"] if "minutes" in table.c else literal(1)
    if name == "minutes":
        return minutes
    # Each extreme of a minute is its only value.
    value = (
        table.c[name]
        if name in table.c
        else stored_or_difference(without_extreme(name), dict(table.c.items()))
    )
    extreme = extreme_of(name)
    if extreme and is_of_counts(name):
        return case((table.c.uncounted < minutes, value), else_=NO_EXTREME[extreme])
    return value


MOST_ROWS: Final = 50_000_000
"""Minutes and quarters that a query may read: 25 s of a processor, the minutes of 95 zones in a year."""


@dataclass(frozen=True, slots=True)
class SummedSeries:
    """Zones, or passages as ways in, that are read as one."""

    topology: Topology
    zones: tuple[int, ...] = ()
    """Numbers; empty when it is passages that are read."""
    flows: tuple[Flow, ...] = ()

    @property
    def numbers(self) -> tuple[int, ...]:
        return self.zones or tuple(dict.fromkeys(flow.passage for flow in self.flows))

    @property
    def summed(self) -> Summed:
        forward = Counter(flow.passage for flow in self.flows if flow.forward_enters)
        backward = Counter(flow.passage for flow in self.flows if not flow.forward_enters)
        series = (Weighted(number, forward[number], backward[number]) for number in self.numbers)
        return Summed(bool(self.zones), tuple(series))

    @classmethod
    def asked(cls, query: BucketQuery, topology: Topology) -> SummedSeries:
        if query.passage_ids:
            return cls(topology, flows=tuple(topology.flows_of_passages(query.passage_ids, query.zone_ids)))
        zone_ids = topology.asked_zones(query.zone_ids)
        # One that the site lost since the query was checked has nothing to say.
        return cls(topology, tuple(topology.zones[zone] for zone in zone_ids if zone in topology.zones))

    def stored_within(self, start: int, end: int, source: SeriesSource) -> tuple[SummedSeries, int, int]:
        """The series that matter for minutes [start, end), and the first and last minute that their quarters
        have.

        A zone matters from the daily reset before `start` on, because its level is carried.
        """
        reset = self.topology.reset_minutes(start, start)[0] if self.zones else start
        found = {
            number: (first, last + QUARTER - 1)
            for number, first, last in source.extents(self.summed)
            if first is not None and last is not None and first < end and last + QUARTER > reset
        }
        kept = SummedSeries(
            self.topology,
            tuple(zone for zone in self.zones if zone in found),
            tuple(flow for flow in self.flows if flow.passage in found),
        )
        firsts, lasts = zip(*found.values(), strict=True) if found else ((end,), (end,))
        return kept, min(firsts), max(lasts)

    def columns(
        self, source: SeriesSource, reduction: Reduction, minutes: MinuteRange, folded_until: int
    ) -> Iterator[Columns]:
        """Every minute of the range once, within a quarter or alone; `key` is the first minute of each.

        Sums and averages are read from quarters where the minutes of a quarter are those of every series.
        Where they differ, and for an extreme, which is not the sum of the extremes, minutes are read; before
        `folded_until` there are none, and the quarter is named as `LOST`.
        Raises QueryTooLargeError beyond `MOST_ROWS`.
        """
        names = reduction.column_names()
        rows_left = MOST_ROWS

        def spend(rows: int) -> None:
            nonlocal rows_left
            if (rows_left := rows_left - rows * len(self.numbers)) < 0:
                raise QueryTooLargeError("ask for a shorter range, or for fewer zones or passages at once")

        def by_minute(start: int, end: int) -> Iterator[Columns]:
            spend(end - start)
            for piece in self._minutes(source, start, end, folded_until):
                yield columns_of_minutes(piece, names)

        first, last = (minutes.end, minutes.end) if reduction.needs_each_minute else minutes.whole_quarters
        yield from by_minute(minutes.start, first)
        spend((last - first) // QUARTER)
        for quarters in self._quarters(source, first, last):
            even = self._even(quarters, reduction)
            if even.any():
                yield columns_of_quarters(quarters, even, names)
            folded = quarters.minutes < folded_until
            if (lost := folded & ~even).any():
                yield columns_of_lost(quarters, lost, names)
            for start, end in _stretches(quarters, ~even & ~folded):
                yield from by_minute(start, end)
        yield from by_minute(last, minutes.end)

    def _even(self, quarters: SummedQuarters, reduction: Reduction) -> Choice:
        """Which quarters can be used instead of their minutes: a mask over `quarters`."""
        if reduction.has_levels:
            # A series that is silent in one of the minutes would add its level to it.
            even: Choice = (quarters.reported == len(self.numbers)) & (quarters.fewest == QUARTER)
        elif reduction.has_averages:
            even = (quarters.most == QUARTER) | (quarters.reported == 1)
        else:
            even = np.ones_like(quarters.minutes, dtype=np.bool_)
        if reduction.has_averages_of_counts:
            # Else it is not known in how many of the minutes at least one series has counts.
            same = (quarters.uncounted == 0) | (quarters.uncounted == quarters.stored)
            even &= same | (quarters.reported == 1)
        return even

    def _minutes(
        self, source: SeriesSource, start: int, end: int, folded_until: int
    ) -> Iterator[SummedMinutes]:
        """The minutes of [start, end) in pieces, none of them empty."""
        step = max(_ROWS_AT_ONCE // len(self.numbers), QUARTER)
        for first in range(start, end, step):
            last = min(first + step, end)
            minutes, entrances, exits, change, *lack = source.minutes(self.summed, first, last)
            if len(minutes):
                none = np.zeros_like(minutes)
                inside = none
                if self.zones:
                    inside = self._levels(source, minutes, change, first, folded_until)
                yield SummedMinutes(minutes, entrances, exits, inside, *lack or [none])

    def _quarters(self, source: SeriesSource, start: int, end: int) -> Iterator[SummedQuarters]:
        """The quarters of [start, end), which are whole ones, in pieces."""
        step = max(_ROWS_AT_ONCE // len(self.numbers), 1) * QUARTER
        for first in range(start, end, step):
            last = min(first + step, end)
            minutes, reported, fewest, most, *people = source.quarters(self.summed, first, last)
            # Of passages there are no rows without counts.
            lack = [] if self.zones else [np.zeros_like(minutes)] * 2
            yield SummedQuarters(minutes, reported, fewest, most, *people, *lack)

    def _levels(
        self, source: SeriesSource, minutes: Numbers, change: Numbers, start: int, folded_until: int
    ) -> Numbers:
        """How many were inside in each minute; the minutes begin at or after `start`."""
        past, *resets = self.topology.reset_minutes(start, int(minutes[-1]))
        begin = max(past, folded_until)
        before = source.level(self.summed, begin, start)
        return running_levels(change, np.searchsorted(minutes, resets).tolist(), before).inside


def _stretches(quarters: SummedQuarters, chosen: Choice) -> Iterator[tuple[int, int]]:
    """[start, end) of the chosen quarters, neighbours together."""
    positions = np.flatnonzero(chosen)
    for together in np.split(positions, np.flatnonzero(np.diff(positions) > 1) + 1):
        if len(together):
            yield int(quarters.minutes[together[0]]), int(quarters.minutes[together[-1]]) + QUARTER
