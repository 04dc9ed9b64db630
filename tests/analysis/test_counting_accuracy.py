from __future__ import annotations

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.counting_accuracy import Accuracy, wilson


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        (8, 10, 0.490, 0.943),
        (81, 263, 0.2553, 0.3662),  # Newcombe 1998, table I
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_a_share_has_the_interval_that_is_published(
    successes: int, trials: int, low: float, high: float
) -> None:
    assert wilson(successes, trials) == pytest.approx((low, high), abs=0.0006)


def test_a_counter_that_misses_has_a_share_and_its_range() -> None:
    own = Accuracy(42, 40)
    assert own.ratio == pytest.approx(40 / 42)
    assert own.range == pytest.approx((0.842, 0.987), abs=0.0005)
    assert own.is_told


def test_a_counter_that_tells_too_many_has_the_same_turned_round() -> None:
    """Of 44 counts 40 were people: 78.84 % to 96.41 %."""
    own = Accuracy(40, 44)
    assert own.ratio == pytest.approx(1.1)
    assert own.range == pytest.approx((1 / 0.9641, 1 / 0.7884), abs=0.0005)


def test_where_nobody_passed_there_is_no_accuracy() -> None:
    assert Accuracy(0, 3).ratio is None
    assert Accuracy(0, 3).range is None
    assert not Accuracy(0, 3).is_told


def test_of_too_few_it_is_said_how_many_more_must_pass() -> None:
    """All of n seen: the range is z² / (n + z²) + z² / n wide, which is a fifth from 36.6 on."""
    assert Accuracy(0, 0).more_people == 37
    assert Accuracy(9, 9).more_people == 28
    assert Accuracy(37, 37).is_told
    assert not Accuracy(36, 36).is_told
    assert Accuracy(42, 40).more_people == 0


@given(st.integers(1, 200), st.integers(0, 400))
def test_a_range_holds_its_ratio_and_more_people_make_it_narrow_enough(hand: int, counted: int) -> None:
    own = Accuracy(hand, counted)
    assert own.range is not None
    assert own.ratio is not None
    assert own.range[0] - 1e-9 <= own.ratio <= own.range[1] + 1e-9
    more = own.more_people
    assert (more == 0) == own.is_told
    assert Accuracy(hand + more, (hand + more) * own.ratio).is_told


def test_of_counters_that_miss_ninety_five_of_a_hundred_ranges_hold_what_they_miss() -> None:
    """Worked out, not drawn: all outcomes of n people by their probability, on average over all shares."""
    for people in (15, 42, 100):
        ranges = [wilson(seen, people) for seen in range(people + 1)]
        held = []
        for tenth in range(500, 1000):
            share = tenth / 1000
            held.append(
                sum(
                    comb(people, seen) * share**seen * (1 - share) ** (people - seen)
                    for seen, (low, high) in enumerate(ranges)
                    if low <= share <= high
                )
            )
        assert 0.94 < sum(held) / len(held) < 0.965, people
        assert min(held[:450]) > 0.9, people


@pytest.mark.parametrize("people", [15, 40, 80, 100])
def test_of_counters_that_tell_too_many_at_least_as_many_do(people: int) -> None:
    """Likewise; each who passes is counted twice with a probability of one to thirty in a hundred."""
    ranges = [Accuracy(people, people + twice).range or (0, 0) for twice in range(people + 1)]
    held = []
    for thousandth in range(10, 301):
        extra = thousandth / 1000
        held.append(
            sum(
                comb(people, twice) * extra**twice * (1 - extra) ** (people - twice)
                for twice, (low, high) in enumerate(ranges)
                if low <= 1 + extra <= high
            )
        )
    assert sum(held) / len(held) > 0.97
    assert min(held) > 0.84


def test_of_as_many_as_passed_some_may_be_missed_and_some_be_counted_twice() -> None:
    """Wilson's lower end for 40 of 40 is 40 / (40 + 1.96²) = 0.9124."""
    assert Accuracy(40, 40).range == pytest.approx((0.9124, 1 / 0.9124), abs=0.0001)
