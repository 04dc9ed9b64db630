"""How many minutes a sum and an average of the same minutes are of, and how many may be missing unseen.

A sum divided by its average is the number of its minutes. Where averages are rounded, several numbers of
minutes fit, and the most that do are taken: of an hour with 40 in all, told as 1 on average, 33 minutes
could be missing and none looks so. Nothing else that the API answers tells more but the minutes themselves,
of a day at most with each question.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from math import ceil
from typing import Final

from contract import Number

_MOST_DECIMALS: Final = 3
"""An average with more of them is not rounded."""
_OF_WHOLE: Final = 0.05
"""What `_rounding` makes of averages that are all whole, as they may be without being rounded."""
_TO_WHOLE: Final = 0.5
"""They are rounded where one is too small for its sum, however many of the minutes are counted, or where its
sum is none of so many a minute.
"""
_EXACTLY: Final = 1e-6
"""Minutes; what two numbers differ by is how a computer divides."""

_Pair = tuple[Number, Number, float]
"""Sum, average and the minutes that a bucket holds."""


def minutes_of(
    sums: Mapping[datetime, Number], averages: Mapping[datetime, Number], held: Callable[[datetime], float]
) -> dict[datetime, float]:
    """Start of a bucket -> its counted minutes, at most as many as it holds, where the sum is not 0.

    Empty where each average is the sum: some service answers both questions alike, and no answer names its
    aggregation, as the specification has no field for that. Where each bucket has one counted minute, nothing
    tells that apart.
    """
    return seen_and_unseen(sums, averages, held)[0]


def seen_and_unseen(
    sums: Mapping[datetime, Number],
    averages: Mapping[datetime, Number],
    held: Callable[[datetime], float],
    *,
    tells_apart: bool = False,
) -> tuple[dict[datetime, float], dict[datetime, float]]:
    """As `minutes_of`; and start of a bucket -> how many of these minutes may be missing without showing.

    All but one may be where some service answers both questions alike, unless other answers of the service
    are another thing than their averages, `tells_apart`. A bucket of which none can is absent
    from the latter, and one whose sum is 0, of which nothing is told.
    """
    pairs = _pairs(sums, averages, held)
    are_alike = all(total == one for total, one, _ in pairs.values())
    if not tells_apart and are_alike and any(most > 1 for *_, most in pairs.values()):
        return {}, {start: most - 1 for start, (*_, most) in pairs.items() if most > 1}
    to_nobody = {start: total for start, total in sums.items() if total > 0 and averages.get(start) == 0}
    error = _rounding(averages.values(), pairs.values())
    seen = {start: _count(total, one, error, most) for start, (total, one, most) in pairs.items()}
    is_rounded = to_nobody or any(_is_rounded(*pair) for pair in pairs.values())
    if not error or not is_rounded:
        return seen, {}
    if error == _OF_WHOLE and to_nobody and not any(one % 1 for one in averages.values()):
        error = _TO_WHOLE
    nobody = ((total, 0, held(start)) for start, total in to_nobody.items())
    if any(total > most * (one + error) + _EXACTLY for total, one, most in (*pairs.values(), *nobody)):
        error *= 2  # by no rounding: what is behind the last digit is cut off
    unseen = {}
    for start, (total, one, _) in pairs.items():
        if (more := seen[start] - ceil(total / (one + error))) > 0:
            unseen[start] = min(more, seen[start] - 1)
    for start, total in to_nobody.items():
        if (more := held(start) - ceil(total / error)) > 0:
            unseen[start] = min(more, held(start) - 1)
    return seen, unseen


def _pairs(
    sums: Mapping[datetime, Number], averages: Mapping[datetime, Number], held: Callable[[datetime], float]
) -> dict[datetime, _Pair]:
    return {
        start: (total, averages[start], held(start))
        for start, total in sums.items()
        if total > 0 and averages.get(start, 0) > 0
    }


def _rounding(averages: Iterable[float], pairs: Collection[_Pair]) -> float:
    """How far an average may be from what was rounded: the digits of one do not tell, those of all do."""
    most = 0
    for one in averages:
        if (most := max(most, len(repr(float(one)).partition(".")[2]))) > _MOST_DECIMALS:
            return 0.0
    error = 0.5 * 10.0**-most
    are_whole = all(not one % 1 for _, one, _ in pairs)
    if error == _OF_WHOLE and any(
        total > most * (one + error) or (are_whole and _is_rounded(total, one, most))
        for total, one, most in pairs
    ):
        return _TO_WHOLE
    return error


def _is_rounded(total: Number, average: Number, held: float) -> bool:
    """An average that is not divides its sum, into no more minutes than there are."""
    minutes = total / average
    return abs(minutes - round(minutes)) > _EXACTLY or minutes > held + _EXACTLY


def _count(total: Number, average: float, error: float, held: float) -> float:
    """All of the `held` minutes where so many are possible with an average that is rounded by `error`."""
    if total <= held * (average + error) and total >= held * (average - error):
        return held
    return min(max(1, round(total / average)), held)
