"""A site counted minute by minute, and a service in memory that answers only what v3 requires: no warnings.

A zone's number inside is who came minus who went since its reset, held at 0; told are counted minutes only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property, lru_cache
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt

from analysis.trust_answer import TrustAnswer, trust_answer, zones_by_trouble
from analysis.trust_grid import Grid, grid_of
from analysis.trust_request import chosen_ways, chosen_zones, trust_request, way_queries, ways_of
from contract import (
    METRICS,
    Aggregation,
    Granularity,
    MetricKey,
    MetricPoint,
    MetricsQuery,
    Passage,
    Site,
    Zone,
    parse_instant,
)
from contract.buckets import bucket_starts, local_midnight
from contract.minutes import MINUTE

Counts = npt.NDArray[np.int64]
Means = npt.NDArray[np.float64]
ZURICH = ZoneInfo("Europe/Zurich")
DAYS = 32
"""From midnight before the weeks that are read; the last is today."""
Crossing = tuple[float, str, bool]
"""Hour of the local day, which may be beyond its end, by which passage, and whether forward."""
Day = Callable[[int, np.random.Generator], Sequence[Crossing]]


@lru_cache(maxsize=8)
def _hours(first: datetime, size: int, timezone: ZoneInfo) -> tuple[list[datetime], Counts]:
    starts = list(bucket_starts(first, first + size * MINUTE, Granularity.HOUR, timezone))
    begins = np.array([(start - first) // MINUTE for start in starts])
    rows = np.searchsorted(begins, np.arange(size), side="right") - 1
    return [start.astimezone(timezone) for start in starts], rows


@dataclass(frozen=True, eq=False)
class HardSite:
    zones: tuple[str, ...]
    passages: Mapping[str, tuple[str | None, str | None]]
    """From which zone into which, as a passage's forward crossings go; None: outside."""
    day: Day
    """The true crossings of a day by its number."""
    timezone: ZoneInfo = ZURICH
    now: datetime = datetime(2026, 6, 30, 12, 30, tzinfo=ZoneInfo("UTC"))
    reset_hour: int = 4
    swapped: frozenset[str] = frozenset()
    missed: float = 0.0
    """The part that every counter misses, each way."""
    is_silent: Callable[[datetime, str], bool] = lambda _start, _passage: False
    """Of a local hour and a passage: counts zeros."""
    is_dead: Callable[[datetime], bool] = lambda _start: False
    """Of a local hour: nothing is counted of any passage."""
    decimals: int | None = None
    """To which averages are rounded; None: they are not."""
    seed: int = 1
    top: str = "whole"
    levels: dict[str | None, Counts] = field(default_factory=dict, init=False)

    @cached_property
    def site(self) -> Site:
        return Site(
            id="hard", name="Hard", organization_id="hard", timezone=self.timezone.key,
            zones=tuple(
                Zone(id=one, name=one.capitalize()) for one in (self.top, *self.zones) if self.zones
            ),
            passages=tuple(
                Passage(id=id_, name=id_.capitalize(), from_zone_id=start, to_zone_id=end)
                for id_, (start, end) in self.passages.items()
            ),
        )  # fmt: skip

    @cached_property
    def first(self) -> datetime:
        return local_midnight(
            self.now.astimezone(self.timezone).date() - timedelta(days=DAYS - 1), self.timezone
        )

    @cached_property
    def size(self) -> int:
        return int((self.now - self.first) / MINUTE)

    @property
    def hours(self) -> tuple[list[datetime], Counts]:
        """Local starts of hours, and of each minute the number of its hour."""
        return _hours(self.first, self.size, self.timezone)

    @cached_property
    def counted(self) -> npt.NDArray[np.bool_]:
        starts, rows = self.hours
        return ~np.array([self.is_dead(start) for start in starts])[rows]

    @cached_property
    def crossings(self) -> Mapping[str, tuple[Counts, Counts]]:
        """As counted, forward and backward."""
        chance = np.random.default_rng(self.seed)
        found = {id_: (np.zeros(self.size, np.int64), np.zeros(self.size, np.int64)) for id_ in self.passages}
        for number in range(DAYS):
            crossings = self.day(number, chance)
            is_seen = chance.random(len(crossings)) >= self.missed
            for (at, passage, is_forward), seen in zip(crossings, is_seen, strict=True):
                minute = number * 1440 + int(at * 60)
                if seen and 0 <= minute < self.size:
                    found[passage][is_forward == (passage in self.swapped)][minute] += 1
        starts, rows = self.hours
        for passage, both in found.items():
            silent = np.array([self.is_silent(start, passage) for start in starts])[rows]
            for column in both:
                column[silent | ~self.counted] = 0
        return found

    def flow(self, zone: str | None, passage: str | None = None) -> tuple[Counts, Counts]:
        """Who came into a zone and who went out of it each minute; None: the whole site."""
        came, went = np.zeros(self.size, np.int64), np.zeros(self.size, np.int64)
        for id_, (start, end) in self.passages.items():
            if passage is not None and id_ != passage:
                continue
            forward, backward = self.crossings[id_]
            is_in, is_out = (end == zone, start == zone) if zone else (end is not None, start is not None)
            if is_in and (zone or not is_out):
                came, went = came + forward, went + backward
            if is_out and (zone or not is_in):
                came, went = came + backward, went + forward
        return came, went

    def inside(self, zone: str | None) -> Counts:
        if zone not in self.levels:
            self.levels[zone] = self._inside(zone)
        return self.levels[zone]

    def _inside(self, zone: str | None) -> Counts:
        came, went = self.flow(zone)
        starts, rows = self.hours
        begins = np.searchsorted(
            rows, [row for row, start in enumerate(starts) if start.hour == self.reset_hour]
        )
        counts = [np.cumsum(one) for one in np.split(came - went, begins)]
        return np.concatenate([one - np.minimum(np.minimum.accumulate(one), 0) for one in counts if one.size])

    def run(self, queries: Mapping[Any, MetricsQuery]) -> dict[Any, Sequence[MetricPoint]]:
        return {key: self._points(query) for key, query in queries.items()}

    def _points(self, query: MetricsQuery) -> list[MetricPoint]:
        zones = query.filter.zone_ids if query.filter else ()
        passages = query.filter.passage_ids if query.filter else ()
        zone = next((one for one in zones or () if one != self.top), None)
        columns: dict[str, Counts] = {}
        columns[MetricKey.ENTRANCES], columns[MetricKey.EXITS] = self.flow(
            zone, next(iter(passages or ()), None)
        )
        if MetricKey.VISITORS_INSIDE in query.metrics and not passages:
            columns[MetricKey.VISITORS_INSIDE] = self.inside(zone)
        starts, rows = self.hours
        counted = rows[self.counted]
        minutes = np.bincount(counted, minlength=len(starts))
        told = {
            str(metric): self._reduced(
                np.bincount(counted, columns[metric][self.counted], len(starts)),
                minutes,
                query.aggregation or METRICS[MetricKey(metric)].default_aggregation,
            )
            for metric in query.metrics
            if metric in columns
        }
        first, after = (
            parse_instant(text or "now", now=self.now, timezone=self.timezone)
            for text in (query.from_, query.to)
        )
        return [
            MetricPoint(
                timestamp=start.astimezone(ZoneInfo("UTC")),
                metrics={metric: float(values[row]) for metric, values in told.items()},
            )
            for row, start in enumerate(starts)
            if minutes[row] and first <= start < after
        ]

    def _reduced(self, sums: Counts | Means, minutes: Counts, aggregation: Aggregation) -> Counts | Means:
        if aggregation is Aggregation.SUM:
            return sums
        means = sums / np.maximum(minutes, 1)
        if self.decimals is not None:
            means = np.floor(means * 10**self.decimals + 0.5) / 10**self.decimals
        return means

    def grid(self, days: int = 28, zones: Sequence[str] = ()) -> Grid | None:
        chosen = chosen_zones(self.site, [self.top] if self.zones else [], zones)
        request = trust_request("hard", chosen.subjects, timezone=self.timezone, now=self.now)
        return grid_of(request, chosen.by_id, self.run(request.queries()), days, run=self.run)

    def told(self, days: int = 28, zones: Sequence[str] = ()) -> TrustAnswer:
        """As the page makes it."""
        grid = self.grid(days, zones)
        assert grid is not None
        chosen = chosen_zones(self.site, [self.top] if self.zones else [], zones)
        request = trust_request("hard", chosen.subjects, timezone=self.timezone, now=self.now)
        ways = ways_of(self.site)
        queries = way_queries(request, chosen_ways(ways, zones_by_trouble(grid)))
        return trust_answer(request, grid, ways, self.run(queries))
