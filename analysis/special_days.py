"""Days that are like no other of their weekday: public holidays, and those that somebody has named."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from analysis.opening_hours import OpeningHours, Span, holidays_of
from analysis.public_holidays import country_of, public_holidays
from analysis.time_range import TimeRange

_INSTANT = timedelta(microseconds=1)


class ChangedDay(NamedTuple):
    """A day on which a place is not open as on other such weekdays."""

    day: date
    name: str
    """Empty: it has none."""
    spans: tuple[Span, ...]
    """When it is open; empty: closed."""


class SpecialDays(NamedTuple):
    country: str
    """Whose public holidays these are, a code; empty: of no country that is known."""
    holidays: Mapping[date, str]
    """Day -> name, ascending."""
    changed: tuple[ChangedDay, ...] = ()
    """Those of hours or a name of their own, ascending; public holidays on which it is closed among them."""


def changed_days(opening: OpeningHours, range_: TimeRange, timezone: ZoneInfo) -> list[ChangedDay]:
    """Those of which the range holds any part, ascending."""
    if range_.is_empty:
        return []
    days = _days_of_a_name(opening, range_, timezone)
    return [one for one in days if one.spans != opening.week[one.day.weekday()]]


def special_days(
    opening: OpeningHours | None, country_name: str, range_: TimeRange, timezone: ZoneInfo
) -> SpecialDays:
    """Those of which the range holds any part. Whose holidays these are somebody has said with the opening
    hours; else the country by which the site calls its own is taken.
    """
    country = opening.country if opening else country_of(country_name) or ""
    if range_.is_empty:
        return SpecialDays(country, {})
    first, last = _dates(range_, timezone)
    part = opening.part if opening else ""
    found = public_holidays(country, part, range(first.year, last.year + 1))
    holidays = {day: found[day] for day in sorted(found) if first <= day <= last}
    if opening is None:
        return SpecialDays(country, holidays)
    named = {other.day for other in opening.others if other.name}
    changed = tuple(
        one
        for one in _days_of_a_name(opening, range_, timezone)
        if one.day in named or one.spans != opening.week[one.day.weekday()]
    )
    return SpecialDays(country, holidays, changed)


def _days_of_a_name(opening: OpeningHours, range_: TimeRange, timezone: ZoneInfo) -> list[ChangedDay]:
    """Public holidays, and days that somebody has said to differ, whether or not they do; the range is not
    empty.
    """
    first, last = _dates(range_, timezone)
    holidays = holidays_of(opening, range_, timezone)
    names = dict(holidays) | {other.day: other.name for other in opening.others}
    return [
        ChangedDay(day, names[day], opening.of_day(day, holidays))
        for day in sorted(names)
        if first <= day <= last
    ]


def _dates(range_: TimeRange, timezone: ZoneInfo) -> tuple[date, date]:
    """The first and the last local day of which it holds any part; it is not empty."""
    return range_.start.astimezone(timezone).date(), (range_.end - _INSTANT).astimezone(timezone).date()
