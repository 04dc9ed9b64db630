"""How well a counter counts, by what somebody counted by hand of the same minutes, and how sure that is.

How far a counter is off, is a share of people. Of `hand` people it saw `counted`: Wilson's interval for that
share. Where it tells more than passed, `hand` of its `counted` crossings were people: the interval of that
share, turned round. So both are one method; it takes the hand's count for true, and of misses and double
counts that make up for each other it sees none.
"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist
from typing import Final, NamedTuple

TOO_WIDE: Final = 0.2
"""A range wider than that tells nothing; of the ratio, where it is above 1."""
_Z: Final = NormalDist().inv_cdf(0.975)
_MOST_PEOPLE: Final = 100_000
"""At a door; more are no advice."""


class Accuracy(NamedTuple):
    """One way through a door: how many people the hand counted, and how many the counter did."""

    hand: float
    counted: float

    @property
    def ratio(self) -> float | None:
        """None where nobody passed."""
        return self.counted / self.hand if self.hand else None

    @property
    def range(self) -> tuple[float, float] | None:
        """Between which the ratio lies, in 95 of 100 checks; None where nobody passed.

        Of as many as passed none is known to be missed nor counted twice, and either may be.
        """
        if not self.hand:
            return None
        if self.counted == self.hand:
            low, _ = wilson(self.counted, self.hand)
            return low, 1 / low
        if self.counted < self.hand:
            return wilson(self.counted, self.hand)
        low, high = wilson(self.hand, self.counted)
        return 1 / high, 1 / low

    @property
    def is_told(self) -> bool:
        if self.range is None or self.ratio is None:
            return False
        return self.range[1] - self.range[0] <= TOO_WIDE * max(1.0, self.ratio)

    @property
    def more_people(self) -> int:
        """So many more must pass, at the same ratio, until the range is no longer too wide."""
        ratio = 1.0 if self.ratio is None else self.ratio

        def is_enough(hand: int) -> bool:
            return Accuracy(hand, hand * ratio).is_told

        low, high = 0, 1
        while not is_enough(high) and high < _MOST_PEOPLE:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if is_enough(middle) else (middle, high)
        return max(0, high - int(self.hand))


def wilson(successes: float, trials: float) -> tuple[float, float]:
    """Wilson's score interval, 95 %, of a share; more than no trials."""
    share, square = successes / trials, _Z * _Z
    middle = (share + square / (2 * trials)) / (1 + square / trials)
    half = _Z * sqrt(share * (1 - share) / trials + square / (4 * trials * trials)) / (1 + square / trials)
    low = 0.0 if successes == 0 else middle - half
    high = 1.0 if successes == trials else middle + half
    return low, high
