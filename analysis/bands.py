"""The same number on several days: what lies in the middle, and between which ends most of them do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

FEWEST_TENTHS: Final = 9
"""Days; on fewer the tenth and the ninetieth in a hundred are the lowest and the highest."""


class Band(NamedTuple):
    """Of an hour over several days: between `low` and `high` lie eight of ten, or all where they are few."""

    low: float
    median: float
    high: float
    days: int


def band(values: Sequence[float], days: int) -> Band:
    """Of one or more values, on so many days."""
    ordered = sorted(values)
    below = max(0, (len(ordered) + 1) // 10 - 1) if days >= FEWEST_TENTHS else 0
    return Band(ordered[below], float(np.median(ordered)), ordered[-1 - below], days)


def added_up(bands: Sequence[Band]) -> Band:
    """Of one or more, wider than the truth: what is wrong of them is not all on one side."""
    low, median, high = (sum(one[end] for one in bands) for end in range(3))
    return Band(low, median, high, min(one.days for one in bands))
