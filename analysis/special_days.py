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


class SpecialDays(NamedTuple):
    country: str
    """Whose public holidays these are, a code; empty: of no country that is known."""
    days: Mapping[date, str]
    """Day -> name, ascending."""


class ChangedDay(NamedTuple):
    """A day on which a place is not open as on other such weekdays."""

    day: date
    name: str
    """Empty: it has none."""
    spans: tuple[Span, ...]
    """When it is open; empty: closed."""


def changed_days(opening: OpeningHours, range_: TimeRange, timezone: ZoneInfo) -> list[ChangedDay]:
    """Those of which the range holds any part, ascending."""
    if range_.is_empty:
        return []
    first, last = _dates(range_, timezone)
    holidays = holidays_of(opening, range_, timezone)
    names = dict(holidays) | {other.day: other.name for other in opening.others}
    found = [ChangedDay(day, names[day], opening.of_day(day, holidays)) for day in sorted(names)]
    return [one for one in found if first <= one.day <= last and one.spans != opening.week[one.day.weekday()]]


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
    found = dict(public_holidays(country, part, range(first.year, last.year + 1)))
    found |= {other.day: other.name for other in (opening.others if opening else ()) if other.name}
    return SpecialDays(country, {day: found[day] for day in sorted(found) if first <= day <= last})


def _dates(range_: TimeRange, timezone: ZoneInfo) -> tuple[date, date]:
    """The first and the last local day of which it holds any part; it is not empty."""
    return range_.start.astimezone(timezone).date(), (range_.end - _INSTANT).astimezone(timezone).date()
