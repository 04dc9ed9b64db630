"""How pages write days and when something was, on whatever day of the year a test runs."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from components.number_format import Formats

ANY_DAY: Final = r"\w+,? \d+ \w+( \d{4})?"
"""A pattern: `Sat 21 Nov`, and `Sat, 21 Nov 2026` once that year is over."""
MAYBE_A_DAY: Final = f"({ANY_DAY}, )?"
"""A pattern before a clock: in the first hours of a day what is told may be of the day before."""


def written_day(day: date, zone: str = "Europe/Zurich", *, has_year: bool = False) -> str:
    """`day` in `zone` as a browser that has said nothing is told it; `has_year`: whenever that is."""
    noon = datetime.combine(day, time(12), ZoneInfo(zone))
    return Formats(now=noon - timedelta(days=366) if has_year else None).day(noon)
