from __future__ import annotations

import random

import pytest

from analysis.reporting_rate import EACH_MINUTE, reporting_rate


def reports(every: int, hours: int = 24 * 28) -> list[float]:
    """How many of each hour's minutes a counter reports that does so every few minutes; hours without are
    none.
    """
    counts = [0] * hours
    for minute in range(0, 60 * hours, every):
        counts[minute // 60] += 1
    return [float(one) for one in counts if one]


@pytest.mark.parametrize("every", [2, 5, 7, 8, 13, 15, 16, 30, 45, 60])
def test_an_hour_of_a_regular_counter_is_whole_and_its_mean_is_the_interval(every: int) -> None:
    rate = reporting_rate(reports(every))
    assert {rate.of_an_hour(one) for one in reports(every)} == {60}
    assert rate.mean == pytest.approx(60 / every, rel=0.01)


def test_half_an_hour_that_is_not_reported_is_missing() -> None:
    assert reporting_rate([*reports(7), 4]).of_an_hour(4) == 30
    assert reporting_rate([*reports(30), 1]).of_an_hour(1) == 30, "always two: one is no turn of the interval"


def test_minutes_that_scatter_or_are_of_few_hours_are_no_interval() -> None:
    chance = random.Random(1)
    assert reporting_rate([float(chance.randint(1, 60)) for _ in range(600)]) is EACH_MINUTE
    assert reporting_rate([8, 8]) is reporting_rate([]) is EACH_MINUTE
    assert reporting_rate([60.0] * 400 + [20.0] * 100) is EACH_MINUTE, "an outage of some hours"


def test_as_many_hours_of_eight_as_of_nine_are_all_whole() -> None:
    assert {reporting_rate([8, 9, 8, 9]).of_an_hour(one) for one in (8, 9)} == {60}
