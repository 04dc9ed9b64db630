from __future__ import annotations

from datetime import date, datetime, timedelta
from itertools import accumulate
from zoneinfo import ZoneInfo

import pytest

from contract.minutes import minute_number
from service.demo_data import SDU_ROOMS
from service.replay.rooms_replay import RoomDay, RoomsReplay, day_for, door_id, read_room_days
from tests.played_counts import played_counts

ODENSE = ZoneInfo("Europe/Copenhagen")


@pytest.fixture(scope="module")
def days() -> list[RoomDay]:
    return read_room_days(SDU_ROOMS)


@pytest.fixture(scope="module")
def replay(days: list[RoomDay]) -> RoomsReplay:
    return RoomsReplay(days, "demo")


def midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=ODENSE)


def fed(replay: RoomsReplay, day: date, room: str) -> list[int]:
    counts = played_counts(
        replay, minute_number(midnight(day)), minute_number(midnight(day + timedelta(days=1)))
    )
    return [count.forward - count.backward for count in counts if count.passage_id == door_id(room)]


def test_fifteen_whole_days_of_four_rooms_are_read(days: list[RoomDay]) -> None:
    assert sorted(day.day_id for day in days) == list(range(15))
    assert {len(levels) for day in days for levels in day.levels.values()} == {1440}
    person_minutes = {room: sum(sum(day.levels[room]) for day in days) for room in days[0].levels}
    assert person_minutes == {"Room 1": 159_363, "Room 2": 57_632, "Room 3": 57_717, "Room 4": 68_082}


def test_the_levels_of_a_day_are_the_running_sum_of_what_is_fed(
    replay: RoomsReplay, days: list[RoomDay]
) -> None:
    for day in (date(2026, 11, 2) + timedelta(days=offset) for offset in range(21)):
        recorded = day_for(day, days)
        assert recorded.weekday == day.weekday()
        for room, levels in recorded.levels.items():
            assert tuple(accumulate(fed(replay, day, room))) == levels


def test_the_days_of_a_weekday_take_turns(days: list[RoomDay]) -> None:
    wednesdays = [day_for(date(2026, 11, 4) + timedelta(weeks=week), days).day_id for week in range(6)]
    assert sorted(wednesdays[:3]) == [4, 6, 11]
    assert wednesdays[:3] == wednesdays[3:]


def test_a_day_that_starts_with_someone_inside_feeds_them_as_a_rise(
    replay: RoomsReplay, days: list[RoomDay]
) -> None:
    saturday = next(
        day
        for day in (date(2026, 11, 7) + timedelta(weeks=week) for week in range(2))
        if day_for(day, days).day_id == 0
    )
    assert fed(replay, saturday, "Room 3")[0] == 1


@pytest.mark.parametrize(("day", "hours"), [(date(2026, 3, 29), 23), (date(2026, 10, 25), 25)])
def test_when_the_clocks_change_the_level_follows_the_wall_clock(
    replay: RoomsReplay, days: list[RoomDay], day: date, hours: int
) -> None:
    levels = day_for(day, days).levels["Room 1"]
    inside = list(accumulate(fed(replay, day, "Room 1")))
    start = midnight(day).timestamp()
    walls = [datetime.fromtimestamp(start + 60 * minute, ODENSE) for minute in range(hours * 60)]
    assert inside == [levels[wall.hour * 60 + wall.minute] for wall in walls]


def test_second_by_second_the_running_minute_grows_to_the_whole_minute(replay: RoomsReplay) -> None:
    start = midnight(date(2026, 11, 17)) + timedelta(hours=8, minutes=10)
    busy = next(
        start + timedelta(minutes=minute)
        for minute in range(600)
        if any(
            count.forward > 2
            for count in played_counts(
                replay, minute_number(start) + minute, minute_number(start) + minute + 1
            )
        )
    )
    whole = played_counts(replay, minute_number(busy), minute_number(busy) + 1)
    assert list(replay.so_far(busy + timedelta(seconds=59))) == whole
    begun = sum(count.forward for count in replay.so_far(busy))
    assert begun < sum(count.forward for count in whole)


def test_the_credit_is_given_in_the_category(replay: RoomsReplay) -> None:
    category = replay.record.site.category or ""
    assert category.startswith("Replay of a recording: ")
    for credit in ("CC BY 4.0", "Arendt et al.", "10.1145/3277868.3277875"):
        assert credit in category


def test_the_rooms_have_their_true_capacities_and_areas(replay: RoomsReplay) -> None:
    facts = {zone.name: (zone.capacity, zone.area) for zone in replay.record.site.zones}
    assert facts == {
        "All four rooms": (232, 528),
        "Room 1": (84, 139),
        "Room 2": (32, 125),
        "Room 3": (32, 125),
        "Room 4": (84, 139),
    }
