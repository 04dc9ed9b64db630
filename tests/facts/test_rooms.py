"""What is known about the rooms' recording: the true level of every minute comes back."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from analysis.subject import zone_subjects
from contract import Aggregation, Granularity, MetricKey
from service.replay.rooms_replay import RoomDay, day_for, zone_id
from tests.facts.recordings import FIRST_ROOM_DAY, LAST_ROOM_DAY, ODENSE, Recordings, midnight

DAYS = [FIRST_ROOM_DAY + timedelta(days=offset) for offset in range(21)]
ROOMS = ("Room 1", "Room 2", "Room 3", "Room 4")
LEVEL = (MetricKey.VISITORS_INSIDE,)


def played(recordings: Recordings) -> list[RoomDay]:
    return [day_for(day, recordings.room_days) for day in DAYS]


def by_day(
    recordings: Recordings, metric: MetricKey, aggregation: Aggregation
) -> dict[str, dict[int, float]]:
    """Room -> recorded day -> value; every recorded day is among the three weeks."""
    table = recordings.table(
        recordings.rooms,
        zone_subjects(recordings.rooms, [zone_id(room) for room in ROOMS]),
        midnight(DAYS[0], ODENSE),
        midnight(LAST_ROOM_DAY + timedelta(days=1), ODENSE),
        metrics=(metric,),
        aggregation=aggregation,
    )
    assert len(table) == len(DAYS)
    return {
        room: {day.day_id: value for day, value in zip(played(recordings), table[room, metric], strict=True)}
        for room in ROOMS
    }


def test_three_weeks_play_every_recorded_day(recordings: Recordings) -> None:
    assert {day.day_id for day in played(recordings)} == set(range(15))


@pytest.mark.parametrize("day", DAYS, ids=str)
def test_the_level_of_every_minute_comes_back(recordings: Recordings, day: date) -> None:
    table = recordings.table(
        recordings.rooms,
        zone_subjects(recordings.rooms, [zone_id(room) for room in ROOMS]),
        midnight(day, ODENSE),
        midnight(day + timedelta(days=1), ODENSE),
        metrics=LEVEL,
        granularity=Granularity.MINUTE,
    )
    levels = day_for(day, recordings.room_days).levels
    for room in ROOMS:
        assert table[room, "visitorsInside"].tolist() == list(levels[room])


def test_person_minutes_of_the_rooms(recordings: Recordings) -> None:
    person_minutes = by_day(recordings, MetricKey.VISITORS_INSIDE, Aggregation.SUM)
    sums = {room: sum(days.values()) for room, days in person_minutes.items()}
    assert sums == {"Room 1": 159_363, "Room 2": 57_632, "Room 3": 57_717, "Room 4": 68_082}
    assert person_minutes["Room 1"][13] == 21_071
    assert person_minutes["Room 1"][1] == 21_184


def test_fullest_minutes_of_the_rooms(recordings: Recordings) -> None:
    fullest = by_day(recordings, MetricKey.VISITORS_INSIDE, Aggregation.MAXIMUM)
    peaks = {room: max((value, -day) for day, value in days.items()) for room, days in fullest.items()}
    assert peaks == {"Room 1": (67, -13), "Room 2": (28, -6), "Room 3": (35, -4), "Room 4": (39, -1)}


def test_rises_of_the_rooms(recordings: Recordings) -> None:
    rises = by_day(recordings, MetricKey.ENTRANCES, Aggregation.SUM)
    sums = {room: sum(days.values()) for room, days in rises.items()}
    assert sums == {"Room 1": 1914, "Room 2": 1010, "Room 3": 1030, "Room 4": 781}
    assert (rises["Room 1"][13], rises["Room 1"][1]) == (236, 250)


def test_time_spent_is_person_time_by_entrances(recordings: Recordings) -> None:
    time_spent = by_day(recordings, MetricKey.TIME_SPENT, Aggregation.AVERAGE)
    assert time_spent["Room 1"][13] == pytest.approx(21_071 / 236 * 60)
    assert time_spent["Room 1"][1] == pytest.approx(21_184 / 250 * 60)
    assert round(time_spent["Room 1"][13] / 60, 1) == 89.3
