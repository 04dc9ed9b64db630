"""The points that answer a query: those of the range that it asks for, whatever else a service sends."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from operator import attrgetter
from typing import Final
from zoneinfo import ZoneInfo

from api_client.answers import MetricsAnswer
from api_client.service_clock import TOLERANCE
from contract import DEFAULT_TIMEZONE, NOW, Granularity, MetricPoint, MetricsQuery, parse_instant, zone_named
from contract.buckets import bucket_start, next_bucket_start
from contract.time_expressions import TimeExpressionError

OUTSIDE: Final = "point outside of the time asked for"
"""What is counted for a point of which no minute was asked for."""
_UTC: Final = ZoneInfo("UTC")
_TIME: Final = attrgetter("timestamp")


def within_range(answer: MetricsAnswer, query: MetricsQuery, now: datetime) -> MetricsAnswer:
    """With the points of the buckets that share a minute with [`from`, `to`); `now` is the service's.

    The first bucket may begin before the range, and be longer than was asked for. A question about now is
    answered with the newest minute, whenever that was: all are taken, as where nobody can tell the range.
    """
    points, range_ = answer.points, _asked(query, now)
    if range_ is None:
        return answer
    start, end = range_
    points = _named_by_buckets(points, start, query)
    first = bisect_left(points, start, key=_TIME)
    after = bisect_left(points, end, lo=first, key=_TIME)
    if first and _reaches_into(points[first - 1].timestamp, start, points[first:after], query):
        first -= 1
    outside = len(points) - (after - first)
    if not outside:
        return answer if points is answer.points else replace(answer, points=points)
    left_out = answer.left_out + Counter({OUTSIDE: outside})
    return replace(answer, points=points[first:after], left_out=left_out)


def _named_by_buckets(
    points: tuple[MetricPoint, ...], start: datetime, query: MetricsQuery
) -> tuple[MetricPoint, ...]:
    """With the bucket in which the range begins under its own start, also from a service that names it by
    `from`: the specification says of no bucket that is cut how it is named.

    Where those after it do not begin as buckets do, the service has others, and nothing is changed.
    """
    index = bisect_left(points, start, key=_TIME)
    if query.granularity is None or index == len(points) or points[index].timestamp != start:
        return points
    unit, zone = query.granularity, _zone(query)
    own, following = bucket_start(start, unit, zone), points[index + 1 : index + 2]
    is_there = index > 0 and points[index - 1].timestamp == own
    if (
        own == start
        or is_there
        or any(bucket_start(one.timestamp, unit, zone) != one.timestamp for one in following)
    ):
        return points
    return (*points[:index], replace(points[index], timestamp=own), *points[index + 1 :])


def _asked(query: MetricsQuery, now: datetime) -> tuple[datetime, datetime] | None:
    """What is told from now on is taken generously: the service read its clock a little earlier or later."""
    if query.from_ is None or query.from_ == NOW:
        return None
    timezone = _zone(query)
    try:
        start = parse_instant(query.from_, now=now - TOLERANCE, timezone=timezone)
        return start, parse_instant(query.to or NOW, now=now + TOLERANCE, timezone=timezone)
    except TimeExpressionError:
        return None


def _reaches_into(
    moment: datetime, start: datetime, following: Sequence[MetricPoint], query: MetricsQuery
) -> bool:
    """Whether what begins before the range is the bucket in which the range begins, of the size asked
    for or a longer one, in the time zone asked for or, of a service that does not know that one, in UTC.
    """
    units = list(Granularity)
    after = following[0].timestamp if following else datetime.max.replace(tzinfo=UTC)
    return any(
        bucket_start(start, unit, zone) == moment and next_bucket_start(moment, unit, zone) <= after
        for unit in units[units.index(query.granularity or units[0]) :]
        for zone in (_zone(query), _UTC)
    )


def _zone(query: MetricsQuery) -> ZoneInfo:
    return zone_named(query.timezone or DEFAULT_TIMEZONE) or _UTC
