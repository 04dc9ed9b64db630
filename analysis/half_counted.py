"""Which of several places are counted in clearly fewer minutes than others beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from analysis.bucket_table import Completeness
from analysis.counted_minutes import is_nearly_all
from analysis.history_request import HistoryRequest
from analysis.rounded_averages import minutes_of
from contract import Granularity, MetricKey, MetricPoint

Counted = TypeVar("Counted")
"""A place, whatever says which one it is."""


def half_counted(
    points: Mapping[Counted, Sequence[MetricPoint]],
    averages: Mapping[Counted, Sequence[MetricPoint]],
    request: HistoryRequest,
) -> list[tuple[Counted, Completeness]]:
    """Places that are counted in clearly fewer minutes than the one with most, and in how many of as many.

    `points` are sums in the buckets of `request`, `averages` are by the minute. Left out are those by which
    nobody came in, or of which no average is known.
    """
    came = MetricKey.ENTRANCES
    granularity = request.granularity or Granularity.MONTH

    def held(start: datetime) -> float:
        return request.held(start, granularity)

    minutes = {
        place: sum(
            minutes_of(
                {one.timestamp: one.metrics.get(came, 0) for one in own},
                {one.timestamp: one.metrics.get(came, 0) for one in averages.get(place, ())},
                held,
            ).values()
        )
        for place, own in points.items()
    }
    most = max(minutes.values(), default=0)
    counted = {place: Completeness(round(own), round(most)) for place, own in minutes.items() if own}
    return [(place, own) for place, own in counted.items() if not is_nearly_all(own)]
