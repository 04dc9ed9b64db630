"""Buckets: the local minutes, hours, days and months into which a range falls.

A bucket is named by its first instant. Its edges are local to a time zone: a Zurich day has 23, 24 or 25
hours, a Kathmandu hour begins at :15 UTC, and an hour that the clocks repeat is two buckets, kept apart
by their UTC offsets. Where a change of offset cuts an hour (Lord Howe moves by 30 minutes), each side is
a bucket of its own that begins at the change.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from contract.minutes import MINUTE, minute_floor
from contract.vocabulary import Granularity

_HOUR: Final = timedelta(hours=1)
_YEARS_OF_HOURS: Final = 2**15
"""Two years of hours, compared, are walked through again and again: 17,520."""

_LONGEST_RANGE: Final = (
    (timedelta(hours=6), Granularity.MINUTE),
    (timedelta(days=7), Granularity.HOUR),
    (timedelta(days=92), Granularity.DAY),
)


class OffsetPiece(NamedTuple):
    """A stretch of time, [start, end) in UTC, over which a zone's UTC offset does not change."""

    start: datetime
    end: datetime
    offset: timedelta


def inferred_granularity(start: datetime, end: datetime) -> Granularity:
    """Minutes up to 6 hours, hours up to 7 days, days up to 92 days, months beyond."""
    span = end - start
    return next((unit for longest, unit in _LONGEST_RANGE if span <= longest), Granularity.MONTH)


def minute_range_is_allowed(start: datetime, end: datetime, timezone: ZoneInfo) -> bool:
    """Whether [start, end) is at most one day (specification, Limits).

    A day is the same wall clock time on the next date: 25 hours when the clocks go back.
    """
    local_next_day = start.astimezone(timezone).replace(tzinfo=None) + timedelta(days=1)
    one_day_later = local_next_day.replace(tzinfo=timezone, fold=1).astimezone(UTC)
    return end <= max(one_day_later, start + timedelta(days=1))


def bucket_start(instant: datetime, granularity: Granularity, timezone: ZoneInfo) -> datetime:
    """First instant of the bucket that holds `instant`, in UTC."""
    if granularity is Granularity.MINUTE:
        return minute_floor(instant)
    if granularity is Granularity.HOUR:
        return _hour_start(instant, timezone)
    day = instant.astimezone(timezone).date()
    return local_midnight(day.replace(day=1) if granularity is Granularity.MONTH else day, timezone)


def next_bucket_start(start: datetime, granularity: Granularity, timezone: ZoneInfo) -> datetime:
    """First instant of the bucket after the one that begins at `start`, in UTC."""
    if granularity is Granularity.MINUTE:
        return start.astimezone(UTC) + MINUTE
    if granularity is Granularity.HOUR:
        return _next_hour_start(start.astimezone(UTC), timezone)
    day = start.astimezone(timezone).date()
    if granularity is Granularity.DAY:
        return local_midnight(day + timedelta(days=1), timezone)
    return local_midnight((day.replace(day=1) + timedelta(days=32)).replace(day=1), timezone)


def local_midnight(day: date, timezone: ZoneInfo) -> datetime:
    """First instant of a local date, in UTC: midnight, or the change that skips it, as in Beirut."""
    instant = datetime(day.year, day.month, day.day, tzinfo=timezone).astimezone(UTC)
    local = instant.astimezone(timezone)
    if local.date() == day and local.hour == 0:
        return instant
    return _next_offset_change(instant - timedelta(days=1), instant + timedelta(days=1), timezone)


def bucket_starts(
    start: datetime, end: datetime, granularity: Granularity, timezone: ZoneInfo
) -> Iterator[datetime]:
    """First instants of all buckets that share a minute with [start, end), in order, in UTC.

    The first may lie before `start`: only the minutes inside the range count in it.
    """
    current = bucket_start(start, granularity, timezone)
    while current < end:
        yield current
        current = next_bucket_start(current, granularity, timezone)


def offset_pieces(start: datetime, end: datetime, timezone: ZoneInfo) -> list[OffsetPiece]:
    """[start, end) cut where the zone's UTC offset changes, in order; changes fall on whole minutes."""
    pieces: list[OffsetPiece] = []
    piece_start = start.astimezone(UTC)
    end = end.astimezone(UTC)
    while piece_start < end:
        change = _next_offset_change(piece_start, end, timezone)
        pieces.append(OffsetPiece(piece_start, change, _offset(piece_start, timezone)))
        piece_start = change
    return pieces


def _offset(instant: datetime, timezone: ZoneInfo) -> timedelta:
    offset = instant.astimezone(timezone).utcoffset()
    assert offset is not None, "a ZoneInfo always knows its offset"
    return offset


def _next_offset_change(start: datetime, end: datetime, timezone: ZoneInfo) -> datetime:
    """The first change of offset after `start`, or `end`. No zone changes twice within a day."""
    before = _offset(start, timezone)
    low = start
    while low < end:
        high = min(low + timedelta(days=1), end)
        if _offset(high, timezone) != before:
            while high - low > MINUTE:
                middle = low + MINUTE * ((high - low) // MINUTE // 2)
                if middle == low:
                    break
                low, high = (middle, high) if _offset(middle, timezone) == before else (low, middle)
            return minute_floor(high) if high < end else high
        low = high
    return end


@lru_cache(maxsize=_YEARS_OF_HOURS)
def _hour_start(instant: datetime, timezone: ZoneInfo) -> datetime:
    local = instant.astimezone(timezone)
    into_hour = timedelta(minutes=local.minute, seconds=local.second, microseconds=local.microsecond)
    start = instant.astimezone(UTC) - into_hour
    offset = _offset(instant, timezone)
    if _offset(start, timezone) == offset:
        return start
    return _next_offset_change(start, instant.astimezone(UTC), timezone)


@lru_cache(maxsize=_YEARS_OF_HOURS)
def _next_hour_start(start: datetime, timezone: ZoneInfo) -> datetime:
    """`start` in UTC: in a zone of its own, two instants of a repeated hour would be equal."""
    local = start.astimezone(timezone)
    into_hour = timedelta(minutes=local.minute)
    full = start + _HOUR - into_hour
    return _next_offset_change(start, full, timezone)
