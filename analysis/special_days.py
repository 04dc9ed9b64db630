"""Days that are like no other of their weekday: public holidays, and those that somebody has named."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from analysis.opening_hours import OpeningHours
from analysis.public_holidays import country_of, public_holidays
from analysis.time_range import TimeRange

_INSTANT = timedelta(microseconds=1)


class SpecialDays(NamedTuple):
    country: str
    """Whose public holidays these are, a code; empty: of no country that is known."""
    days: Mapping[date, str]
    """Day -> name, ascending."""


def special_days(
    opening: OpeningHours | None, country_name: str, range_: TimeRange, timezone: ZoneInfo
) -> SpecialDays:
    """Those of which the range holds any part. Whose holidays these are somebody has said with the opening
    hours; else the country by which the site calls its own is taken.
    """
    country = opening.country if opening else country_of(country_name) or ""
    if range_.is_empty:
        return SpecialDays(country, {})
    first, last = (
        range_.start.astimezone(timezone).date(),
        (range_.end - _INSTANT).astimezone(timezone).date(),
    )
    part = opening.part if opening else ""
    found = dict(public_holidays(country, part, range(first.year, last.year + 1)))
    found |= {other.day: other.name for other in (opening.others if opening else ()) if other.name}
    return SpecialDays(country, {day: found[day] for day in sorted(found) if first <= day <= last})
