"""How many people came in today by each door: a passage with the outside on one of its sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from analysis.doors import Door
from analysis.named_range import NamedRange, named_range
from analysis.time_range import time_text
from contract import NOW, Granularity, MetricKey, MetricPoint, MetricsFilter, MetricsQuery, Number

MOST_DOORS: Final = 40
"""The API tells of each passage alone only when it is asked of it alone; of more doors none is asked."""


def entrances_today(
    site_id: str, doors: Sequence[Door], now: datetime, timezone: ZoneInfo
) -> dict[str, MetricsQuery]:
    """One question for each door, by passage id; today is local to `timezone`.

    Each names the zone behind the door, too: which way a passage counts as entrances is open without one.
    """
    start = time_text(named_range(NamedRange.TODAY, now, timezone).start, now, timezone)
    return {
        door.passage_id: MetricsQuery(
            metrics=(MetricKey.ENTRANCES,),
            site_id=site_id,
            from_=start,
            to=NOW,
            granularity=Granularity.HOUR,
            timezone=timezone.key,
            filter=MetricsFilter(zone_ids=(door.zone_id,), passage_ids=(door.passage_id,)),
        )
        for door in doors
    }


def counts(points: Mapping[str, Sequence[MetricPoint]]) -> dict[str, Number]:
    """The sum of each door that has any value, by passage id: missing is never 0."""
    told = {
        door: [point.metrics[MetricKey.ENTRANCES] for point in own if MetricKey.ENTRANCES in point.metrics]
        for door, own in points.items()
    }
    return {door: sum(values) for door, values in told.items() if values}
