"""Doors that count nobody for whole hours in which they usually do, while other doors of the site go on.

Usual is what a door counts in the same hour of the same weekday in other weeks. Where all doors are silent
together, the place was closed or nothing was counted, and no door is to blame. A door that was closed looks
like one whose counter stopped: the counts do not tell.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from math import isnan
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np

from analysis.count_days import Hours, Numbers, Truths
from analysis.door_blame import Way
from analysis.time_range import naive_local

_FEWEST_WEEKS: Final = 2
"""Other weeks that tell what is usual."""
_FEWEST_AN_HOUR: Final = 10
_FEWEST: Final = 30
"""People who usually cross in the hours together; fewer may be absent by chance."""
_GO_ON: Final = 2
"""Of what they usually count, the other doors must count at least one in so many."""


class Silence(NamedTuple):
    """Whole hours of one door, from `start` until `end`."""

    way: Way
    start: datetime
    end: datetime
    usual: float
    """People who cross in these hours in other weeks, both ways, on average."""
    is_missing: bool
    """Whether there are no counts of these hours at all; else zeros are reported."""


def usual_crossings(starts: Sequence[datetime], hours: Hours, timezone: ZoneInfo) -> tuple[Numbers, Numbers]:
    """Of each hour the median and the lowest of who crossed in other weeks; NaN where fewer than two tell."""
    crossed: list[float] = (hours.came + hours.went).tolist()
    weeks: dict[tuple[int, int], list[int]] = {}
    for row, start in enumerate(starts):
        local = naive_local(start, timezone)
        weeks.setdefault((local.weekday(), local.hour), []).append(row)
    median, lowest = np.full(len(starts), np.nan), np.full(len(starts), np.nan)
    for rows in weeks.values():
        for row in rows:
            known = [crossed[other] for other in rows if other != row and not isnan(crossed[other])]
            if len(known) >= _FEWEST_WEEKS:
                # Of four numbers, thousands of times: NumPy's median takes ten times as long.
                median[row], lowest[row] = statistics.median(known), min(known)
    return median, lowest


def silences(
    starts: Sequence[datetime], passages: Mapping[Way, Hours], timezone: ZoneInfo, *, first: int, after: int
) -> list[Silence]:
    """Those in the rows [first, after), the one with most people who usually cross first."""
    usual = {way: usual_crossings(starts, hours, timezone) for way, hours in passages.items()}
    medians = {way: np.nan_to_num(own[0]) for way, own in usual.items()}
    crossed = {way: np.nan_to_num(hours.came + hours.went) for way, hours in passages.items()}
    all_usual = sum(medians.values(), np.zeros(len(starts)))
    all_crossed = sum(crossed.values(), np.zeros(len(starts)))
    found = []
    for way, hours in passages.items():
        median, lowest = usual[way]
        is_odd = (crossed[way] == 0) & (median >= _FEWEST_AN_HOUR) & (lowest > 0)
        goes_on = _GO_ON * (all_crossed - crossed[way]) >= all_usual - medians[way]
        is_silent = is_odd & goes_on & (all_usual > medians[way])
        for rows in _runs(is_silent, first, after):
            people = float(medians[way][rows].sum())
            if people >= _FEWEST:
                end = starts[rows[-1]] + timedelta(hours=1)
                is_missing = not hours.there[rows].any()
                found.append(Silence(way, starts[rows[0]], end, people, is_missing))
    return sorted(found, key=lambda one: -one.usual)


def _runs(is_true: Truths, first: int, after: int) -> list[list[int]]:
    """Rows of each stretch."""
    rows = groupby(range(first, after), key=is_true.tolist().__getitem__)
    return [list(group) for true, group in rows if true]
