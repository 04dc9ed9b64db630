"""What a feed asks of the service, and what it takes from the answers."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from math import ceil
from typing import Final
from zoneinfo import ZoneInfo

from api_client import SkippedEvent
from api_client.site_now import is_of_minute, newest_query
from contract import DEFAULT_TIMEZONE, NOW, Granularity, MetricKey, MetricPoint, MetricsQuery, format_local
from contract.buckets import bucket_start
from contract.minutes import MINUTE
from live.cadence import PastSpan
from live.snapshot import FeedKey, Reading

_TREND: Final = timedelta(hours=2)
LONGEST_MINUTE_RANGE: Final = timedelta(days=1)
"""No more is given by the minute. The last daily reset, whose hour is not known, lies within it, unless the
clocks went back since."""
_KNOWN: Final = frozenset(MetricKey)


def since(key: FeedKey, timezone: str, span: timedelta) -> MetricsQuery:
    """The minutes of the last `span`. Relative, so that no hour that the clocks repeat is ambiguous."""
    minutes = ceil(min(span, LONGEST_MINUTE_RANGE) / MINUTE)
    return newest_query(key.site_id, timezone, key.zone_ids).model_copy(
        update={"from_": f"{minutes} minutes ago", "to": NOW, "granularity": Granularity.MINUTE}
    )


def within(key: FeedKey, span: PastSpan) -> MetricsQuery:
    """The minutes of a stretch of the past; in UTC, so that no hour that the clocks repeat is ambiguous."""
    return newest_query(key.site_id, DEFAULT_TIMEZONE, key.zone_ids).model_copy(
        update={
            "metrics": (MetricKey.VISITORS_INSIDE,),
            "from_": _absolute(span.start),
            "to": _absolute(span.end),
            "granularity": Granularity.MINUTE,
        }
    )


def span_of_today(now: datetime, timezone: ZoneInfo) -> timedelta:
    """Time since local midnight, at least two hours for the trend."""
    return max(now - bucket_start(now, Granularity.DAY, timezone), _TREND)


def usable(items: Iterable[MetricPoint | SkippedEvent]) -> tuple[tuple[Reading, ...], tuple[str, ...]]:
    """The readings among what arrived, and the reasons why the rest is none."""
    readings: list[Reading] = []
    reasons: list[str] = []
    for item in items:
        if isinstance(item, SkippedEvent):
            reasons.append(item.reason)
        elif MetricKey.VISITORS_INSIDE not in item.metrics:
            reasons.append("no visitorsInside")
        elif not is_of_minute(item):
            # Points are of buckets, none shorter than a minute: sums of others would count people twice.
            reasons.append("not of a whole minute")
        else:
            readings.append(_reading(item))
    return tuple(readings), tuple(reasons)


def unchanged_since(
    readings: Iterable[Reading], before: Iterable[Reading], now: Iterable[Reading]
) -> tuple[Reading, ...]:
    """The readings of minutes that did not change between `before` and `now`.

    What the stream brought while an answer was under way is newer than the answer.
    """
    asked = {reading.measured_at: reading for reading in before}
    known = {reading.measured_at: reading for reading in now}
    return tuple(
        reading for reading in readings if known.get(reading.measured_at) is asked.get(reading.measured_at)
    )


def _absolute(moment: datetime) -> str:
    return format_local(moment, ZoneInfo(DEFAULT_TIMEZONE))


def _reading(point: MetricPoint) -> Reading:
    values = {MetricKey(key): value for key, value in point.metrics.items() if key in _KNOWN}
    return Reading(point.timestamp, values)
