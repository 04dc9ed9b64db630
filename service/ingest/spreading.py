"""Where inside an interval its people crossed, when only their number was recorded.

Person k of n (k from 0) is taken to cross at second floor((k + 0.5) * length / n) of the interval: evenly
apart, half a step from both ends, the same on every run. The rule works in whole numbers, so that no
rounding of fractions can move a person over the edge of a minute.
"""

from __future__ import annotations


def crossing_seconds(people: int, interval_minutes: int) -> list[int]:
    """Seconds after the start of the interval at which `people` cross, ascending."""
    length = interval_minutes * 60
    return [(2 * person + 1) * length // (2 * people) for person in range(people)]


def people_by_minute(people: int, interval_minutes: int) -> list[int]:
    """People in each minute of the interval, zeros included; their sum is `people`."""
    if interval_minutes == 1:
        return [people]
    minutes = [0] * interval_minutes
    for second in crossing_seconds(people, interval_minutes):
        minutes[second // 60] += 1
    return minutes
