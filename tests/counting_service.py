"""A service that answers queries from single minutes, each worked out by itself: what an answer has to be."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

from contract import METRICS, Aggregation, Granularity, MetricKey, MetricPoint, MetricsQuery, parse_instant
from contract.buckets import bucket_start

_bucket_start: Final = lru_cache(1 << 16)(bucket_start)
"""Of each minute by itself; many tests ask of the same days."""


class Minute(NamedTuple):
    came: int
    went: int
    inside: int


@dataclass(frozen=True)
class CountingService:
    minutes: Mapping[datetime, Minute]
    """Start, in UTC, of those that are counted."""
    now: datetime

    @cached_property
    def _ascending(self) -> list[datetime]:
        return sorted(self.minutes)

    def run(self, queries: Mapping[Any, MetricsQuery]) -> dict[Any, Sequence[MetricPoint]]:
        return {key: self.points(query) for key, query in queries.items()}

    def points(self, query: MetricsQuery) -> list[MetricPoint]:
        timezone = ZoneInfo(query.timezone or "Etc/UTC")
        start, end = (
            parse_instant(text or "now", now=self.now, timezone=timezone) for text in (query.from_, query.to)
        )
        buckets: defaultdict[datetime, list[Minute]] = defaultdict(list)
        first, after = (bisect_left(self._ascending, moment) for moment in (start, max(start, end)))
        for minute in self._ascending[first:after]:
            found = _bucket_start(minute, query.granularity or Granularity.HOUR, timezone)
            buckets[found].append(self.minutes[minute])
        told = ((begin, self._values(own, query)) for begin, own in buckets.items())
        return [MetricPoint(timestamp=begin, metrics=values) for begin, values in told]

    def _values(self, minutes: Sequence[Minute], query: MetricsQuery) -> dict[str, float]:
        reduce: dict[Aggregation, Callable[[list[int]], float]] = {
            Aggregation.SUM: sum,
            Aggregation.AVERAGE: lambda values: sum(values) / len(values),
            Aggregation.MINIMUM: min,
            Aggregation.MAXIMUM: max,
        }
        columns = {
            MetricKey.ENTRANCES: [one.came for one in minutes],
            MetricKey.EXITS: [one.went for one in minutes],
            MetricKey.VISITORS_INSIDE: [one.inside for one in minutes],
        }
        values: dict[str, float] = {
            metric: reduce[query.aggregation or METRICS[metric].default_aggregation](columns[metric])
            for metric in query.metrics
            if metric in columns
        }
        came = sum(columns[MetricKey.ENTRANCES])
        if MetricKey.TIME_SPENT in query.metrics and came:
            values[MetricKey.TIME_SPENT] = 60 * sum(columns[MetricKey.VISITORS_INSIDE]) / came
        return values
