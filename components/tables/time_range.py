"""Ranges of time that a person asks for by name, and the instants they mean.

A range ends where publication ends: minutes younger than the delay are not there yet (specification,
Limits) and would only look missing.
"""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from enum import Enum
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from dateutil.relativedelta import relativedelta

from contract import PUBLICATION_DELAY, Granularity, format_local, parse_instant
from contract.buckets import (
    bucket_start,
    inferred_granularity,
    minute_range_is_allowed,
    next_bucket_start,
)

_MINUTE: Final = timedelta(minutes=1)
_MOST_OF_A_RANGE_LOST: Final = 4
"""Aligning may shorten a range by at most this part of it (a quarter)."""


class NamedRange(Enum):
    """A range relative to now: its id in links, its label, and how it begins."""

    HOUR = ("1h", "Last hour")
    TODAY = ("today", "Today")
    YESTERDAY = ("yesterday", "Yesterday")
    DAY = ("24h", "Last 24 hours")
    WEEK = ("7d", "Last 7 days")
    FOUR_WEEKS = ("4w", "Last 4 weeks")
    THREE_MONTHS = ("3m", "Last 3 months")
    THIS_MONTH = ("month", "This month")
    LAST_MONTH = ("last-month", "Last month")
    YEAR = ("12m", "Last 12 months")

    def __init__(self, id_: str, label: str) -> None:
        self.id = id_
        self.label = label


_ELAPSED: Final = {NamedRange.HOUR: timedelta(hours=1), NamedRange.DAY: timedelta(hours=24)}
_CALENDAR: Final = {
    NamedRange.WEEK: relativedelta(days=7),
    NamedRange.FOUR_WEEKS: relativedelta(weeks=4),
    NamedRange.THREE_MONTHS: relativedelta(months=3),
    NamedRange.YEAR: relativedelta(months=12),
}
_LONGEST: Final = {NamedRange.WEEK: timedelta(days=7), NamedRange.THREE_MONTHS: timedelta(days=92)}
"""Elapsed time beyond which the service infers larger buckets: an hour more where the clocks went back."""


class TimeRange(NamedTuple):
    """[start, end), aware, in UTC."""

    start: datetime
    end: datetime

    @property
    def is_empty(self) -> bool:
        return self.end <= self.start


def published_until(now: datetime) -> datetime:
    """End of the minutes that are surely there, in UTC."""
    return (now.astimezone(UTC) - PUBLICATION_DELAY).replace(second=0, microsecond=0)


def named_range(named: NamedRange, now: datetime, timezone: ZoneInfo) -> TimeRange:
    """What `named` means at `now`: days and months are local to `timezone`."""
    end = published_until(now)
    today = now.astimezone(timezone).date()
    if named in _ELAPSED:
        return TimeRange(end - _ELAPSED[named], end)
    if named in _CALENDAR:
        local = end.astimezone(timezone).replace(tzinfo=None) - _CALENDAR[named]
        earliest = end - _LONGEST[named] if named in _LONGEST else instant_of(local, timezone)
        return TimeRange(max(instant_of(local, timezone), earliest), end)
    month = today.replace(day=1)
    whole_days = {
        NamedRange.TODAY: (today, None),
        NamedRange.YESTERDAY: (today - timedelta(days=1), today),
        NamedRange.THIS_MONTH: (month, None),
        NamedRange.LAST_MONTH: (month - relativedelta(months=1), month),
    }
    first, after = whole_days[named]
    start = instant_of(datetime.combine(first, time()), timezone)
    return TimeRange(start, end if after is None else instant_of(datetime.combine(after, time()), timezone))


def absolute_range(first: datetime, last: datetime, now: datetime, timezone: ZoneInfo) -> TimeRange:
    """From `first` to `last`, both naive and local to `timezone`; never beyond what is published."""
    end = min(instant_of(last, timezone), published_until(now))
    return TimeRange(instant_of(first, timezone), end)


def aligned(range_: TimeRange, granularity: Granularity, timezone: ZoneInfo) -> TimeRange:
    """The range without its first, cut bucket, so that "last 24 hours" does not begin with a false low.

    Left as it is where that would cost more than a quarter of it.
    """
    start = bucket_start(range_.start, granularity, timezone)
    if start < range_.start:
        start = next_bucket_start(start, granularity, timezone)
    lost = start - range_.start
    if lost * _MOST_OF_A_RANGE_LOST > range_.end - range_.start:
        return range_
    return TimeRange(start, range_.end)


def usual_granularity(range_: TimeRange) -> Granularity:
    """The granularity that the service's rule infers for this range."""
    return inferred_granularity(range_.start, range_.end)


def allowed_granularities(range_: TimeRange, timezone: ZoneInfo) -> tuple[Granularity, ...]:
    """All but `minute` where the range is longer than a day (specification, Limits)."""
    if minute_range_is_allowed(range_.start, range_.end, timezone):
        return tuple(Granularity)
    return tuple(unit for unit in Granularity if unit is not Granularity.MINUTE)


def instant_of(local: datetime, timezone: ZoneInfo) -> datetime:
    """The instant of a naive local time, as the service reads one (`contract.parse_instant`)."""
    text = local.isoformat(timespec="seconds")
    return parse_instant(text, now=datetime.now(UTC), timezone=timezone)


def time_text(instant: datetime, now: datetime, timezone: ZoneInfo) -> str:
    """`instant` as `from` or `to` of a query.

    The absolute form has no offset: in an hour that the clocks repeat it always means the first. The second
    is asked for as `N minutes ago`.
    """
    text = format_local(instant, timezone)
    if instant_of(datetime.fromisoformat(text), timezone) == instant:
        return text
    return f"{-((instant - now) // _MINUTE)} minutes ago"
