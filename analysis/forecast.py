"""What the rest of a day will probably be like, by the hour, and how wrong that was on past days.

Around the median of the same weekday lies a conformal band: each day of the past weeks is held out in turn
and forecast from the others, and the band is as wide as the errors at this hour were. How today ran in
its last hours against the usual is carried over, by as much as on those days it would have helped. Decision
34 has what else was tried, and the figures.

Hours are those of the local clock. What a past day lacks is left out, and so is a day on which nobody came
though its weekday is a busy one: a holiday says nothing of a working day.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date, timedelta
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.rhythm import DAYS_A_WEEK, HOURS_A_DAY

WEEKS: Final = 5
"""On which a forecast rests: longer, and it is last season's."""
BACK_WEEKS: Final = 4
"""Over which its error is measured."""
FEWEST_DAYS: Final = 3
"""Of the same weekday; fewer make no median."""
COVERAGE: Final = 0.8
"""The part of the truths that the band is to hold."""
_TAIL: Final = 0.1  # (1 - COVERAGE) / 2, which a float would make a little less
_RECENT: Final = 3
"""Hours before the forecast that tell how today runs."""
_FEW_PEOPLE: Final = 5
"""Added to the usual before today is divided by it: two people instead of one are no busy day."""
_LEAST_RUN: Final = -1.0
_MOST_RUN: Final = 2.0
SURELY_OPEN: Final = 10
"""People who usually come until then; where nobody does, it is no usual day: fewer may all stay away."""

Numbers = npt.NDArray[np.float64]


class Day(NamedTuple):
    """The hours of one day that can be used."""

    day: date
    hours: Mapping[int, float]
    """Hour of the local clock -> its value; of one that comes twice the mean of both."""


class Expected(NamedTuple):
    """Between `low` and `high` lies the truth on eight days of ten."""

    low: float
    median: float
    high: float


class Forecast(NamedTuple):
    hours: Mapping[int, Expected]
    """Of those that were asked for, without those of which too few days tell."""
    days: int
    """Of the same weekday, on which it rests."""
    closed: int = 0
    """Days of any weekday that are left out since nobody came, though people do on such a weekday."""
    is_unlike: bool = False
    """Nobody has come today, though by this hour people had on every such day: nothing is expected then."""


class PastError(NamedTuple):
    """How forecasts of the same hours, made at the same time of past days, compare with what came."""

    days: int
    hours: int
    """In which anybody usually comes."""
    mean: float
    """Mean absolute error, in people."""
    within: int
    """Hours whose truth lay inside the band."""


def forecast(past: Sequence[Day], today: Day, hours: Collection[int]) -> Forecast:
    """`past` are the days of the last WEEKS at most, others are not used; `today` is how its hours were so
    far, of which those before all of `hours` are used. Each of `hours` is 0 to 23.
    """
    begin = today.day - timedelta(weeks=WEEKS)
    weeks = _Weeks.of([one for one in past if begin <= one.day < today.day])
    own = weeks.values[weeks.weekdays == today.day.weekday()]
    if not hours or not len(own):
        return Forecast({}, len(own), weeks.closed)
    usual, so_far = _medians(own, FEWEST_DAYS), _row(today.hours)
    origin = min(hours)
    if _is_unlike(so_far[:origin], usual[:origin], own[:, :origin]):
        return Forecast({}, len(own), weeks.closed, is_unlike=True)
    recent = [hour for hour in range(max(0, origin - _RECENT), origin) if not np.isnan(so_far[hour])]
    runs = _Runs(
        float(_runs(so_far[None, recent], usual[None, recent])[0]),
        _runs(weeks.values[:, recent], weeks.others[:, recent]),
    )
    found = {hour: _expected(weeks, hour, float(usual[hour]), own[:, hour], runs) for hour in hours}
    return Forecast({hour: one for hour, one in found.items() if one}, len(own), weeks.closed)


def past_error(
    past: Sequence[Day], until: date, hours: Collection[int], told_of: Collection[int] | None = None
) -> PastError | None:
    """Of the last BACK_WEEKS before `until`, each day forecast from the days before it alone, as it was known
    before the first of `hours`; it is measured at those `told_of` (None: all). None: no day has enough days
    before it, or nobody ever comes at these hours.
    """
    errors: list[float] = []
    within, days = 0, 0
    begin, origin = until - timedelta(weeks=BACK_WEEKS), min(hours, default=0)
    for one in past:
        if not begin <= one.day < until or not any(one.hours.values()):
            continue
        so_far = {hour: value for hour, value in one.hours.items() if hour < origin}
        found = forecast(past, Day(one.day, so_far), hours).hours
        told = {
            hour: band
            for hour, band in found.items()
            if hour in one.hours and band.high > 0 and (told_of is None or hour in told_of)
        }
        errors += [abs(one.hours[hour] - band.median) for hour, band in told.items()]
        within += sum(band.low <= one.hours[hour] <= band.high for hour, band in told.items())
        days += bool(told)
    return PastError(days, len(errors), float(np.mean(errors)), within) if errors else None


class _Weeks(NamedTuple):
    """Past days as rows of 24 hours, NaN where an hour cannot be used."""

    values: Numbers
    weekdays: npt.NDArray[np.int64]
    others: Numbers
    """Of each day, the median of the other days of its weekday."""
    are_busy: npt.NDArray[np.bool_]
    """Whether anybody came at this hour on any such weekday."""
    closed: int

    @classmethod
    def of(cls, days: Sequence[Day]) -> _Weeks:
        rows = np.array([_row(one.hours) for one in days]).reshape(-1, HOURS_A_DAY)
        weekdays = np.array([one.day.weekday() for one in days], dtype=np.int64)
        is_open = ~_are_closed(rows, weekdays)
        rows, weekdays = rows[is_open], weekdays[is_open]
        others, busy = np.full_like(rows, np.nan), np.zeros(rows.shape, dtype=np.bool_)
        for weekday in range(DAYS_A_WEEK):
            where = np.flatnonzero(weekdays == weekday)
            if where.size:
                own = rows[where]
                busy[where] = (np.nan_to_num(own) > 0).any(axis=0)
                others[where] = _medians(_each_left_out(own), FEWEST_DAYS - 1)
        return cls(rows, weekdays, others, busy, int((~is_open).sum()))


class _Runs(NamedTuple):
    """By which part the last hours before the forecast lay above the usual, those that today has."""

    today: float
    past: Numbers
    """Of each day of the past weeks."""


def _expected(weeks: _Weeks, hour: int, usual: float, own: Numbers, runs: _Runs) -> Expected | None:
    """Of one hour; None: too few days tell."""
    if np.isnan(usual):
        return None
    if not np.nan_to_num(own).any():
        return Expected(0.0, 0.0, 0.0)
    known = ~np.isnan(weeks.values[:, hour]) & ~np.isnan(weeks.others[:, hour]) & weeks.are_busy[:, hour]
    truth, others, past_runs = weeks.values[known, hour], weeks.others[known, hour], runs.past[known]
    lower, upper = _ranks(truth.size)
    if lower < 0:
        return None
    part = _carried_over(truth, others, past_runs)
    scores = np.sort(_scores(truth, _carried(others, part * past_runs)))
    middle = float(_carried(np.array(usual), part * runs.today))
    spread = float(_spread(np.array(middle)))
    low, high = min(0.0, float(scores[lower])), max(0.0, float(scores[upper]))
    return Expected(max(0.0, middle + low * spread), middle, middle + high * spread)


def _ranks(count: int) -> tuple[int, int]:
    """Which of so many errors in order are the ends of the band; below 0 where they are too few."""
    return int(np.floor((count + 1) * _TAIL)) - 1, min(count, int(np.ceil((count + 1) * (1 - _TAIL)))) - 1


def _carried(usual: Numbers, run: Numbers | float) -> Numbers:
    """The usual, carried on as today runs; one person more, so that it moves where usually nobody comes."""
    carried: Numbers = np.maximum(0.0, (usual + 1) * (1 + run) - 1)
    return carried


def _carried_over(truth: Numbers, others: Numbers, runs: Numbers) -> float:
    """Which part of how a day ran so far lasted until this hour, by least squares: 0 none, 1 all of it."""
    weights = (others + 1) * runs
    fits = float((weights * runs).sum())
    return float(np.clip((weights * (truth - others) / (others + 1)).sum() / fits, 0, 1)) if fits else 0.0


def _scores(truth: Numbers, middle: Numbers) -> Numbers:
    scores: Numbers = (truth - middle) / _spread(middle)
    return scores


def _spread(middle: Numbers) -> Numbers:
    """By how much counts of so many people scatter, but for a factor that the scores tell."""
    spread: Numbers = np.sqrt(middle + 1)
    return spread


def _runs(days: Numbers, usual: Numbers) -> Numbers:
    """Of each day, by which part its hours lay above the usual ones, as far as both are known."""
    known = ~np.isnan(days) & ~np.isnan(usual)
    came = np.where(known, days, 0.0).sum(axis=1)
    expected = np.where(known, usual, 0.0).sum(axis=1)
    runs: Numbers = np.clip((came - expected) / (expected + _FEW_PEOPLE), _LEAST_RUN, _MOST_RUN)
    return runs


def _is_unlike(so_far: Numbers, usual: Numbers, own: Numbers) -> bool:
    """Whether nobody has come, though by then somebody had on every such day."""
    known = ~np.isnan(so_far) & ~np.isnan(usual)
    if so_far[known].any() or usual[known].sum() < SURELY_OPEN:
        return False
    return bool((np.nan_to_num(own[:, known]).sum(axis=1) > 0).all())


def _are_closed(rows: Numbers, weekdays: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Days without anybody, whose weekday is usually one with so many people that this is no chance."""
    people = np.nan_to_num(rows).sum(axis=1)
    is_empty: npt.NDArray[np.bool_] = people == 0
    closed = np.zeros(len(rows), dtype=np.bool_)
    for weekday in range(DAYS_A_WEEK):
        where = np.flatnonzero(weekdays == weekday)
        some = people[where][people[where] > 0]
        if 2 * some.size > where.size and np.median(some) >= SURELY_OPEN:
            closed[where] = is_empty[where]
    return closed


def _row(hours: Mapping[int, float]) -> Numbers:
    # Below 0 is drift of a service that does not hold at 0.
    values = [hours.get(hour, np.nan) for hour in range(HOURS_A_DAY)]
    return np.maximum(np.array(values, dtype=np.float64), 0.0)


def _each_left_out(rows: Numbers) -> Numbers:
    """A copy of all rows for each of them, in which it is missing."""
    copies = np.repeat(rows[None], len(rows), axis=0)
    copies[np.arange(len(rows)), np.arange(len(rows))] = np.nan
    return copies


def _medians(rows: Numbers, fewest: int) -> Numbers:
    """Along the last axis but one, without what is missing; NaN where fewer than `fewest` are known."""
    ordered = np.sort(rows, axis=-2)  # NaN comes last
    known = (~np.isnan(rows)).sum(axis=-2, keepdims=True)
    lower = np.take_along_axis(ordered, np.maximum(known - 1, 0) // 2, axis=-2)
    upper = np.take_along_axis(ordered, np.minimum(known // 2, rows.shape[-2] - 1), axis=-2)
    middle: Numbers = np.where(known >= fewest, (lower + upper) / 2, np.nan).squeeze(axis=-2)
    return middle
