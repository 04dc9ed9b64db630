from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from math import floor

from hypothesis import assume, given
from hypothesis import strategies as st

from analysis.rounded_averages import minutes_of, seen_and_unseen

START = datetime(2026, 6, 2, tzinfo=UTC)
HELD = 60.0
Hours = list[tuple[int, int]]
"""Counted minutes, and the sum of people inside over them."""

counted_hours = st.lists(
    st.integers(1, 60).flatmap(lambda minutes: st.tuples(st.just(minutes), st.integers(1, minutes * 80))),
    min_size=3,
    max_size=12,
)


def rounded(value: Fraction, decimals: int) -> float:
    """Half up, as most services do."""
    return float(floor(value * 10**decimals + Fraction(1, 2)) / 10**decimals)


def answers(hours: Hours, decimals: int) -> tuple[Mapping[datetime, int], Mapping[datetime, float]]:
    starts = [START + timedelta(hours=number) for number in range(len(hours))]
    sums = {start: total for start, (_, total) in zip(starts, hours, strict=True)}
    means = (rounded(Fraction(total, minutes), decimals) for minutes, total in hours)
    return sums, dict(zip(starts, means, strict=True))


def both(hours: Hours, decimals: int) -> tuple[list[float | None], list[float]]:
    sums, averages = answers(hours, decimals)
    seen, unseen = seen_and_unseen(sums, averages, lambda _: HELD)
    return [seen.get(start) for start in sums], [unseen.get(start, 0) for start in sums]


def test_of_averages_in_whole_people_it_is_told_how_many_minutes_may_be_missing() -> None:
    """2,400 people in 52 minutes are 46.2, told as 46; in 60 they would be 40."""
    seen, unseen = both([(60, 2410), (52, 2400), (60, 40)], 0)
    assert seen == [60, 52, 60]
    assert unseen == [0, 0, 33], "40 people may have been in 27 minutes, or in 60"


def test_an_hour_with_so_few_that_its_average_is_nobody_may_lack_nearly_all() -> None:
    seen, unseen = both([(60, 2410), (60, 20)], 0)
    assert seen == [60, None]
    assert unseen == [0, 20]


def test_averages_that_divide_their_sums_are_rounded_where_the_hour_has_not_so_many_minutes() -> None:
    """62 people a minute each are of 62 minutes, which no hour has: so any of the others may be rounded."""
    for first in (62, 89):
        seen, unseen = both([(60, first), (40, 40), (21, 30)], 0)
        assert seen == [60, 60, 60]
        assert unseen[1:] == [33, 40]


def test_of_averages_in_tenths_no_more_is_unknown_since_that_of_an_hour_is_nobody() -> None:
    _, unseen = both([(60, 66), (60, 1)], 1)
    assert unseen == [2, 40], "66 people in 58 minutes are 1.14, and in 57 they would be told as 1.2"


def test_what_is_cut_off_is_told_from_what_is_rounded() -> None:
    """119 in 60 minutes are nearly 2, told as 1; so may be 58 in 30."""
    sums = {START: 119, START + timedelta(hours=1): 58}
    seen, unseen = seen_and_unseen(sums, dict.fromkeys(sums, 1.0), lambda _: HELD)
    assert list(seen.values())[1] - list(unseen.values())[-1] <= 30


def test_exact_averages_leave_nothing_unseen() -> None:
    assert both([(60, 2410), (47, 46), (1, 1)], 9) == ([60, 47, 1], [0, 0, 0])


def test_of_a_service_that_answers_both_questions_alike_all_minutes_but_one_may_be_missing() -> None:
    sums = {START: 40, START + timedelta(hours=1): 50}
    assert seen_and_unseen(sums, sums, lambda _: HELD) == ({}, dict.fromkeys(sums, 59))


@given(hours=counted_hours, decimals=st.integers(1, 3))
def test_so_many_minutes_as_are_counted_are_within_what_is_told(hours: Hours, decimals: int) -> None:
    """Whatever is missing shows, or is said to be able to be missing."""
    sums, averages = answers(hours, decimals)
    assume(
        any(
            total / one % 1 > 1e-3 for total, one in zip(sums.values(), averages.values(), strict=True) if one
        )
    )
    seen, unseen = both(hours, decimals)
    for (minutes, _), told, more in zip(hours, seen, unseen, strict=True):
        if told is not None:
            assert told - more <= minutes + 1
    assert minutes_of(sums, averages, lambda _: HELD).keys() <= sums.keys()
