from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import ValidationError

from analysis.counting_accuracy import Accuracy
from analysis.door_blame import Way
from analysis.door_check import (
    MOST_MINUTES,
    PATIENCE,
    DoorCheck,
    HandError,
    HandMinutes,
    check_query,
    door_check,
    hand_count,
    hand_minutes,
    handed_id,
    newest_first,
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


def test_a_clock_that_was_set_back_after_the_count_is_noticed() -> None:
    count = hand_count(handed([(30, 1)], ended=300) | {"sent": by_phone(240)})
    with pytest.raises(HandError, match="was changed by about 60 s while you counted"):
        hand_minutes(count, TWO + timedelta(minutes=4))


@pytest.mark.parametrize(
    "told",
    [
        {"sent": by_phone(600)},  # as of a clock that was set back, or a way of ten minutes
        {"sent": 2.0},
        {"ahead": -9e12},
        {"sent": by_phone(1169)},
    ],
)
def test_a_clock_that_is_hardly_known_compares_nothing(told: dict[str, float]) -> None:
    count = hand_count(handed([]) | {"began": 0.5, "ended": 1.0, "sent": by_phone(1200)} | told)
    with pytest.raises(HandError, match="compare again"):
        hand_minutes(count, TWO + timedelta(seconds=1200))


def test_a_clock_that_is_known_to_a_quarter_of_a_minute_compares() -> None:
    assert minutes([(30, 1)], late=30).doubt == timedelta(seconds=15)


@given(
    st.lists(st.floats(1, 9.9e12), min_size=3, max_size=3).map(sorted),
    st.floats(-9.9e12, 9.9e12),
    st.sampled_from([TWO, datetime(1971, 1, 1, tzinfo=UTC), datetime(2199, 12, 31, tzinfo=UTC)]),
)
def test_whatever_a_phone_tells_its_minutes_are_past_and_can_be_kept(
    times: list[float], ahead: float, received: datetime
) -> None:
    began, ended, sent = times
    count = hand_count(handed([]) | {"began": began, "ended": ended, "sent": sent, "ahead": ahead})
    near = count.model_copy(update={"ahead": 1000 * received.timestamp() - sent - 3})
    for one in (count, near):
        try:
            found = hand_minutes(one, received)
        except HandError:
            continue
        kept = door_check(WAY, found, [])
        assert kept.end <= received + timedelta(seconds=20)
        assert kept.doubt <= timedelta(seconds=15)
        assert DoorCheck.model_validate_json(kept.model_dump_json()) == kept


def test_what_cannot_be_read_is_named_by_its_id_if_that_is_one() -> None:
    assert handed_id(handed([]) | {"taps": [[1.0, 1]] * 20_001}) == "abcd-1234"
    for wrong in (None, "abcd-1234", {}, {"id": 7}, {"id": "../x y z"}, {"id": "abcd-1234\n"}, {"id": ["a"]}):
        assert handed_id(wrong) == ""


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
def test_what_is_no_count_is_refused_and_stays_in_the_browser(wrong: object) -> None:
    with pytest.raises(HandError, match="still in the browser"):
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


@pytest.mark.parametrize(
    "damage",
    [
        {"counted": [[1e308, 1]]},
        {"counted": [[-1, 1]]},
        {"hand": [[-5, 1]]},
        {"hand": [[10**300, 1]]},
        {"start": "9999-12-31T23:59:00Z"},
        {"start": "0001-01-01T00:00:00+14:00"},
        {"left_out": 10**400},
        {"doubt": "-P1D"},
        {"stood": "-P1D"},
    ],
)
def test_what_no_check_can_hold_is_damaged(damage: dict[str, object]) -> None:
    whole = check([(1, 2)], [(1, 2)]).model_dump(mode="json")
    assert DoorCheck.model_validate_json(json.dumps(whole))
    with pytest.raises(ValidationError):
        DoorCheck.model_validate_json(json.dumps(whole | damage))


@given(st.integers(0, 20_000), st.floats(0, 1e9))
@example(20_000, 1e9)
@example(1, 1e9)
@example(1, 5e-324)
def test_as_much_as_a_check_can_hold_has_a_range(hand: int, counted: float) -> None:
    one = check([(hand, 0)], [(0, 0)]).model_copy(update={"counted": ((counted, 0.0),)})
    assert (one.came.range is None) == (hand == 0)
    assert one.came.more_people >= 0
