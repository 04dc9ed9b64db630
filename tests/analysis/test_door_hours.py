from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from analysis.bucket_table import Completeness
from analysis.door_hours import DoorHours, door_hours
from analysis.entrances import Place
from analysis.history_request import HistoryRequest
from analysis.time_range import TimeRange
from contract import Aggregation, MetricKey, MetricPoint

ZURICH = ZoneInfo("Europe/Zurich")
NORTH, SOUTH, EAST = (Place(name, "hall", name.lower()) for name in ("North", "South", "East"))
MONDAY = datetime(2026, 6, 1, tzinfo=ZURICH).astimezone(UTC)


def hour(start: datetime, came: int) -> MetricPoint:
    return MetricPoint(timestamp=start, metrics={MetricKey.ENTRANCES: came})


Points = Mapping[Place, Sequence[MetricPoint]]
NONE: Points = MappingProxyType({})


def found_of(counts: Points, averages: Points = NONE) -> DoorHours:
    day = timedelta(days=1)
    request = HistoryRequest(
        site_id="shop", subjects=(), metrics=(MetricKey.ENTRANCES,), timezone=ZURICH, asked_at=MONDAY,
        range=TimeRange(MONDAY - 400 * day, MONDAY + 30 * day),
    )  # fmt: skip
    sums = {(door, Aggregation.SUM): own for door, own in counts.items()}
    return door_hours(sums | {(door, Aggregation.AVERAGE): own for door, own in averages.items()}, request)


def at(clock: int, day: int = 0) -> datetime:
    return MONDAY + timedelta(days=day, hours=clock)


def test_the_share_of_a_door_is_that_of_all_who_came_in_at_that_hour_of_the_clock() -> None:
    found = found_of(
        {
            NORTH: [hour(at(8), 10), hour(at(9), 30), hour(at(8, 1), 20)],
            SOUTH: [hour(at(8), 40), hour(at(9), 10), hour(at(8, 1), 30)],
        },
    )
    assert found.doors == (SOUTH, NORTH), "80 against 60"
    assert (found.share(NORTH, 8), found.share(SOUTH, 8)) == (30, 70)
    assert (found.share(NORTH, 9), found.share(SOUTH, 9)) == (75, 25)
    assert found.share(NORTH, 10) is None
    assert found.everybody == 140


def test_an_hour_in_which_a_door_is_silent_is_left_out_and_told() -> None:
    found = found_of({NORTH: [hour(at(8), 10), hour(at(9), 30)], SOUTH: [hour(at(8), 10)]})
    assert found.hours == Completeness(1, 2)
    assert found.share(NORTH, 8) == 50
    assert found.share(NORTH, 9) is None, "not all of them: the southern door is silent"


def test_an_hour_in_which_a_door_counts_few_minutes_is_left_out_too() -> None:
    """South counts 5 of 60 minutes from 08:00 on, at the same rate as North."""
    found = found_of(
        {NORTH: [hour(at(8), 60), hour(at(9), 60)], SOUTH: [hour(at(8), 5), hour(at(9), 60)]},
        {NORTH: [hour(at(8), 1), hour(at(9), 1)], SOUTH: [hour(at(8), 1), hour(at(9), 1)]},
    )
    assert found.hours == Completeness(1, 2)
    assert found.everybody == 120


def test_the_part_hours_at_both_ends_of_whole_days_are_one() -> None:
    """As History says it: `All 24 hours have counts`."""
    part, doors = timedelta(minutes=35), (NORTH, SOUTH)
    request = HistoryRequest(
        site_id="shop", subjects=(), metrics=(MetricKey.ENTRANCES,), timezone=ZURICH, asked_at=MONDAY,
        range=TimeRange(at(4) + part, at(4, 1) + part),
    )  # fmt: skip
    counts = {(door, Aggregation.SUM): [hour(at(4 + clock), 10) for clock in range(25)] for door in doors}
    assert door_hours(counts, request).hours == Completeness(24, 24)
    counts[SOUTH, Aggregation.SUM] = counts[SOUTH, Aggregation.SUM][:-1]
    assert door_hours(counts, request).hours == Completeness(24, 25), "One part has no counts of the south."


def test_doors_of_which_no_hour_is_common_have_no_shares() -> None:
    found = found_of({NORTH: [hour(at(8), 10)], SOUTH: [hour(at(9), 10)]})
    assert found.hours == Completeness(0, 2)
    assert not found.came


def test_hours_on_end_that_a_door_leads_are_one_and_ties_and_empty_hours_belong_to_none() -> None:
    north = {8: 5, 9: 5, 10: 3, 11: 4, 12: 0, 13: 9}
    south = {8: 1, 9: 2, 10: 3, 11: 8, 12: 0, 13: 1}
    found = found_of(
        {
            NORTH: [hour(at(clock), came) for clock, came in north.items()],
            SOUTH: [hour(at(clock), came) for clock, came in south.items()],
        },
    )
    assert found.leads() == [(NORTH, 8, 10), (SOUTH, 11, 12), (NORTH, 13, 14)]


def test_hours_in_which_hardly_anybody_came_are_led_by_none() -> None:
    found = found_of({NORTH: [hour(at(3), 0), hour(at(8), 99)], SOUTH: [hour(at(3), 4), hour(at(8), 1)]})
    assert found.leads() == [(NORTH, 8, 9)]


def test_both_hours_that_the_clocks_repeat_are_of_that_hour_of_the_clock() -> None:
    first = datetime(2025, 10, 26, 0, tzinfo=UTC)
    found = found_of({NORTH: [hour(first, 3), hour(first + timedelta(hours=1), 4)]})
    assert found.came == {(NORTH, 2): 7}


@given(
    st.dictionaries(
        st.sampled_from([NORTH, SOUTH, EAST]),
        st.dictionaries(st.integers(0, 71), st.integers(0, 50), max_size=20),
        min_size=1,
    )
)
def test_the_parts_sum_to_the_whole_as_counted_by_hand(counts: dict[Place, dict[int, int]]) -> None:
    found = found_of(
        {door: [hour(at(clock), came) for clock, came in own.items()] for door, own in counts.items()}
    )
    common = [clock for clock in range(72) if all(clock in own for own in counts.values())]
    by_clock: dict[int, int] = defaultdict(int)
    for clock in common:
        by_clock[clock % 24] += sum(own[clock] for own in counts.values())
    assert found.everybody == sum(by_clock.values())
    assert found.hours.present == len(common)
    for clock, whole in by_clock.items():
        shares = [found.share(door, clock) for door in found.doors]
        if whole:
            assert abs(sum(share or 0 for share in shares) - 100) < 1e-9
        else:
            assert shares == [None] * len(shares)
