"""Over which of its own days a place of a league is counted, and with which days before they are compared."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from enum import Enum
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from dateutil.relativedelta import relativedelta

from analysis.comparison import Against, Comparison, other_range, step_back
from analysis.history_request import HistoryRequest
from analysis.subject import Subject
from analysis.time_range import Step, TimeRange, range_of_days
from contract import MetricKey
from contract.minutes import EPOCH, published_until

_QUARTER: Final = timedelta(minutes=15)
_DAY: Final = timedelta(days=1)
LONGEST: Final = timedelta(days=92)
"""Of days from one to another; each place is asked for its hours, twice."""


class LeaguePeriod(Enum):
    """Whole days of the local clock: its id in links and its label. What still runs has `so far` in it."""

    TODAY = ("today", "Today so far")
    YESTERDAY = ("yesterday", "Yesterday")
    WEEK = ("7-days", "Last 7 whole days")
    FOUR_WEEKS = ("28-days", "Last 28 whole days")
    MONTH = ("month", "This month so far")
    LAST_MONTH = ("last-month", "Last month")
    DATES = ("days", "From … to …")

    def __init__(self, id_: str, label: str) -> None:
        self.id = id_
        self.label = label


class Days(NamedTuple):
    first: date
    last: date
    """Included."""

    @property
    def span(self) -> timedelta:
        return self.last - self.first + _DAY


class LeagueRanges(NamedTuple):
    """Both ranges of a place; the present one is empty where nothing of it has passed yet."""

    present: TimeRange
    earlier: TimeRange
    """As much of it as has passed of the present one."""
    step: Step
    """How far the earlier one lies back: whole weeks, so that each day is held against its own weekday."""
    is_over: bool
    """Whether all of it has passed."""


def days_of(period: LeaguePeriod, today: date, chosen: Days | None = None) -> Days:
    """Local days, of which some may not be over. `chosen` is for DATES alone, and needed there."""
    if period is LeaguePeriod.DATES:
        assert chosen is not None, "days are chosen"
        return chosen
    month = today.replace(day=1)
    days = {
        LeaguePeriod.TODAY: Days(today, today),
        LeaguePeriod.YESTERDAY: Days(today - _DAY, today - _DAY),
        LeaguePeriod.WEEK: Days(today - 7 * _DAY, today - _DAY),
        LeaguePeriod.FOUR_WEEKS: Days(today - 28 * _DAY, today - _DAY),
        LeaguePeriod.MONTH: Days(month, month + relativedelta(months=1) - _DAY),
        LeaguePeriod.LAST_MONTH: Days(month - relativedelta(months=1), month - _DAY),
    }
    return days[period]


def league_ranges(days: Days, now: datetime, timezone: ZoneInfo) -> LeagueRanges:
    """At `now` (aware). What still runs ends with the last whole quarter of an hour that is published: so it
    is the same for a while, for every place and for whoever looks.
    """
    asked = range_of_days(days.first, days.last + _DAY, timezone)
    until = counted_until(now)
    present = TimeRange(asked.start, max(asked.start, min(asked.end, until)))
    step = step_back(Against(Comparison.WEEKDAY), asked, None, timezone)
    assert step is not None, "weeks lie before any range"
    return LeagueRanges(present, other_range(present, step, now, timezone), step, asked.end <= until)


def league_request(
    site_id: str, subject: Subject, days: Days, now: datetime, timezone: ZoneInfo
) -> tuple[HistoryRequest, LeagueRanges]:
    """Who came in on these days, of one place, and over which ranges it is asked."""
    ranges = league_ranges(days, now, timezone)
    metrics = (MetricKey.ENTRANCES,)
    return HistoryRequest(site_id, (subject,), metrics, ranges.present, timezone, now), ranges


def counted_until(now: datetime) -> datetime:
    """End of the last whole quarter of an hour that is published at `now`, in UTC."""
    published = published_until(now)
    return published - (published - EPOCH) % _QUARTER


def weeks_back(days: Days) -> int:
    """How many weeks before the present days those lie that they are compared with."""
    return max(1, -(-days.span // timedelta(weeks=1)))
