"""Ranges of time as a person gives them, by dates or by name, and how much of them is counted yet.

A range is read as it was asked for, whatever the size of its buckets: the first and the last bucket may be
held only in part, and their minutes outside the range are not in them.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from enum import Enum
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from dateutil.relativedelta import relativedelta

from contract import format_local
from contract.buckets import local_midnight
from contract.minutes import MINUTE, published_until
from contract.time_expressions import instant_of_local

_DAYS_A_WEEK: Final = 7

Step = relativedelta | timedelta
"""Days, weeks, months and years are those of the local clock; a timedelta is time that elapses."""


class TimeRange(NamedTuple):
    """[start, end), aware, in UTC."""

    start: datetime
    end: datetime

    @property
    def is_empty(self) -> bool:
        return self.end <= self.start


def range_of_dates(first: datetime, last: datetime, timezone: ZoneInfo) -> TimeRange:
    """From `first` to `last`, both naive and local to `timezone`; it may be reversed, or in the future."""
    return TimeRange(instant_of(first, timezone), instant_of(last, timezone))


def range_of_days(first: date, after: date, timezone: ZoneInfo) -> TimeRange:
    """From the midnight that begins `first` to the one that begins `after`, local to `timezone`."""
    return TimeRange(local_midnight(first, timezone), local_midnight(after, timezone))


def whole_day(day: date, timezone: ZoneInfo) -> TimeRange:
    """From local midnight to local midnight."""
    return range_of_days(day, day + timedelta(days=1), timezone)


def counted_part(asked: TimeRange, now: datetime) -> TimeRange:
    """As much of a range as is published at `now`; it may be empty."""
    return TimeRange(asked.start, min(asked.end, published_until(now)))


def local_span(range_: TimeRange, timezone: ZoneInfo) -> timedelta:
    """How much the clock on the wall moved on: seven days from Monday to Monday, also of 169 hours."""
    start, end = (local_clock(moment, timezone) for moment in range_)
    return end - start


def naive_local(moment: datetime, timezone: ZoneInfo) -> datetime:
    return moment.astimezone(timezone).replace(tzinfo=None)


def local_clock(moment: datetime, timezone: ZoneInfo) -> datetime:
    """Naive local time; 00:00 at the beginning of a day whose midnight the clocks skip, as in Santiago."""
    local = naive_local(moment, timezone)
    begins_late = local.hour == 1 and moment == local_midnight(local.date(), timezone)
    return datetime.combine(local, time()) if begins_late else local


def instant_of(local: datetime, timezone: ZoneInfo) -> datetime:
    """The instant of a naive local time, by the second, as the service reads one (`parse_instant`)."""
    return instant_of_local(local.replace(microsecond=0), timezone)


def time_text(instant: datetime, now: datetime, timezone: ZoneInfo) -> str:
    """`instant` as `from` or `to` of a query.

    The absolute form has no offset: in an hour that the clocks repeat it always means the first. The second
    is asked for as `N minutes ago`.
    """
    text = format_local(instant, timezone)
    if instant_of(datetime.fromisoformat(text), timezone) == instant:
        return text
    return f"{-((instant - now) // MINUTE)} minutes ago"


class NamedRange(Enum):
    """A range relative to now: its id in links, its label and its length, in the order in which they are
    offered. Seven days ago is the same time of day, also where the clocks changed; hours elapse.
    """

    TODAY = ("today", "Today", relativedelta(days=1))
    YESTERDAY = ("yesterday", "Yesterday", relativedelta(days=1))
    THIS_WEEK = ("week", "This week", relativedelta(weeks=1))
    LAST_WEEK = ("last-week", "Last week", relativedelta(weeks=1))
    THIS_MONTH = ("month", "This month", relativedelta(months=1))
    LAST_MONTH = ("last-month", "Last month", relativedelta(months=1))
    HOUR = ("1h", "Last hour", timedelta(hours=1))
    DAY = ("24h", "Last 24 hours", timedelta(hours=24))
    SEVEN_DAYS = ("7d", "Last 7 days", relativedelta(days=7))
    FOUR_WEEKS = ("4w", "Last 4 weeks", relativedelta(weeks=4))
    THIRTY_DAYS = ("30d", "Last 30 days", relativedelta(days=30))
    THREE_MONTHS = ("3m", "Last 3 months", relativedelta(months=3))
    YEAR = ("12m", "Last 12 months", relativedelta(years=1))

    def __init__(self, id_: str, label: str, length: Step) -> None:
        self.id = id_
        self.label = label
        self.length = length


def range_of_id(id_: str | None) -> NamedRange | None:
    """The range that a link names; None for dates and for what is none."""
    return next((named for named in NamedRange if named.id == id_), None)


def named_range(named: NamedRange, now: datetime, timezone: ZoneInfo) -> TimeRange:
    """What `named` means at `now` (aware): days, weeks and months are local to `timezone`.

    A week begins on Monday for every viewer, so that a link means the same to all. What still runs ends where
    publication ends, so that it is empty in its first minute.
    """
    end = published_until(now)
    if isinstance(named.length, timedelta):
        return TimeRange(end - named.length, end)
    days = _whole_days(named, now.astimezone(timezone).date())
    if days is None:
        return TimeRange(instant_of(naive_local(end, timezone) - named.length, timezone), end)
    first, after = days
    return TimeRange(
        local_midnight(first, timezone), end if after is None else local_midnight(after, timezone)
    )


def has_moved_on(named: NamedRange, asked: TimeRange, now: datetime, timezone: ZoneInfo) -> bool:
    """Whether `named`, of whole days, means others at `now` (aware) than `asked`, as it was read, or that was
    empty, and has a minute that is counted. Never of one that moves on by the minute.
    """
    meant = named_range(named, now, timezone)
    is_of_days = _whole_days(named, now.astimezone(timezone).date()) is not None
    return is_of_days and not meant.is_empty and (meant.start != asked.start or asked.is_empty)


def _whole_days(named: NamedRange, today: date) -> tuple[date, date | None] | None:
    """First day, and the day after the last (None: the range still runs); None: not one of whole days."""
    week = today - timedelta(days=today.weekday())
    month = today.replace(day=1)
    days: dict[NamedRange, tuple[date, date | None]] = {
        NamedRange.TODAY: (today, None),
        NamedRange.YESTERDAY: (today - timedelta(days=1), today),
        NamedRange.THIS_WEEK: (week, None),
        NamedRange.LAST_WEEK: (week - timedelta(days=_DAYS_A_WEEK), week),
        NamedRange.THIS_MONTH: (month, None),
        NamedRange.LAST_MONTH: (month - relativedelta(months=1), month),
    }
    return days.get(named)
