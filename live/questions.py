"""What a feed asks of the service, and what it takes from the answers."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from math import ceil
from typing import Final
from zoneinfo import ZoneInfo

from api_client import FUTURE, IMPOSSIBLE, MetricsAnswer, SkippedEvent
from contract import (
    DEFAULT_TIMEZONE,
    NOW,
    Granularity,
    MetricKey,
    MetricPoint,
    MetricsFilter,
    MetricsQuery,
    format_local,
)
from live.cadence import PastSpan
from live.snapshot import FeedKey, Reading

METRICS: Final = (MetricKey.VISITORS_INSIDE, MetricKey.ENTRANCES, MetricKey.EXITS)
ALL_FUTURE: Final = (
    "The service's newest value is dated in the future, so it is not shown: "
    "its clock or a counter's is wrong."
)
NO_COUNT: Final = (
    "The service sent a number of people inside that no counter can have counted "
    "(below 0, or more than a billion), so it is not shown."
)
UNEVEN: Final = (
    "The service's newest value is not of a whole minute, so it is not shown: "
    "more than one may be of the same minute."
)
_TREND: Final = timedelta(hours=2)
LONGEST_MINUTE_RANGE: Final = timedelta(days=1)
"""No more is told by the minute. The last daily reset, whose hour is not told, lies within it, unless the
clocks went back since."""
_KNOWN: Final = frozenset(MetricKey)


def newest_value(key: FeedKey, timezone: str) -> MetricsQuery:
    """The question without a range: as a stream, live updates only; as a read, for `AsyncClient.latest`."""
    zones = MetricsFilter(zone_ids=key.zone_ids) if key.zone_ids else None
    return MetricsQuery(metrics=METRICS, site_id=key.site_id, timezone=timezone, filter=zones)


def since(key: FeedKey, timezone: str, span: timedelta) -> MetricsQuery:
    """The minutes of the last `span`. Relative, so that no hour that the clocks repeat is ambiguous."""
    minutes = ceil(min(span, LONGEST_MINUTE_RANGE) / timedelta(minutes=1))
    return newest_value(key, timezone).model_copy(
        update={"from_": f"{minutes} minutes ago", "to": NOW, "granularity": Granularity.MINUTE}
    )


def within(key: FeedKey, span: PastSpan) -> MetricsQuery:
    """The minutes of a stretch of the past; in UTC, so that no hour that the clocks repeat is ambiguous."""
    return newest_value(key, DEFAULT_TIMEZONE).model_copy(
        update={
            "metrics": (MetricKey.VISITORS_INSIDE,),
            "from_": _absolute(span.start),
            "to": _absolute(span.end),
            "granularity": Granularity.MINUTE,
        }
    )


def span_of_today(now: datetime, timezone: ZoneInfo) -> timedelta:
    """Time since local midnight, at least two hours for the trend."""
    local = now.astimezone(timezone)
    midnight = local.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    return max(now - midnight.astimezone(now.tzinfo), _TREND)


def usable(items: Iterable[MetricPoint | SkippedEvent]) -> tuple[tuple[Reading, ...], tuple[str, ...]]:
    """The readings among what arrived, and the reasons why the rest is none."""
    readings: list[Reading] = []
    reasons: list[str] = []
    for item in items:
        if isinstance(item, SkippedEvent):
            reasons.append(item.reason)
        elif MetricKey.VISITORS_INSIDE not in item.metrics:
            reasons.append("no visitorsInside")
        elif not _is_of_minute(item):
            # Points are of buckets, none shorter than a minute: sums of others would count people twice.
            reasons.append("not of a whole minute")
        else:
            readings.append(_reading(item))
    return tuple(readings), tuple(reasons)


def untrusted(answer: MetricsAnswer) -> str:
    """Why the newest value that was answered cannot be right; empty: it can, or there is none."""
    told = [point for point in answer.points if MetricKey.VISITORS_INSIDE in point.metrics]
    if told:
        return "" if any(map(_is_of_minute, told)) else UNEVEN
    return NO_COUNT if answer.left_out[IMPOSSIBLE] else ALL_FUTURE if answer.left_out[FUTURE] else ""


def zones_answered_for(answer: MetricsAnswer) -> tuple[str, ...]:
    """The zones that the service says its newest value is of; empty when it does not say.

    The API names no top zone: it shows in `matchingFilters`, and before the first count only in the
    parameters that the service filled in.
    """
    filters = answer.points[-1].matching_filters if answer.points else None
    if filters:
        return filters.zone_ids
    inferred = answer.inferred.get("filter")
    zones = inferred.get("zoneIds") if isinstance(inferred, dict) else None
    return tuple(str(zone) for zone in zones) if isinstance(zones, list) else ()


def unchanged_since(
    readings: Iterable[Reading], before: Iterable[Reading], now: Iterable[Reading]
) -> tuple[Reading, ...]:
    """Those of minutes that did not change between `before` and `now`.

    What the stream brought while an answer was under way is newer than the answer.
    """
    asked = {reading.measured_at: reading for reading in before}
    known = {reading.measured_at: reading for reading in now}
    return tuple(
        reading for reading in readings if known.get(reading.measured_at) is asked.get(reading.measured_at)
    )


def _is_of_minute(point: MetricPoint) -> bool:
    return not (point.timestamp.second or point.timestamp.microsecond)


def _absolute(moment: datetime) -> str:
    return format_local(moment, ZoneInfo(DEFAULT_TIMEZONE))


def _reading(point: MetricPoint) -> Reading:
    values = {MetricKey(key): value for key, value in point.metrics.items() if key in _KNOWN}
    return Reading(point.timestamp, values)
