"""Numbers, shares, durations and moments as people of one locale write them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_skeleton, format_time, get_time_format
from babel.numbers import format_decimal, get_decimal_symbol, get_group_symbol

NOT_TOLD: Final = "not told"
"""Stands where the service names no value; never 0."""

_FALLBACK: Final = Locale("en", "GB")
_LARGEST_WRITTEN_OUT: Final = 10**15
"""Beyond, a number is no count of people, and its digits fill the page."""
_MINUTE: Final = 60
_HOUR: Final = 3600


@dataclass(frozen=True, slots=True)
class Formats:
    """What the viewer reads; every moment is printed in the time zone it carries."""

    locale: Locale = _FALLBACK

    def number(self, value: float | None, decimals: int = 0) -> str:
        """Grouped, with at most `decimals` places; `not told` for None and for what is no number."""
        if value is None or not math.isfinite(value):
            return NOT_TOLD
        if abs(value) >= _LARGEST_WRITTEN_OUT:
            return f"{value:.1e}"
        # Adding 0 makes 0 of what was rounded to -0.
        pattern = "#,##0." + "#" * decimals if decimals else "#,##0"
        return format_decimal(round(value, decimals) + 0, format=pattern, locale=self.locale)

    def percent(self, share: float | None) -> str:
        """A share in percent, whole: `85 %`, never broken across lines."""
        return NOT_TOLD if share is None else f"{self.number(share)}\N{NO-BREAK SPACE}%"

    def duration(self, seconds: float | None) -> str:
        """`45 s`, `12 min`, `2 h 05 min`."""
        if seconds is None:
            return NOT_TOLD
        if seconds < _MINUTE:
            return f"{self.number(seconds)} s"
        minutes = round(seconds / _MINUTE)
        if minutes < _MINUTE:
            return f"{minutes} min"
        return f"{self.number(minutes // _MINUTE)} h {minutes % _MINUTE:02} min"

    def time(self, moment: datetime) -> str:
        return format_time(moment, "short", tzinfo=moment.tzinfo, locale=self.locale)

    def date(self, moment: datetime) -> str:
        """Short weekday and date: `Sat 21 Nov 2026`."""
        return f"{format_date(moment, 'EEE', self.locale)} {format_date(moment, 'medium', self.locale)}"

    def day(self, moment: datetime) -> str:
        """Short weekday and date where the year is plain: `Sat 21 Nov`."""
        return format_skeleton("MMMEd", moment, tzinfo=moment.tzinfo, locale=self.locale)

    def month(self, moment: datetime) -> str:
        """`November 2026`."""
        return format_skeleton("yMMMM", moment, tzinfo=moment.tzinfo, locale=self.locale)

    def moment(self, moment: datetime) -> str:
        """Date and time to the minute."""
        return f"{format_date(moment, 'medium', self.locale)}, {self.time(moment)}"

    @property
    def separators(self) -> str:
        """Decimal sign and grouping sign, as plotly's layout takes them."""
        return get_decimal_symbol(self.locale) + get_group_symbol(self.locale)

    @property
    def twelve_hours(self) -> bool:
        """Whether the locale counts hours to twelve."""
        return "a" in get_time_format("short", locale=self.locale).pattern


def formats_of(tag: str | None) -> Formats:
    """Formats of a browser's language tag such as `de-CH`; British English where there is none."""
    if not tag:
        return Formats()
    try:
        return Formats(Locale.parse(tag, sep="-"))
    except (ValueError, UnknownLocaleError):
        return Formats()
