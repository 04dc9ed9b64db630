"""For how long an answer about the past is believed before its service is asked again.

Nothing tells a reader that counts came late: the specification has neither a revision nor an ETag. And a
service that is just loading may answer with a part of a day, or with zeros.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

from analysis.time_range import TimeRange
from contract import Granularity, MetricPoint, zone_named
from contract.buckets import bucket_starts

LONGEST_BELIEF: Final = timedelta(hours=1)
"""Nobody who does not ask sees what was wrong, or is late, for longer."""
_SHORT_BELIEF: Final = timedelta(minutes=5)
_YOUNG: Final = timedelta(days=1)
"""Of what ended no longer ago, most late counts are still to come."""


def believed_for(ended: timedelta, *, is_whole: bool = True) -> timedelta:
    """`ended`: how long ago what was asked for did; `is_whole`: whether nothing of it seems to be missing."""
    return LONGEST_BELIEF if is_whole and ended >= _YOUNG else _SHORT_BELIEF


def is_whole(points: Sequence[MetricPoint], range_: TimeRange, unit: Granularity, timezone: str) -> bool:
    """Whether each bucket of the range has a point, and any of them tells of somebody.

    `timezone` is the IANA name that was asked for; in one that is not known, nothing is whole.
    """
    zone = zone_named(timezone)
    if zone is None or len(points) < _buckets(range_, unit, zone):
        return False
    return any(value for point in points for value in point.metrics.values())


@lru_cache(maxsize=64)  # the hours of a year take 40 ms, and dozens of questions of a page have one range
def _buckets(range_: TimeRange, unit: Granularity, zone: ZoneInfo) -> int:
    return sum(1 for _ in bucket_starts(*range_, unit, zone))
