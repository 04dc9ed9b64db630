"""How sure the number inside is in the course of a day, by what past days left over for each who came in.

What a day's count leaves over at its end (`analysis/residue.py`) is its error, and doors err with each person
who passes. So of each past day it is known how many people the number was wrong by for each who had come in,
and between which of these eight days of ten lie. The number begins at 0 with each count: the band is narrow
in the morning and widens with every entrance.

Split conformal: of n days the k-th smallest and the k-th largest bound the next day's with a probability of
1 - 2k / (n + 1) at least, if days are alike. Of fewer than nine days these are the smallest and the largest,
and hold less. Within a day the error need not grow evenly, and a service that holds the number at 0 hides
some of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from math import isnan
from statistics import median
from typing import Final, NamedTuple

from analysis.count_days import Hours
from analysis.error_part import ErrorPart
from analysis.residue import DayBalance

FEWEST_DAYS: Final = 5
"""On fewer nothing is told."""
_TAIL: Final = 0.1
_MANY: Final = 0.5
"""Of who came on the day in the middle; and of the days: where the number means nothing on more of them, no
band is told of it."""


class SureHour(NamedTuple):
    start: datetime
    inside: float
    """On average, as told."""
    low: float
    high: float


def error_part(days: Sequence[DayBalance]) -> ErrorPart | None:
    """Of days that are counted whole and on which many came; None where they are too few, or the number means
    nothing. On a day of few, one person who is missed is a large part.
    """
    whole = _busy(days)
    if len(whole) < FEWEST_DAYS or is_mostly_spoilt(days):
        return None
    parts = sorted(one.residue / one.came for one in whole)
    rank = max(0, int(_TAIL * (len(parts) + 1)) - 1)
    came = median(one.came for one in whole)
    were_right = not any(parts)
    left_out = sum(one.is_whole for one in days) - len(whole)
    held = len(parts) - 2 * rank
    return ErrorPart(parts[rank], parts[-1 - rank], len(parts), held, came, were_right, left_out)


def is_mostly_spoilt(days: Sequence[DayBalance]) -> bool:
    """Whether the number means nothing on most days that are counted whole and on which many came."""
    whole = _busy(days)
    return sum(one.is_spoilt for one in whole) > _MANY * len(whole)


def _busy(days: Sequence[DayBalance]) -> list[DayBalance]:
    whole = [one for one in days if one.is_whole and one.came > 0]
    usual = median(one.came for one in whole) if whole else 0
    return [one for one in whole if one.came >= _MANY * usual]


def sure_hours(part: ErrorPart, starts: Sequence[datetime], hours: Hours, first: int) -> tuple[SureHour, ...]:
    """The hours from row `first` on, with whom may really have been inside; until one that is not counted.

    A count that leaves people over tells too many: the band lies below the number then.
    """
    found: list[SureHour] = []
    came = 0.0
    for start, entered, inside in zip(starts[first:], hours.came[first:], hours.inside[first:], strict=True):
        if isnan(entered) or isnan(inside):
            break
        came += float(entered)
        ends = (float(inside) - part.high * came, float(inside) - part.low * came)
        found.append(SureHour(start, float(inside), *(max(0.0, end) for end in ends)))
    return tuple(found)
