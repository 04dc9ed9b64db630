"""Doors that count nobody at the same hours of every day, while others go on and they do before and after.

`analysis/silent_doors.py` holds an hour against other weeks: of what is silent every day no week tells. So
the hours of the clock are held against those beside them. A door that is closed then looks the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np

from analysis.count_days import Hours, Numbers
from analysis.door_blame import Way
from analysis.time_range import naive_local

_HOURS: Final = 24
_FEWEST_DAYS: Final = 3
_LONGEST: Final = 6
"""Hours; a door that is silent for longer is one of the morning and of the evening."""
_FEWEST_AN_HOUR: Final = 10
"""People beside, on average; of fewer there may be none by chance, though hardly every day."""
_GO_ON: Final = 2
"""The other doors must count at least one in so many of what they count beside."""


class DailySilence(NamedTuple):
    way: Way
    begin: int
    """The hour of the local clock from which it counts nobody."""
    end: int
    """And until which."""
    beside: float
    """People an hour who cross in the hour before and the one after, both ways, on average."""
    days: int
    """On which that is so: all that have counts of the door."""


def daily_silences(
    starts: Sequence[datetime], passages: Mapping[Way, Hours], timezone: ZoneInfo, *, first: int, after: int
) -> list[DailySilence]:
    """Of the rows [first, after), one for each stretch of hours, doors in their order."""
    clock = np.array([naive_local(start, timezone).hour for start in starts[first:after]], dtype=int)
    days = np.array([naive_local(start, timezone).toordinal() for start in starts[first:after]], dtype=int)
    crossed = {way: (own.came + own.went)[first:after] for way, own in passages.items()}
    means = {way: _by_clock(own, clock) for way, own in crossed.items()}
    all_means = sum(means.values(), np.zeros(_HOURS))
    found = []
    for way, own in means.items():
        others = all_means - own
        for begin, size in _silent_stretches(own):
            inner = [(begin + step) % _HOURS for step in range(size)]
            edges = [(begin - 1) % _HOURS, (begin + size) % _HOURS]
            beside = float(own[edges].mean())
            known = ~np.isnan(crossed[way]) & np.isin(clock, inner)
            on = len(set(days[known].tolist()))
            goes_on = others[inner].min() > 0 and _GO_ON * others[inner].mean() >= others[edges].mean()
            if on >= _FEWEST_DAYS and own[edges].min() >= _FEWEST_AN_HOUR and goes_on:
                found.append(DailySilence(way, begin, (begin + size) % _HOURS, beside, on))
    return found


def _by_clock(crossed: Numbers, clock: np.ndarray) -> Numbers:
    """The mean of each hour of the clock; 0 where nothing is counted."""
    known = ~np.isnan(crossed)
    hours = np.bincount(clock[known], minlength=_HOURS)
    people = np.bincount(clock[known], weights=crossed[known], minlength=_HOURS)
    return people / np.maximum(hours, 1)


def _silent_stretches(means: Numbers) -> list[tuple[int, int]]:
    """Hour of the clock and number of hours, of those without anybody between hours with somebody."""
    busy = np.flatnonzero(means > 0).tolist()
    gaps = ((one + 1) % _HOURS for one in busy)
    sizes = ((other - one) % _HOURS - 1 for one, other in zip(busy, [*busy[1:], *busy[:1]], strict=True))
    return [(begin, size) for begin, size in zip(gaps, sizes, strict=True) if 0 < size <= _LONGEST]
