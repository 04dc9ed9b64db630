"""Ranges of time as a person gives them, and how much of them is counted yet.

A range is read as it was asked for, whatever the size of its buckets: the first and the last bucket may be
held only in part, and their minutes outside the range are not in them.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from contract import Granularity, format_local, parse_instant
from contract.buckets import inferred_granularity, minute_range_is_allowed
from contract.minutes import MINUTE, published_until


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


def counted_part(asked: TimeRange, now: datetime) -> TimeRange:
    """As much of a range as is published at `now`; it may be empty."""
    return TimeRange(asked.start, min(asked.end, published_until(now)))


def local_span(range_: TimeRange, timezone: ZoneInfo) -> timedelta:
    """How much the clock on the wall moved on: seven days from Monday to Monday, also of 169 hours."""
    start, end = (moment.astimezone(timezone).replace(tzinfo=None) for moment in range_)
    return end - start


def usual_granularity(range_: TimeRange, timezone: ZoneInfo) -> Granularity:
    """The granularity that the service's rule infers for a range as long on the local clock."""
    return inferred_granularity(range_.start, range_.start + local_span(range_, timezone))


def asked_granularity(
    range_: TimeRange, timezone: ZoneInfo, chosen: Granularity | None
) -> Granularity | None:
    """What to ask for; None where the service infers the usual one by itself.

    A week in which the clocks go back has an hour more, and the service would infer days.
    """
    usual = usual_granularity(range_, timezone)
    return chosen or (None if inferred_granularity(*range_) is usual else usual)


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
    return f"{-((instant - now) // MINUTE)} minutes ago"
