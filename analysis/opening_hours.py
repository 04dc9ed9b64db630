"""When a place is open: by weekday, on days that differ, and on public holidays. Kept by the dashboard, since
the API names none; what counts tell of it where none are kept is in `analysis/open_hours.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, time, timedelta
from itertools import pairwise
from typing import Annotated, Final, NamedTuple, Self
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from analysis.public_holidays import public_holidays
from analysis.time_range import TimeRange, instant_of
from contract import Granularity
from contract.buckets import bucket_start, bucket_starts
from contract.minutes import MINUTE

MINUTES_A_DAY: Final = 1440
MINUTES_AN_HOUR: Final = 60
_DAYS_A_WEEK: Final = 7
_DAY: Final = timedelta(days=1)
MOST_SPANS: Final = 8
"""Of one day."""
MOST_EXCEPTIONS: Final = 1_000
LONGEST_NAME_OF_DAY: Final = 60
"""Characters of the name of a day that differs."""
LONGEST_CODE: Final = 12


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


def _ascending(spans: tuple[Span, ...]) -> tuple[Span, ...]:
    ordered = tuple(sorted(spans, key=lambda span: span.opens))
    if any(after.opens < before.closes for before, after in pairwise(ordered)):
        raise ValueError("one span of a day begins within another")
    return ordered


Spans = Annotated[tuple[Span, ...], Field(max_length=MOST_SPANS), AfterValidator(_ascending)]
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


class KeptHours(NamedTuple):
    """What is kept of a site, as it was read."""

    hours: OpeningHours | None = None
    """None: none are kept, or they are damaged."""
    document: str = ""
    """As it stands; empty: there is none. Another one: somebody has kept others since."""

    @property
    def is_damaged(self) -> bool:
        return bool(self.document) and self.hours is None


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


def open_ranges(
    hours: OpeningHours, range_: TimeRange, timezone: ZoneInfo, holidays: Mapping[date, str]
) -> list[TimeRange]:
    """When it is open within `range_`, ascending; what meets is one.

    An hour that the clocks skip is none, one that they repeat counts twice: what opens within it opens when
    the clock shows it first, what closes within it closes when the clock shows it last.
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
            yield TimeRange(_opening(day, span.opens, timezone), _closing(day, span.closes, timezone))
        day += _DAY


def _opening(day: date, minute: int, timezone: ZoneInfo) -> datetime:
    """The first instant at which the local clock shows that minute, or a later one where it skips it."""
    local = _local(day, minute)
    before, after = (local.replace(tzinfo=timezone, fold=fold).utcoffset() for fold in (0, 1))
    first = instant_of(local, timezone)
    if before is None or after is None or before >= after:
        return first
    # Skipped: the clocks jump from `before` to `after` at most as long ago as they skip.
    steps = (first - (after - before) + MINUTE * step for step in range((after - before) // MINUTE + 1))
    return next((at for at in steps if at.astimezone(timezone).utcoffset() == after), first)


def _closing(day: date, minute: int, timezone: ZoneInfo) -> datetime:
    """The last instant at which the local clock shows that minute, or the first later one."""
    local = _local(day, minute)
    before, after = (local.replace(tzinfo=timezone, fold=fold).utcoffset() for fold in (0, 1))
    repeated = max(before - after, timedelta()) if before is not None and after is not None else timedelta()
    return _opening(day, minute, timezone) + repeated


def _local(day: date, minute: int) -> datetime:
    return datetime.combine(day, time()) + timedelta(minutes=minute)
