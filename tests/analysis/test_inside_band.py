from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.bucket_table import Completeness
from analysis.count_days import Hours
from analysis.error_part import ErrorPart
from analysis.inside_band import error_part, sure_hours
from analysis.residue import DayBalance, disagreement

ALL = Completeness(1440, 1440)


def day(residue: float, *, came: float = 1000, people: float = 0, is_whole: bool = True) -> DayBalance:
    return DayBalance(date(2026, 6, 1), came, came - residue, people, 200, ALL, is_whole)


def hours(came: list[float], inside: list[float]) -> Hours:
    none = np.full(len(came), np.nan)
    return Hours(np.array(came), np.array(came), np.array(inside), none, {})


def test_the_error_is_told_for_each_who_came_in() -> None:
    found = error_part([day(residue) for residue in (-5, 10, 0, 3, -2)])
    assert found == ErrorPart(-0.005, 0.01, 5, 5, 1000)


def test_it_is_known_whether_the_number_was_right_on_all_days_or_on_most() -> None:
    right = error_part([day(0)] * 24)
    assert right == ErrorPart(0, 0, 24, 22, 1000, were_right=True)
    assert error_part([day(0)] * 23 + [day(3)]) == ErrorPart(0, 0, 24, 22, 1000, were_right=False)


def test_of_many_days_the_outermost_tenths_are_left_out() -> None:
    """Of 19 days the second smallest and the second largest bound 16 of 20, the next one counted."""
    found = error_part([day(residue) for residue in range(-9, 10)])
    assert found == ErrorPart(-0.008, 0.008, 19, 17, 1000)


@pytest.mark.parametrize(
    "days",
    [
        [day(1)] * 4,
        [day(1)] * 4 + [day(1, is_whole=False)],
        [day(1)] * 4 + [day(0, came=0)],
        [day(100, people=100)] * 3 + [day(1)] * 2,
    ],
    ids=["four days", "not whole", "nobody came", "mostly spoilt"],
)
def test_nothing_is_told_of_few_days_or_a_number_that_means_nothing(days: list[DayBalance]) -> None:
    assert error_part(days) is None


def test_the_band_widens_with_each_who_comes_in_and_never_goes_below_nobody() -> None:
    starts = [datetime(2026, 6, 2, hour, tzinfo=UTC) for hour in range(8, 12)]
    part = ErrorPart(-0.01, 0.02, 20, 18, 800)
    found = sure_hours(part, starts, hours([100, 200, 700, 0], [50, 120, 300, 2]), 0)
    assert [(round(one.low, 6), round(one.high, 6)) for one in found] == [
        (48, 51),
        (114, 123),
        (280, 310),
        (0, 12),
    ]


def test_the_band_ends_with_the_first_hour_that_is_not_counted() -> None:
    starts = [datetime(2026, 6, 2, 8, tzinfo=UTC) + timedelta(hours=n) for n in range(4)]
    found = sure_hours(
        ErrorPart(0, 0, 9, 9, 18), starts, hours([9, 9, float("nan"), 9], [1, 2, float("nan"), 4]), 1
    )
    assert [one.inside for one in found] == [2]


def test_a_day_of_few_tells_nothing_of_a_day_of_many() -> None:
    sunday = day(3, came=10)
    assert error_part([sunday, sunday, *(day(residue) for residue in (-5, 10, 0, 3, -2))]) == ErrorPart(
        -0.005, 0.01, 5, 5, 1000, left_out=2
    )


def test_whole_days_are_either_told_of_or_left_out_and_a_day_not_counted_whole_is_neither() -> None:
    """So that both together are the days of which Trust says whether they add up."""
    days = [day(0)] * 24 + [day(0, came=0)] * 3 + [day(0, came=499)] + [day(0, is_whole=False)] * 2
    found = error_part(days)
    assert found is not None
    assert (found.days, found.left_out) == (24, 4)
    assert found.days + found.left_out == disagreement(days).days


@given(st.lists(st.integers(-50, 50), min_size=10, max_size=40))
def test_eight_of_ten_days_lie_within_what_the_others_tell(residues: list[int]) -> None:
    """Each day held against all others: that is what split conformal promises."""
    within = 0
    for index, residue in enumerate(residues):
        part = error_part([day(one) for one in residues[:index] + residues[index + 1 :]])
        assert part is not None
        within += part.low <= residue / 1000 <= part.high
    assert within >= 0.8 * len(residues) - 1e-9
