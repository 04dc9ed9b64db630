"""Whether people inside, who came in and how long they stayed agree with each other.

On average over a long time, as many are inside as come in an hour times the hours that each of them stays
(Little's law). A service that works out one of the three from the other two agrees by making; another may
not. Agreement proves no counter right: a number that drifts makes stays longer to match.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from analysis.count_days import CountDay, Hours

_HOUR: Final = 3600.0
_FEWEST_HOURS: Final = 12
_FEWEST_PEOPLE: Final = 50
"""Who came in; of fewer the three may differ by chance."""
AGREE: Final = 5.0
"""Percent; hours are cut where visits are not."""


class Consistency(NamedTuple):
    """Over the hours in which somebody came in."""

    inside: float
    """People inside on average, as told."""
    expected: float
    """Likewise, as entrances and time inside make it."""
    hours: int

    @property
    def percent(self) -> float:
        """By how many percent `inside` is above what is expected."""
        return 100 * (self.inside - self.expected) / self.expected

    @property
    def agrees(self) -> bool:
        return abs(self.percent) <= AGREE


def consistency(hours: Hours, days: Sequence[CountDay]) -> Consistency | None:
    """None where too few hours have all three, or nobody stayed."""
    rows = np.array([row for day in days for row in range(day.first, day.after)], dtype=int)
    came, inside, spent = hours.came[rows], hours.inside[rows], hours.spent[rows]
    known = (came > 0) & ~np.isnan(inside) & ~np.isnan(spent)
    if known.sum() < _FEWEST_HOURS or came[known].sum() < _FEWEST_PEOPLE:
        return None
    counted = [hours.minutes[row].present / 60 if row in hours.minutes else 1.0 for row in rows[known]]
    weight = np.array(counted)
    told = float((inside[known] * weight).sum() / weight.sum())
    expected = float((came[known] * spent[known]).sum() / (_HOUR * weight.sum()))
    return Consistency(told, expected, int(known.sum())) if expected > 0 else None
