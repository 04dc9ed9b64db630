"""Several zones, or passages, read as one series: summed minute by minute, in pieces of bounded size.

A minute is there when at least one of them has a row in it. Entrances and exits count where there are rows.
A zone's visitors inside is a level: where the zone has no row it is what it was in its last one since the
daily reset, and 0 before its first. Summed over zones, and from one minute to the next, it therefore changes
by entrances - exits + hidden of the rows that are there, which is what the statements read.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple

import numpy as np
from sqlalchemy import Connection

from service.store.database import driver
from service.store.protocol import Numbers
from service.store.reset_days import reset_minutes
from service.store.rollup import QUARTER
from service.store.topology import Flow, Topology
from service.store.zone_series import running_levels

_ROWS_AT_ONCE: Final = 250_000
"""Bounds what SQLite holds while it sorts rows by minute, some dozens of bytes each."""


class SummedMinutes(NamedTuple):
    """Ascending, parallel."""

    minutes: Numbers
    entrances: Numbers
    exits: Numbers
    inside: Numbers
    """Zeros for passages, which have nobody inside."""


class SummedQuarters(NamedTuple):
    """Quarters in which at least one series has a row: ascending, parallel."""

    minutes: Numbers
    """First minute of each."""
    reported: Numbers
    """How many series have a row."""
    fewest: Numbers
    """Minutes of the series that has the fewest."""
    most: Numbers
    """Minutes of the series that has the most."""
    entrances: Numbers
    exits: Numbers
    inside: Numbers


class _Statements(NamedTuple):
    """SQL that reads the minutes from `:start` to before `:end` of all `:series`.

    Those are one parameter, so that there may be any number of them: a JSON array of [number, times that
    forward enters, times that backward enters].
    """

    extents: str
    minutes: str
    quarters: str


_OF_ZONES: Final = _Statements(
    extents="""
        SELECT json_extract(series.value, '$[0]'),
            (SELECT MIN(minute) FROM zone_minutes WHERE number = json_extract(series.value, '$[0]')),
            (SELECT MAX(minute) FROM zone_minutes WHERE number = json_extract(series.value, '$[0]'))
        FROM json_each(:series) AS series""",
    minutes="""
        SELECT stored.minute, SUM(entrances), SUM(exits), SUM(entrances - exits + hidden)
        FROM json_each(:series) AS series
        CROSS JOIN zone_minutes AS stored ON stored.number = json_extract(series.value, '$[0]')
        WHERE stored.minute >= :start AND stored.minute < :end
        GROUP BY stored.minute ORDER BY stored.minute""",
    quarters="""
        SELECT stored.minute, COUNT(*), MIN(minutes), MAX(minutes), SUM(entrances), SUM(exits), SUM(inside)
        FROM json_each(:series) AS series
        CROSS JOIN zone_quarters AS stored ON stored.number = json_extract(series.value, '$[0]')
        WHERE stored.minute >= :start AND stored.minute < :end
        GROUP BY stored.minute ORDER BY stored.minute""",
)
_OF_PASSAGES: Final = _Statements(
    extents="""
        SELECT json_extract(series.value, '$[0]'),
            (SELECT MIN(minute) FROM passage_minutes WHERE number = json_extract(series.value, '$[0]')),
            (SELECT MAX(minute) FROM passage_minutes WHERE number = json_extract(series.value, '$[0]'))
        FROM json_each(:series) AS series""",
    # The array is taken apart once, and not for every row that is read.
    minutes="""
        WITH series(number, ahead, back) AS MATERIALIZED
            (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]')
             FROM json_each(:series))
        SELECT stored.minute,
            SUM(ahead * forward + back * backward), SUM(ahead * backward + back * forward), 0
        FROM series CROSS JOIN passage_minutes AS stored ON stored.number = series.number
        WHERE stored.minute >= :start AND stored.minute < :end
        GROUP BY stored.minute ORDER BY stored.minute""",
    quarters="""
        WITH series(number, ahead, back) AS MATERIALIZED
            (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]')
             FROM json_each(:series))
        SELECT stored.minute, COUNT(*), MIN(minutes), MAX(minutes),
            SUM(ahead * forward + back * backward), SUM(ahead * backward + back * forward), 0
        FROM series CROSS JOIN passage_quarters AS stored ON stored.number = series.number
        WHERE stored.minute >= :start AND stored.minute < :end
        GROUP BY stored.minute ORDER BY stored.minute""",
)
_LEVEL: Final = """
    SELECT COALESCE(SUM(inside), 0) FROM (
        SELECT (SELECT inside FROM zone_minutes
                WHERE number = json_extract(series.value, '$[0]') AND minute >= :start AND minute < :end
                ORDER BY minute DESC LIMIT 1) AS inside
        FROM json_each(:series) AS series)"""
"""The zones' levels when minute `:end` begins: each in its last row from `:start` on."""


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
    def _statements(self) -> _Statements:
        return _OF_ZONES if self.zones else _OF_PASSAGES

    @property
    def _parameter(self) -> str:
        """See `_Statements`; zones only have a number."""
        forward = Counter(flow.passage for flow in self.flows if flow.forward_enters)
        backward = Counter(flow.passage for flow in self.flows if not flow.forward_enters)
        return json.dumps([[number, forward[number], backward[number]] for number in self.numbers])

    def stored_within(self, start: int, end: int, connection: Connection) -> tuple[SummedSeries, int, int]:
        """Those that matter for minutes [start, end), and the first and last minute that one of them has.

        A zone matters from the daily reset before `start` on, because its level is carried.
        """
        reset = self._resets(start, start)[0] if self.zones else start
        rows = driver(connection).execute(self._statements.extents, {"series": self._parameter}).fetchall()
        found = {
            number: (first, last)
            for number, first, last in rows
            if first is not None and first < end and last >= reset
        }
        kept = SummedSeries(
            self.topology,
            tuple(zone for zone in self.zones if zone in found),
            tuple(flow for flow in self.flows if flow.passage in found),
        )
        firsts, lasts = zip(*found.values(), strict=True) if found else ((end,), (end,))
        return kept, min(firsts), max(lasts)

    def minutes(self, connection: Connection, start: int, end: int) -> Iterator[SummedMinutes]:
        """The minutes of [start, end) in pieces, none of them empty."""
        step = max(_ROWS_AT_ONCE // len(self.numbers), QUARTER)
        for first in range(start, end, step):
            last = min(first + step, end)
            minutes, entrances, exits, change = self._read(connection, self._statements.minutes, first, last)
            if len(minutes):
                inside = (
                    self._levels(connection, minutes, change, first) if self.zones else np.zeros_like(minutes)
                )
                yield SummedMinutes(minutes, entrances, exits, inside)

    def quarters(self, connection: Connection, start: int, end: int) -> Iterator[SummedQuarters]:
        """The quarters of [start, end), which are whole ones, in pieces."""
        step = max(_ROWS_AT_ONCE // len(self.numbers), 1) * QUARTER
        for first in range(start, end, step):
            last = min(first + step, end)
            yield SummedQuarters(*self._read(connection, self._statements.quarters, first, last))

    def _read(self, connection: Connection, statement: str, start: int, end: int) -> Numbers:
        """The columns, as the rows of a matrix."""
        parameters = {"series": self._parameter, "start": start, "end": end}
        cursor = driver(connection).execute(statement, parameters)
        # NumPy would ask every row whether it is an array before it looked inside.
        rows = np.fromiter(chain.from_iterable(cursor), dtype=np.int64)
        return rows.reshape(-1, len(cursor.description)).T

    def _levels(self, connection: Connection, minutes: Numbers, change: Numbers, start: int) -> Numbers:
        """How many were inside in each minute; the minutes begin at or after `start`."""
        past, *resets = self._resets(start, int(minutes[-1]))
        parameters = {"series": self._parameter, "start": past, "end": start}
        (before,) = driver(connection).execute(_LEVEL, parameters).fetchone()
        inside, _ = running_levels(change, np.searchsorted(minutes, resets).tolist(), before)
        return inside

    def _resets(self, first: int, last: int) -> list[int]:
        return reset_minutes(first, last, self.topology.timezone, self.topology.record.daily_reset_hour)
