"""A day as curves draw it, and the typical one: the median of the same weekday by quarter of an hour."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from statistics import fmean, median
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from analysis.drift import drifts, may_be_left_over
from contract import MetricKey, MetricPoint, Number
from contract.minutes import MINUTES_A_DAY

_FEWEST_DAYS: Final = 3
"""Fewer days than this make no typical day."""
_QUARTER: Final = 15
"""Minutes of a step of the typical day."""
_STEP: Final = 300
"""Seconds of a step of today's curve: finer than a wall can show."""


class TypicalDay(NamedTuple):
    points: tuple[tuple[float, float], ...]
    """(minutes after midnight by the local clock, people inside), ascending; empty: too few days.

    Each is of the middle of a quarter of an hour, as a mean is: the number passes it there, also on a slope.
    The first and the last minute stand at both midnights, so that a place that is open then is not left out.
    """
    days: int = 0
    """Of how many days at most it is the median: those that have counts, and none of those below."""
    spoilt: int = 0
    """Days that are left out because their number inside means nothing (decision 19)."""


def means_by_step(points: Iterable[MetricPoint]) -> tuple[tuple[int, float], ...]:
    """(epoch seconds, mean people inside) of each step of five minutes that has a value."""
    steps: defaultdict[int, list[Number]] = defaultdict(list)
    for point in points:
        if (inside := point.metrics.get(MetricKey.VISITORS_INSIDE)) is not None:
            steps[int(point.timestamp.timestamp()) // _STEP * _STEP].append(inside)
    return tuple((start, round(fmean(values), 1)) for start, values in sorted(steps.items()))


def sound_minutes(
    points: Sequence[MetricPoint], start: datetime, after: Sequence[MetricPoint] = ()
) -> Sequence[MetricPoint] | None:
    """Of a day that begins at `start`, aware, those of its `points` whose number inside no drift spoils; None
    where it spoils a count that began that day.

    `after`: what follows the day, where that must be known to judge the count that goes on at midnight. Of a
    count that was going on at the midnight before, the beginning is not among the points, also where nobody
    was inside then, as a number may be held at 0: it is judged by what they show of it, beside the highest
    number of this day, and alone left out.
    """
    counts = drifts(((point.timestamp, point.metrics) for point in (*points, *after)), start)
    own = [count for count in counts if count.since <= points[-1].timestamp] if points else []
    if any(count.is_spoiling for count in own):
        return None
    peak = max((count.peak for count in own), default=0)
    for earlier in own[:1]:
        if earlier.until and replace(earlier, is_whole=True, peak=peak).is_spoiling:
            return [point for point in points if point.timestamp >= earlier.until] or None
    return points


def needs_what_follows(points: Sequence[MetricPoint]) -> bool:
    """Whether so many are inside at the end of a day that only the next one tells if they were left over."""
    return may_be_left_over([(point.timestamp, point.metrics) for point in points])


def means_by_quarter(points: Iterable[MetricPoint], timezone: ZoneInfo) -> dict[float, float]:
    """Minutes after midnight by the local clock of the middle of a quarter of an hour -> its mean; and of
    both midnights -> the number in the minute beside.
    """
    quarters: defaultdict[float, list[Number]] = defaultdict(list)
    for point in points:
        if (inside := point.metrics.get(MetricKey.VISITORS_INSIDE)) is not None:
            local = point.timestamp.astimezone(timezone)
            minute = local.hour * 60 + local.minute
            quarters[minute // _QUARTER * _QUARTER + _QUARTER / 2].append(inside)
            if minute in (0, MINUTES_A_DAY - 1):
                quarters[MINUTES_A_DAY if minute else 0].append(inside)
    return {minute: fmean(values) for minute, values in quarters.items()}


def typical_day(days: Sequence[Mapping[float, float]], spoilt: int = 0) -> TypicalDay:
    """The median of `means_by_quarter` of several days; none where too few of them have a value.

    `spoilt` more days were left out.
    """
    minutes = sorted({minute for day in days for minute in day})
    found = {minute: [day[minute] for day in days if minute in day] for minute in minutes}
    return TypicalDay(
        tuple(
            (minute, round(median(values), 1))
            for minute, values in found.items()
            if len(values) >= _FEWEST_DAYS
        ),
        sum(map(bool, days)),
        spoilt,
    )
