from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import comb
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.door_blame import Way
from analysis.door_check import (
    MOST_MINUTES,
    PATIENCE,
    Accuracy,
    DoorCheck,
    HandError,
    HandMinutes,
    check_query,
    door_check,
    hand_count,
    hand_minutes,
    newest_first,
    wilson,
)
from contract import MetricKey, MetricPoint

TWO = datetime(2026, 11, 12, 14, 0, tzinfo=UTC)
AHEAD = -3_600_000.0
"""The phone's clock is an hour fast: the service's is ahead of it by so many milliseconds."""
WAY = Way("entrance", "Entrance", "hall", None)


def by_phone(seconds: float) -> float:
    """So long after two o'clock, as the phone tells it."""
    return 1000 * (TWO.timestamp() + seconds) - AHEAD


def handed(
    taps: list[tuple[float, int]], *, began: float = 0, ended: float = 120, slow: float = 0
) -> dict[str, object]:
    return {
        "id": "abcd-1234",
        "site": "shop",
        "door": "entrance",
        "began": by_phone(began),
        "ended": by_phone(ended),
        "sent": by_phone(ended),
        "ahead": AHEAD - 1000 * slow,
        "taps": [[by_phone(at), way] for at, way in taps],
    }


def minutes(taps: list[tuple[float, int]], *, late: float = 0, **when: float) -> HandMinutes:
    given_ = handed(taps, **when)
    received = TWO + timedelta(seconds=when.get("ended", 120) + late)
    return hand_minutes(hand_count(given_), received)


def check(hand: list[tuple[int, int]], counted: list[tuple[int, int] | None]) -> DoorCheck:
    return DoorCheck(
        passage_id="entrance",
        start=TWO,
        stood=timedelta(minutes=len(hand) + 1),
        hand=tuple(hand),
        counted=tuple(counted),
    )


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
    """All of n seen: the range is z² / (n + z²) wide, which is a fifth from 15.4 on."""
    assert Accuracy(0, 0).more_people == 16
    assert Accuracy(9, 9).more_people == 7
    assert Accuracy(16, 16).is_told
    assert not Accuracy(15, 15).is_told
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


@pytest.mark.parametrize("extra", [0.05, 0.1, 0.3])
def test_of_counters_that_tell_too_many_at_least_as_many_do(extra: float) -> None:
    """Each who passes is counted twice with a probability of `extra`."""
    random, rounds, people = Random(8), 3000, 80
    held = 0
    for _ in range(rounds):
        counted = people + sum(random.random() < extra for _ in range(people))
        low, high = Accuracy(people, counted).range or (0, 0)
        held += low <= 1 + extra <= high
    assert held / rounds > 0.93


def test_taps_are_told_by_the_minutes_of_the_service_however_wrong_the_phone_is() -> None:
    found = minutes([(0.2, 1), (59.9, 1), (60.1, -1), (119, 1)])
    assert found.start == TWO
    assert found.people == ((2, 0), (1, 1))
    assert (found.left_out, found.stood) == (0, timedelta(minutes=2))


def test_only_whole_minutes_count_and_what_is_left_out_is_known() -> None:
    found = minutes([(25, 1), (59, 1), (70, 1), (130, -1), (185, -1)], began=20, ended=190)
    assert found.start == TWO + timedelta(minutes=1)
    assert found.people == ((1, 0), (0, 1))
    assert (found.left_out, found.stood) == (3, timedelta(seconds=170))


def test_who_stood_there_for_no_whole_minute_is_told_to_stay() -> None:
    with pytest.raises(HandError, match="no whole minute of the clock"):
        minutes([(30, 1)], began=5, ended=115)


def test_a_slow_way_there_and_back_is_halved_and_said() -> None:
    """Told 4 s late, and handed over 4 s late: the clocks are known to 4 s, and no tap is moved."""
    found = minutes([(59.9, 1), (60.1, 1)], slow=4, late=4)
    assert found.people == ((1, 0), (1, 0))
    assert found.doubt == timedelta(seconds=4)


def test_a_clock_that_was_set_meanwhile_is_noticed() -> None:
    with pytest.raises(HandError, match="was changed by about 30 s while you counted"):
        minutes([(30, 1)], late=-30)


def test_a_count_without_end_is_cut() -> None:
    found = minutes([(30, 1), (60 * MOST_MINUTES + 30, 1)], ended=60.0 * (MOST_MINUTES + 50))
    assert len(found.people) == MOST_MINUTES
    assert found.left_out == 1


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        "x",
        {},
        handed([]) | {"id": "../../x y"},
        handed([]) | {"taps": [[1.0, 2]]},
        handed([]) | {"taps": [["soon", 1]]},
        handed([]) | {"began": float("nan")},
        handed([]) | {"ended": 1e300},
        handed([]) | {"more": 1},
        handed([]) | {"taps": [[1.0, 1]] * 20_001},
    ],
)
def test_what_is_no_count_is_refused_and_stays_on_the_phone(wrong: object) -> None:
    with pytest.raises(HandError, match="still on the phone"):
        hand_count(wrong)


def test_a_count_that_ends_before_it_began_has_no_minute() -> None:
    with pytest.raises(HandError, match="no whole minute"):
        minutes([], began=300, ended=10)


def test_the_query_names_passage_and_zone_and_ends_with_the_last_minute() -> None:
    query = check_query("shop", WAY, minutes([]))
    assert (query.from_, query.to) == ("2026-11-12T14:00:00", "2026-11-12T14:02:00")
    assert query.timezone == "Etc/UTC"
    assert query.filter is not None
    assert query.filter.zone_ids == ("hall",)
    assert query.filter.passage_ids == ("entrance",)


def point(minute: int, came: int | None, went: int | None) -> MetricPoint:
    told = {MetricKey.ENTRANCES: came, MetricKey.EXITS: went}
    return MetricPoint(
        timestamp=TWO + timedelta(minutes=minute),
        metrics={key: value for key, value in told.items() if value is not None},
    )


def test_a_minute_that_is_not_told_is_left_out_on_both_sides_and_is_no_zero() -> None:
    hand = HandMinutes(TWO, ((3, 1), (9, 9), (2, 2), (5, 5)), timedelta(minutes=4), 0, timedelta())
    found = door_check(WAY, hand, [point(0, 3, 1), point(2, 2, 0), point(3, 4, None)])
    assert list(found.counted) == [(3, 1), None, (2, 0), None]
    assert (found.came, found.went) == (Accuracy(5, 5), Accuracy(3, 1))
    assert found.missing == 2


def test_late_minutes_are_waited_for_and_then_missing() -> None:
    one = check([(1, 1), (1, 1)], [(1, 1), None])
    end = TWO + timedelta(minutes=2)
    assert one.look_again(end + timedelta(seconds=10)) == end + timedelta(minutes=1)
    assert one.look_again(end + timedelta(seconds=70)) == end + PATIENCE
    assert one.look_again(end + PATIENCE) is None
    assert check([(1, 1)], [(1, 1)]).look_again(end) is None


def test_of_a_counter_that_tells_several_minutes_at_once_nothing_is_said() -> None:
    one = check([(2, 2)] * 11, [(10, 9) if minute % 5 == 0 else None for minute in range(11)])
    assert one.pace == 5
    assert one.told == []
    assert not one.is_exchanged


def test_exchanged_ways_are_noticed() -> None:
    """40 in and 5 out by hand, 5 in and 41 out by the counter."""
    hand = [(4, 0), (4, 1)] * 5
    counted: list[tuple[int, int] | None] = [(0, 4), (1, 4)] * 5
    counted[0] = (0, 5)
    one = check(hand, counted)
    assert (one.came.hand, one.went.hand, one.came.counted, one.went.counted) == (40, 5, 5, 41)
    assert one.is_exchanged
    assert one.turned == (Accuracy(40, 41), Accuracy(5, 5))


def test_exchanged_ways_are_noticed_where_as_many_come_as_go_but_at_other_times() -> None:
    hand = [(6, 0)] * 4 + [(0, 6)] * 4
    assert check(hand, [(went, came) for came, went in hand]).is_exchanged


@pytest.mark.parametrize(
    ("hand", "counted"),
    [
        ([(4, 0)] * 10, [(4, 0)] * 10),
        ([(4, 4)] * 10, [(4, 4)] * 10),  # it cannot be told
        ([(1, 0)], [(0, 1)]),  # too few
        ([(4, 0)] * 10, [(0, 0)] * 10),  # it counts nobody
        ([(4, 1)] * 10, [(8, 2)] * 10),  # it counts everybody twice
        ([(5, 0)] * 4, [None] * 4),
    ],
)
def test_other_errors_are_no_exchange(
    hand: list[tuple[int, int]], counted: list[tuple[int, int] | None]
) -> None:
    assert not check(hand, counted).is_exchanged


def test_a_counter_with_usual_errors_is_never_called_exchanged() -> None:
    random = Random(5)
    for _ in range(2000):
        hand = [(random.randrange(6), random.randrange(6)) for _ in range(10)]
        seen = [
            tuple(sum(random.random() < 0.85 for _ in range(people)) for people in minute) for minute in hand
        ]
        assert not check(hand, [(came, went) for came, went in seen]).is_exchanged


def test_a_check_outlives_being_written_and_the_newest_of_a_door_comes_first() -> None:
    first = check([(1, 2)], [(1, 2)])
    later = first.model_copy(update={"start": TWO + timedelta(days=1), "counted": (None,)})
    other = first.model_copy(update={"passage_id": "terrace"})
    assert DoorCheck.model_validate_json(later.model_dump_json()) == later
    assert list(newest_first({"a": first, "b": later, "c": other}, "entrance")) == ["b", "a"]


def test_a_check_of_unlike_minutes_is_damaged() -> None:
    with pytest.raises(ValueError, match="of the same minutes"):
        check([(1, 1)], [])
