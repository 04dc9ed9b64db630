"""Numbers, shares, durations and moments as people of one locale write them.

The words of the pages are English, and so are the names of days and months within their sentences. Who
reads another language has their own numbers and their own clock of 12 or 24 hours, and dates as British
English writes them: `Sat 21 Nov` is taken for no other day.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from functools import lru_cache
from typing import Final, Literal

from babel import Locale, UnknownLocaleError
from babel.dates import format_skeleton, format_time, get_date_format, get_time_format, match_skeleton
from babel.numbers import format_decimal, get_decimal_symbol, get_group_symbol

UNKNOWN: Final = "unknown"
"""Stands where the service names no value; never 0."""

NO_VALUE: Final = "–"
"""Stands in a cell where there is no value; never 0."""

_TYPED_ORDERS: Final = {"YYYY/MM/DD", "DD/MM/YYYY", "MM/DD/YYYY"}
"""All that Streamlit knows; the sign between may be a dot or a hyphen, too."""
_FALLBACK: Final = Locale("en", "GB")
_LARGEST_WRITTEN_OUT: Final = 10**15
"""Beyond, a number is no count of people, and its digits fill the page."""
_MINUTE: Final = 60
_HOUR: Final = 3600
_DAY: Final = 24 * _HOUR
_SECONDS, _MINUTES, _HOURS = 100, 100 * _MINUTE, 100 * _HOUR
"""Seconds up to which a duration is written in seconds, in minutes, in hours."""


@dataclass(frozen=True, slots=True)
class Formats:
    """What the viewer reads; every moment is aware and printed in the time zone it carries.

    `gauge/moments.js` writes the same, letter for letter.
    """

    locale: Locale = _FALLBACK
    now: datetime | None = None
    """When it is read, aware; None: at the present."""

    def number(self, value: float | None, decimals: int = 0, *, are_all_written: bool = False) -> str:
        """Grouped, with at most `decimals` places, or with all of them; `unknown` for None and for what is no
        number.
        """
        if value is None or not math.isfinite(value):
            return UNKNOWN
        if abs(value) >= _LARGEST_WRITTEN_OUT:
            return f"{value:.1e}"
        # Adding 0 makes 0 of what was rounded to -0.
        places = ("0" if are_all_written else "#") * decimals
        return _number(round(value, decimals) + 0, places, self.locale)

    def percent(self, share: float | None) -> str:
        """A share in percent, whole and never rounded up: `85 %`, never broken across lines.

        99.6 % is not yet full, and 89.5 % not yet a level that begins at 90 %. What is more than nothing is
        not called 0: `under 1 %`.
        """
        if share is None or not math.isfinite(share):
            return UNKNOWN
        whole = "under 1" if 0 < share < 1 else self.number(math.floor(share))
        return f"{whole}\N{NO-BREAK SPACE}%"

    def part(self, share: float | None) -> str:
        """A share of a whole in percent, rounded half up, as floored ones add up to too little: `17 %`."""
        return self.percent(share if share is None or not 1 <= share < math.inf else math.floor(share + 0.5))

    def duration(self, seconds: float | None) -> str:
        """`45 s`, `12 min`, `2 h 5 min`, `21 d`; never rounded up, as `spanWords` of the browser's pages."""
        if seconds is None:
            return UNKNOWN
        whole = max(0, math.floor(seconds))
        if whole < _SECONDS:
            return f"{whole} s"
        if whole < _MINUTES:
            return f"{whole // _MINUTE} min"
        if whole < _HOURS:
            return f"{whole // _HOUR} h {whole // _MINUTE % 60} min"
        return f"{whole // _DAY} d"

    @property
    def words(self) -> Locale:
        """In whose words days and clocks are written: the reader's English, else British English."""
        return self.locale if self.locale.language == _FALLBACK.language else _FALLBACK

    def time(self, moment: datetime, *, seconds: bool = False) -> str:
        """The clock, which no line breaks: `13:34`, `1:34 PM`. Where the day is plain; else `moment`.

        A time that occurs twice that day says which of the two it is: `02:30 CEST`.
        """
        clock = self._clock("medium" if seconds else "short")
        written = _time(moment.time().replace(microsecond=0), clock, self.words)
        return f"{written}\N{NO-BREAK SPACE}{moment.tzname()}" if _is_twice(moment) else written

    def hour(self, moment: datetime) -> str:
        """The clock at a full hour, for an axis: `13:00`, `1 PM`."""
        pattern = self.clock_pattern
        short = re.sub(r"\W?mm", "", pattern) if "a" in pattern else pattern
        return _time(moment.time(), short, self.words)

    def day(self, moment: datetime) -> str:
        """Short weekday and date, with the year where it is another than the present: `Sat 21 Nov`."""
        skeleton = "MMMEd" if self._now(moment).year == moment.year else "yMMMEd"
        return _date(moment.date(), skeleton, self.words)

    def dated(self, moment: datetime, *, seconds: bool = False) -> str:
        """Day and clock, also of today: `Sat 21 Nov, 13:34`. For rows of a table and points of a chart."""
        return f"{self.day(moment)}, {self.time(moment, seconds=seconds)}"

    def moment(self, moment: datetime, *, seconds: bool = False) -> str:
        """The clock of today's moments, day and clock of others."""
        is_today = self._now(moment).date() == moment.date()
        return self.time(moment, seconds=seconds) if is_today else self.dated(moment, seconds=seconds)

    def month(self, moment: datetime) -> str:
        """`November 2026`."""
        return _date(moment.date(), "yMMMM", self.words)

    @property
    def separators(self) -> str:
        """Decimal sign and grouping sign, as plotly's layout takes them."""
        return get_decimal_symbol(self.locale) + _one_apostrophe(get_group_symbol(self.locale))

    @property
    def clock_pattern(self) -> str:
        """Of `time`, as the Common Locale Data writes patterns."""
        return self._clock("short")

    @property
    def day_pattern(self) -> str:
        """Of `day` in the present year."""
        skeletons = self.words.datetime_skeletons
        return _written(skeletons[match_skeleton("MMMEd", skeletons) or "MMMEd"].pattern)

    @property
    def typed_date(self) -> str:
        """How Streamlit's inputs show a date that is typed: `DD.MM.YYYY`."""
        pattern = get_date_format("short", locale=self.locale).pattern
        parts = {"d": "DD", "M": "MM", "y": "YYYY"}
        order = [parts[part] for part in dict.fromkeys(re.findall("[dMy]", pattern))]
        sign = next((sign for sign in pattern if sign in "/.-"), "/")
        written = sign.join(order)
        return written if written.replace(sign, "/") in _TYPED_ORDERS else "YYYY/MM/DD"

    def _clock(self, width: Literal["short", "medium"]) -> str:
        """Two digits for the hours of a day of 24, as many as needed for one of twelve."""
        return _clock_pattern(width, self.locale, of_own_words=self.words is self.locale)

    def _now(self, moment: datetime) -> datetime:
        """The present where `moment` is local."""
        return (self.now or datetime.now(UTC)).astimezone(moment.tzinfo)


def formats_of(tag: str | None, now: datetime | None = None) -> Formats:
    """Formats, read at `now`, of a browser's tag such as `de-CH`; British English where there is none.

    A language in an unlikely country (`de-US`) reads as that language.
    """
    for known in (tag, tag.partition("-")[0]) if tag else ():
        try:
            return Formats(Locale.parse(known, sep="-"), now)
        except (ValueError, UnknownLocaleError):
            continue
    return Formats(now=now)


def zone_words(name: str) -> str:
    """`Zurich time`, of an IANA name."""
    return f"{name.rpartition('/')[2].replace('_', ' ')} time"


# A chart writes each number, time and day of thousands of points, and most of them many times.


@lru_cache(maxsize=8192)
def _number(value: float, places: str, locale: Locale) -> str:
    """`places` are those after the sign, as a pattern writes them: `##` at most two, `00` both."""
    written = format_decimal(value, format=f"#,##0.{places}" if places else "#,##0", locale=locale)
    return _one_apostrophe(written)


def _one_apostrophe(text: str) -> str:
    """As browsers write thousands in Switzerland, in the tables of a page, too: not with a curved one."""
    return text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")


def _is_twice(local: datetime) -> bool:
    before, after = local.replace(fold=0).utcoffset(), local.replace(fold=1).utcoffset()
    return before is not None and after is not None and before > after


@lru_cache(maxsize=4096)
def _time(clock: time, pattern: str, locale: Locale) -> str:
    return _written(format_time(clock, pattern, locale=locale)).replace(" ", "\N{NO-BREAK SPACE}")


@lru_cache(maxsize=4096)
def _date(day: date, skeleton: str, locale: Locale) -> str:
    return _written(format_skeleton(skeleton, day, locale=locale))


@lru_cache(maxsize=256)
def _clock_pattern(width: Literal["short", "medium"], locale: Locale, *, of_own_words: bool) -> str:
    own = get_time_format(width, locale=locale).pattern
    if of_own_words:
        return re.sub("H+", "HH", own)
    seconds = ":ss" if width == "medium" else ""
    return f"h:mm{seconds} a" if re.search("[abB]", own) else f"HH:mm{seconds}"


def _written(text: str) -> str:
    """Without marks of direction, and with one kind of space: they vary from year to year."""
    return re.sub("[\u00a0\u202f]", " ", re.sub("[\u200e\u200f]", "", text))
