"""When a place is open: by weekday, on days that differ, and on public holidays. Kept by the dashboard, since
the API names none; what counts tell of it where none are kept is in `analysis/open_hours.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from itertools import pairwise
from typing import Annotated, Final, Self
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, model_validator

from analysis.public_holidays import public_holidays
from analysis.time_range import TimeRange, instant_of
from contract import Granularity
from contract.buckets import bucket_start, bucket_starts

MINUTES_A_DAY: Final = 1440
MINUTES_AN_HOUR: Final = 60
_DAYS_A_WEEK: Final = 7
_DAY: Final = timedelta(days=1)
_MOST_SPANS: Final = 8
"""Of one day."""
MOST_EXCEPTIONS: Final = 1_000
LONGEST_NAME_OF_DAY: Final = 60
"""Characters of the name of a day that differs."""
LONGEST_CODE: Final = 12
_CLOSED: Final = frozenset({"", "closed", "-", "–"})
_SPAN: Final = re.compile(
    r"(?P<from_hour>\d{1,2})(?:[:.h](?P<from_minute>[0-5]\d)?)?\s*(?:-|–|to)\s*"
    r"(?P<to_hour>\d{1,2})(?:[:.h](?P<to_minute>[0-5]\d)?)?"
)


class Span(BaseModel):
    """Minutes after the midnight of its day, by the local clock; one that closes after midnight goes beyond
    MINUTES_A_DAY.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    opens: Annotated[int, Field(ge=0, lt=MINUTES_A_DAY)]
    closes: Annotated[int, Field(gt=0, le=2 * MINUTES_A_DAY)]

    @model_validator(mode="after")
    def _is_a_day_at_most(self) -> Self:
        if not 0 < self.closes - self.opens <= MINUTES_A_DAY:
            raise ValueError("it closes after it opens, within a day")
        return self


Spans = Annotated[tuple[Span, ...], Field(max_length=_MOST_SPANS)]
"""Of one day, ascending, none in another; empty: closed."""


class OtherDay(BaseModel):
    """A day whose hours are not those of its weekday."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    day: date
    spans: Spans = ()
    name: Annotated[str, Field(max_length=LONGEST_NAME_OF_DAY)] = ""


class OpeningHours(BaseModel):
    """Of one site."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    week: Annotated[tuple[Spans, ...], Field(min_length=_DAYS_A_WEEK, max_length=_DAYS_A_WEEK)]
    """From Monday."""
    others: Annotated[tuple[OtherDay, ...], Field(max_length=MOST_EXCEPTIONS)] = ()
    is_closed_on_holidays: bool = True
    """On a public holiday that is none of `others`."""
    country: Annotated[str, Field(max_length=LONGEST_CODE)] = ""
    """Whose holidays these are, as `analysis/public_holidays.py` has them; empty: none."""
    part: Annotated[str, Field(max_length=LONGEST_CODE)] = ""
    """Of that country; empty: holidays of the whole country alone."""

    @model_validator(mode="after")
    def _names_each_day_once(self) -> Self:
        days = [one.day for one in self.others]
        if twice := next((day for day in days if days.count(day) > 1), None):
            raise ValueError(f"{twice} is named twice")
        return self

    def of_day(self, day: date, holidays: Mapping[date, str]) -> tuple[Span, ...]:
        """`holidays` are those of where the site is: day -> name."""
        other = next((one for one in self.others if one.day == day), None)
        if other is not None:
            return other.spans
        if self.is_closed_on_holidays and day in holidays:
            return ()
        return self.week[day.weekday()]


def closed_clock_hours(hours: OpeningHours, weekday: int) -> frozenset[int]:
    """0 to 23: those of a usual such day in no minute of which it is open, also from the day before."""
    spans = [
        *((span.opens, span.closes) for span in hours.week[weekday]),
        *((span.opens - MINUTES_A_DAY, span.closes - MINUTES_A_DAY) for span in hours.week[weekday - 1]),
    ]
    begins = [MINUTES_AN_HOUR * hour for hour in range(MINUTES_A_DAY // MINUTES_AN_HOUR)]
    return frozenset(
        minute // MINUTES_AN_HOUR
        for minute in begins
        if not any(opens < minute + MINUTES_AN_HOUR and closes > minute for opens, closes in spans)
    )


def spans_of_text(text: str) -> tuple[Span, ...]:
    """`9–12:30, 13:30–18`; nothing and `closed` are a closed day. Raises ValueError, with what to write."""
    if text.strip().lower() in _CLOSED:
        return ()
    spans = sorted((_span_of(part.strip()) for part in text.split(",")), key=lambda span: span.opens)
    if len(spans) > _MOST_SPANS:
        raise ValueError(f"“{text}” has more than {_MOST_SPANS} spans; write fewer.")
    for before, after in pairwise(spans):
        if after.opens < before.closes:
            raise ValueError(f"In “{text}” one span begins within another; write each minute once.")
    return tuple(spans)


def text_of_spans(spans: Sequence[Span]) -> str:
    """`09:00–12:30, 13:30–18:00`; `closed`. `spans_of_text` reads it."""
    return ", ".join(f"{_clock(span.opens)}–{_clock(span.closes)}" for span in spans) or "closed"


def open_ranges(
    hours: OpeningHours, range_: TimeRange, timezone: ZoneInfo, holidays: Mapping[date, str]
) -> list[TimeRange]:
    """When it is open within `range_`, ascending; what meets is one.

    An hour that the clocks skip is none, one that they repeat counts twice.
    """
    merged: list[TimeRange] = []
    for start, end in _all_open(hours, range_, timezone, holidays):
        cut = TimeRange(max(start, range_.start), min(end, range_.end))
        if cut.is_empty:
            continue
        if merged and cut.start <= merged[-1].end:
            merged[-1] = TimeRange(merged[-1].start, max(merged[-1].end, cut.end))
        else:
            merged.append(cut)
    return merged


def holidays_of(hours: OpeningHours, range_: TimeRange, timezone: ZoneInfo) -> Mapping[date, str]:
    """Day -> name, of all years that `range_` touches."""
    first, last = (moment.astimezone(timezone).year for moment in range_)
    return public_holidays(hours.country, hours.part, range(first - 1, last + 2))


def open_within(hours: OpeningHours, range_: TimeRange, timezone: ZoneInfo) -> list[TimeRange]:
    """`open_ranges` with the holidays of the hours' own country."""
    return open_ranges(hours, range_, timezone, holidays_of(hours, range_, timezone))


def closed_within(hours: OpeningHours, range_: TimeRange, timezone: ZoneInfo) -> list[TimeRange]:
    """What of `range_` is not open, ascending."""
    return closed_ranges(open_within(hours, range_, timezone), range_)


def closed_hours(hours: OpeningHours, range_: TimeRange, timezone: ZoneInfo) -> frozenset[datetime]:
    """Starts of those hours of `range_`, in UTC, in no minute of which it is open."""
    open_ = open_within(hours, range_, timezone)
    begun = {
        start
        for one in open_
        for start in bucket_starts(
            bucket_start(one.start, Granularity.HOUR, timezone), one.end, Granularity.HOUR, timezone
        )
    }
    return frozenset(bucket_starts(*range_, Granularity.HOUR, timezone)) - begun


def closed_ranges(open_: Iterable[TimeRange], range_: TimeRange) -> list[TimeRange]:
    """What lies between the open ranges of `range_`; both together are all of it."""
    edges = [range_.start, *(edge for one in open_ for edge in one), range_.end]
    closed = [TimeRange(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True)]
    return [one for one in closed if not one.is_empty]


def _all_open(
    hours: OpeningHours, range_: TimeRange, timezone: ZoneInfo, holidays: Mapping[date, str]
) -> Iterator[TimeRange]:
    # What opens on the day before may close within the range.
    day = range_.start.astimezone(timezone).date() - _DAY
    last = range_.end.astimezone(timezone).date()
    while day <= last:
        for span in hours.of_day(day, holidays):
            yield TimeRange(_instant(day, span.opens, timezone), _instant(day, span.closes, timezone))
        day += _DAY


def _instant(day: date, minute: int, timezone: ZoneInfo) -> datetime:
    return instant_of(datetime.combine(day, time()) + timedelta(minutes=minute), timezone)


def _span_of(text: str) -> Span:
    found = _SPAN.fullmatch(text)
    wrong = ValueError(f"“{text}” is no span of time; write for example 09:00–18:30, or closed.")
    if found is None:
        raise wrong
    opens = int(found["from_hour"]) * MINUTES_AN_HOUR + int(found["from_minute"] or 0)
    closes = int(found["to_hour"]) * MINUTES_AN_HOUR + int(found["to_minute"] or 0)
    if opens >= MINUTES_A_DAY or closes > MINUTES_A_DAY:
        raise wrong
    return Span(opens=opens, closes=closes if closes > opens else closes + MINUTES_A_DAY)


def _clock(minute: int) -> str:
    at = minute if minute == MINUTES_A_DAY else minute % MINUTES_A_DAY
    return f"{at // MINUTES_AN_HOUR:02}:{at % MINUTES_AN_HOUR:02}"
