"""Which other period a range is compared with, and which of its buckets lies beside which present one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import pandas as pd
from dateutil.relativedelta import relativedelta

from analysis.bucket_table import local_index, starts_of
from analysis.granularity import usual_granularity
from analysis.time_range import (
    NamedRange,
    Step,
    TimeRange,
    counted_part,
    instant_of,
    local_clock,
    local_span,
    naive_local,
)
from contract import Granularity
from contract.buckets import bucket_start
from contract.minutes import MINUTE

_DAY: Final = timedelta(days=1)
_WEEK: Final = timedelta(weeks=1)
_SHORTEST_MONTH: Final = timedelta(days=28)
_MONTHS_A_YEAR: Final = 12
_DAYS_A_WEEK: Final = 7
_SHORTEST_YEAR: Final = 365
_LENGTHS: Final = {Granularity.MINUTE: MINUTE, Granularity.HOUR: timedelta(hours=1)}


Clock = Callable[[datetime, ZoneInfo], datetime]


class Comparison(Enum):
    """What a period is held against: its id in links and its label."""

    NONE = ("none", "Nothing")
    PERIOD = ("period", "The time before")
    WEEKDAY = ("weekday", "The same weekdays before")
    FOUR_WEEKS = ("4-weeks", "4 weeks before")
    YEAR = ("year", "A year before")
    FIFTY_TWO_WEEKS = ("52-weeks", "52 weeks before")
    DATE = ("date", "From a day on …")

    def __init__(self, id_: str, label: str) -> None:
        self.id = id_
        self.label = label


class Against(NamedTuple):
    """What a person chose to compare with."""

    comparison: Comparison
    first: date | None = None
    """With which local day the other period begins, before or after the present one; for DATE alone."""


_WEEKS_BEFORE: Final = {Comparison.WEEKDAY: 1, Comparison.FOUR_WEEKS: 4, Comparison.FIFTY_TWO_WEEKS: 52}
_RUNNING: Final = {NamedRange.TODAY, NamedRange.THIS_WEEK, NamedRange.THIS_MONTH}
"""Of the other period as much is compared as has passed of these."""
_UNITS: Final = {
    timedelta(hours=1): "hour",
    timedelta(hours=24): "day",
    relativedelta(days=1): "day",
    relativedelta(weeks=1): "week",
    relativedelta(months=1): "month",
    relativedelta(years=1): "year",
}


def _label(comparison: Comparison, named: NamedRange | None) -> str:
    """What a comparison is called: of `Yesterday` with the period before, `The day before`."""
    unit = _UNITS.get(named.length) if named else None
    if comparison is Comparison.WEEKDAY and unit in {"hour", "day"}:
        return "Same weekday a week before"
    return f"The {unit} before" if unit and comparison is Comparison.PERIOD else comparison.label


def offered_comparisons(named: NamedRange | None, chosen: str) -> dict[str, str]:
    """Id -> label of those that a person chooses from; `chosen` is the id of the present one.

    The week before a week has the same weekdays, and the year before a year lies a year before: of two that
    mean the same, one is offered, the chosen one if one is.
    """
    twin = _same_as_period(named)
    twins = (Comparison.PERIOD, twin) if twin else ()
    weeks = [one for one, least in _WEEKS_BEFORE.items() if _is_longer(named, least - 1)]
    groups = [[Comparison.PERIOD, *weeks]] if twin is Comparison.WEEKDAY else [list(twins), weeks]
    hidden = {Comparison.NONE, *(one for group in groups for one in _others(group, chosen))}
    return {
        one.id: _label(Comparison.PERIOD if one in twins else one, named)
        for one in Comparison
        if one not in hidden
    }


def named_in_sentence(against: Against, named: NamedRange | None) -> str:
    """The other period, as it follows `fewer than`: `the week before by this time` of one that still runs."""
    if against.comparison in {Comparison.NONE, Comparison.DATE}:
        return "in the other period"
    label = offered_comparisons(named, against.comparison.id)[against.comparison.id]
    if label == Comparison.PERIOD.label:
        return f"in {label[0].lower()}{label[1:]}"
    day = "on " if against.comparison is Comparison.WEEKDAY and "weekday" in label else ""
    the = "the " if label.startswith("Same") else ""
    return f"{day}{the}{label[0].lower()}{label[1:]}{' by this time' if named in _RUNNING else ''}"


def _others(same: Sequence[Comparison], chosen: str) -> list[Comparison]:
    """All but one: the chosen one, or the first."""
    kept = next((one for one in same if one.id == chosen), next(iter(same), None))
    return [one for one in same if one is not kept]


def _is_longer(named: NamedRange | None, weeks: int) -> bool:
    """Whether the range has more days than so many weeks."""
    step = named and named.length
    if not isinstance(step, relativedelta):
        return weeks == 0
    days = step.days + _SHORTEST_MONTH.days * step.months + _SHORTEST_YEAR * step.years
    return days > _DAYS_A_WEEK * weeks


def _same_as_period(named: NamedRange | None) -> Comparison | None:
    step = named and named.length
    if not isinstance(step, relativedelta):
        return None
    if step == relativedelta(years=1):
        return Comparison.YEAR
    return Comparison.WEEKDAY if step.weeks and step == relativedelta(weeks=step.weeks) else None


def step_back(
    against: Against,
    range_: TimeRange,
    named: NamedRange | None,
    timezone: ZoneInfo,
) -> Step | None:
    """How far the other period lies back; None when nothing is compared.

    It follows from the range alone, never from the size of the bars. `named` is None for a range given by its
    dates: then the period before is as long as the range, in whole days above a day, in whole months where
    it is made of such or so long that one looks at it by month. The weekday of a range longer than a week is
    kept by going back whole weeks. A range of a month or more is held month by month against one that begins
    on the same day of another month.
    """
    span = local_span(range_, timezone)
    start = local_clock(range_.start, timezone)
    if weeks := _WEEKS_BEFORE.get(against.comparison):
        is_nearest = against.comparison is Comparison.WEEKDAY
        return relativedelta(weeks=max(weeks, -(-span // _WEEK)) if is_nearest else weeks)
    if against.comparison is Comparison.YEAR:
        return relativedelta(years=1)
    if against.comparison is Comparison.DATE and against.first is not None:
        months = relativedelta(months=_months(against.first, start.date()))
        if start.date() - months == against.first and span >= _SHORTEST_MONTH:
            return months
        return relativedelta(days=(start.date() - against.first).days)
    if against.comparison is not Comparison.PERIOD:
        return None
    return named.length if named is not None else _own_length(range_, timezone)


def other_range(
    range_: TimeRange, step: Step, now: datetime, timezone: ZoneInfo, named: NamedRange | None = None
) -> TimeRange:
    """The same local clock times, `step` earlier: only as much of it as has passed of the present one. Before
    hours that are `named` by their number lie as many, also where the clocks changed.

    What is not published yet of a period that lies later is not part of it.
    """
    start, end = (_edge(moment, step, timezone) for moment in range_)
    if named and isinstance(named.length, timedelta):
        start = end - named.length
    return counted_part(TimeRange(start, end), now)


def is_as_long(other: TimeRange, range_: TimeRange, step: Step, timezone: ZoneInfo) -> bool:
    """Whether as much of the other range has passed as of the present one."""
    return other.end >= _edge(range_.end, step, timezone)


def whole_buckets(
    other: TimeRange, range_: TimeRange, step: Step, granularity: Granularity, timezone: ZoneInfo
) -> TimeRange:
    """The other range up to its last whole bucket, where it had to end before its counterpart does.

    A bucket that still runs is never held against one that is over.
    """
    if is_as_long(other, range_, step, timezone):
        return other
    return TimeRange(other.start, bucket_start(other.end, granularity, timezone))


def laid_over(
    earlier: pd.DataFrame, present: Sequence[datetime], beside: Sequence[datetime | None], timezone: ZoneInfo
) -> pd.DataFrame:
    """The earlier values on the present buckets, each of which has its counterpart's: that of `beside`."""
    by_start = {start: row for row, start in enumerate(starts_of(earlier))}
    rows = [-1 if start is None else by_start.get(start, -1) for start in beside]
    return pd.DataFrame(
        {
            column: [values[row] if row >= 0 else float("nan") for row in rows]
            for column, values in ((name, earlier[name].to_list()) for name in earlier.columns)
        },
        index=local_index(present, timezone),
    )


def counterparts(
    present: Sequence[datetime],
    earlier: Sequence[datetime],
    step: Step,
    granularity: Granularity,
    timezone: ZoneInfo,
) -> list[datetime | None]:
    """When the bucket begins that each present one is held against, in UTC; None where there is none.

    31 March has none in February, nor has the second of two 02:00 hours, nor 02:30 where the clocks skip half
    an hour before: there is no bucket of that time on other days. Where the way back is no whole number of
    buckets (of months, from some day on), the first is held against the first, and so on.
    """
    if _is_whole(step, granularity):
        known = set(earlier)
        before = _before(tuple(present), step, granularity, timezone)
        return [start if start in known else None for start in before]
    return [*earlier, *[None] * len(present)][: len(present)]


@lru_cache(maxsize=8)  # hundreds of places in one time zone are compared in the same hours
def _before(
    present: tuple[datetime, ...], step: Step, granularity: Granularity, timezone: ZoneInfo
) -> tuple[datetime | None, ...]:
    # A day begins at its midnight, also where the clocks skip that; an hour when it does.
    clock, back = naive_local if granularity in _LENGTHS else local_clock, -step
    return tuple(_counterpart(start, step, back, timezone, clock) for start in present)


def _is_whole(step: Step, granularity: Granularity) -> bool:
    """Of what elapses, a day is none of the calendar."""
    if isinstance(step, timedelta):
        return granularity in _LENGTHS and not step % _LENGTHS[granularity]
    return not step.days or granularity is not Granularity.MONTH


def _own_length(range_: TimeRange, timezone: ZoneInfo) -> Step:
    first, last = (local_clock(moment, timezone) for moment in range_)
    months = _months(first.date(), last.date())
    if first + relativedelta(months=months) < last:
        months += 1
    elif first.day == 1 and first.time() == time():
        return relativedelta(months=months)
    if usual_granularity(range_, timezone) is Granularity.MONTH:
        return relativedelta(months=months)
    if range_.end - range_.start <= _DAY and {first.time(), last.time()} != {time()}:
        return range_.end - range_.start
    return relativedelta(days=-(-(last - first) // _DAY))


def _months(first: date, last: date) -> int:
    return (last.year - first.year) * _MONTHS_A_YEAR + last.month - first.month


def _edge(moment: datetime, step: Step, timezone: ZoneInfo) -> datetime:
    """`step` before an end of the range; the end of the month where that has no such day.

    31 March, 18:00, less a month is 1 March, 00:00: February has no such day.
    """
    if isinstance(step, timedelta):
        return moment - step
    local = local_clock(moment, timezone)
    back = local - step
    if back + step != local:
        back = datetime.combine(back.date() + _DAY, time())
    return instant_of(back, timezone)


def _counterpart(
    start: datetime, step: Step, back: Step, timezone: ZoneInfo, clock: Clock
) -> datetime | None:
    """The instant that is `step` earlier, or `back`, unless the way back leads elsewhere."""
    before = _stepped(start, back, timezone, clock)
    return before if _stepped(before, step, timezone, clock) == start else None


def _stepped(instant: datetime, step: Step, timezone: ZoneInfo, clock: Clock) -> datetime:
    if isinstance(step, timedelta):
        return instant + step
    local = clock(instant, timezone)
    day = _day_after(local.date(), step.years, step.months, step.days)
    return instant_of(datetime.combine(day, local.time()), timezone)


@lru_cache(maxsize=2**11)  # of a year of hours, each day is stepped from 24 times, to and fro
def _day_after(day: date, years: int, months: int, days: int) -> date:
    return day + relativedelta(years=years, months=months, days=days)
