from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from service.ingest.allocation import crossing_seconds, people_by_minutes


def people_by_minute(people: int, interval: int) -> list[int]:
    [minutes] = people_by_minutes(np.array([people]), interval).tolist()
    return [int(minute) for minute in minutes]


def test_one_person_crosses_in_the_middle_of_the_interval() -> None:
    assert crossing_seconds(1, 5) == [150]


def test_three_people_cross_half_a_step_from_both_ends() -> None:
    assert crossing_seconds(3, 1) == [10, 30, 50]


def test_nobody_leaves_every_minute_counted_and_zero() -> None:
    assert people_by_minute(0, 5) == [0, 0, 0, 0, 0]


def test_two_people_in_five_minutes_cross_in_the_second_and_the_fourth() -> None:
    assert people_by_minute(2, 5) == [0, 1, 0, 1, 0]


@given(people=st.integers(0, 2_000), interval=st.integers(1, 60))
def test_nobody_is_lost_and_minutes_differ_by_one_at_most(people: int, interval: int) -> None:
    minutes = people_by_minute(people, interval)
    assert len(minutes) == interval
    assert sum(minutes) == people
    assert max(minutes) - min(minutes) <= 1


@given(people=st.integers(1, 2_000), interval=st.integers(1, 60))
def test_crossings_ascend_within_the_interval(people: int, interval: int) -> None:
    seconds = crossing_seconds(people, interval)
    assert all(earlier <= later for earlier, later in pairwise(seconds))
    assert seconds[0] >= 0
    assert seconds[-1] < interval * 60


@given(people=st.integers(0, 2_000), interval=st.integers(1, 60))
def test_minutes_hold_those_who_cross_in_them(people: int, interval: int) -> None:
    seconds = crossing_seconds(people, interval)
    crossed = [sum(second // 60 == minute for second in seconds) for minute in range(interval)]
    assert people_by_minute(people, interval) == crossed


@given(people=st.lists(st.integers(0, 1_000_000), max_size=5), interval=st.integers(1, 1440))
def test_many_intervals_are_spread_as_one_by_one(people: list[int], interval: int) -> None:
    spread = people_by_minutes(np.array(people, dtype=np.int64), interval)
    assert spread.tolist() == [by_the_edges_of_minutes(number, interval) for number in people]


def by_the_edges_of_minutes(people: int, interval: int) -> list[int]:
    """Person k crosses before a minute when k + 0.5 of `people` is less than that part of the interval."""
    before = [(2 * people * minute + interval - 1) // (2 * interval) for minute in range(interval + 1)]
    return [after - begun for begun, after in pairwise(before)]
