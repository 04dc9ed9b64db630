"""Allocation of an interval's count to its minutes, when only the sum was recorded. Deterministic.

Person k of n (k from 0) is taken to cross at second floor((k + 0.5) * length / n) of the interval: evenly
apart, half a step from both ends, the same on every run. The rule works in whole numbers, so that no
rounding of fractions can move a person over the edge of a minute.
"""

from __future__ import annotations

import numpy as np

from service.store.protocol import Numbers


def crossing_seconds(people: int, interval_minutes: int) -> list[int]:
    """Seconds after the start of the interval at which `people` cross, ascending."""
    length = interval_minutes * 60
    return [(2 * person + 1) * length // (2 * people) for person in range(people)]


def people_by_minutes(people: Numbers, interval_minutes: int) -> Numbers:
    """A row for each of many intervals, a column for each minute, zeros included; a row's sum is `people`."""
    edges = np.arange(interval_minutes + 1)
    # How many cross before each minute begins: `crossing_seconds` turned round.
    crossed = (2 * people[:, np.newaxis] * edges + interval_minutes - 1) // (2 * interval_minutes)
    return np.diff(crossed, axis=1)
