"""Allocation of an interval's count to its minutes, when only the sum was recorded. Deterministic.

Person k of n (k from 0) is taken to cross at second floor((k + 0.5) * length / n) of the interval: evenly
apart, half a step from both ends, the same on every run. The rule works in whole numbers, so that no
rounding of fractions can move a person over the edge of a minute.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TypeVar

import numpy as np

from service.store.protocol import Numbers

Count = TypeVar("Count", int, Numbers)


def crossing_seconds(people: int, interval_minutes: int) -> list[int]:
    """Seconds after the start of the interval at which `people` cross, ascending."""
    length = interval_minutes * 60
    return [(2 * person + 1) * length // (2 * people) for person in range(people)]


def people_by_minute(people: int, interval_minutes: int) -> list[int]:
    """People in each minute of the interval, zeros included; their sum is `people`."""
    crossed = (_crossed(people, minute, interval_minutes) for minute in range(interval_minutes + 1))
    return [after - before for before, after in pairwise(crossed)]


def people_by_minutes(people: Numbers, interval_minutes: int) -> Numbers:
    """`people_by_minute` of many intervals: a row for each, a column for each minute."""
    edges = np.arange(interval_minutes + 1)
    return np.diff(_crossed(people[:, np.newaxis], edges, interval_minutes), axis=1)


def _crossed(people: Count, minute: Count, interval_minutes: int) -> Count:
    """How many of `people` cross before `minute` of the interval begins: `crossing_seconds` turned round."""
    return (2 * people * minute + interval_minutes - 1) // (2 * interval_minutes)
