"""Four rooms of a university building as a site, and their recorded levels as counts through their doors.

What was recorded is how many people are inside, not who came and went: each minute feeds the difference to
the minute before, so visitorsInside comes back exactly, while entrances and exits are the least that explain
it. Each local day begins with the difference to an empty room, as the site's daily reset is at midnight.
"""

from __future__ import annotations

import csv
import gzip
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

import numpy as np

from contract import Address, Passage, Site, Zone
from contract.minutes import MINUTES_A_DAY, minute_number
from contract.resources import REPLAYED
from service.ingest.allocation import crossing_seconds
from service.replay.wall_clock import wall_minutes
from service.store.protocol import CountSeries, PassageCount, SiteRecord


@dataclass(frozen=True, slots=True)
class RoomDay:
    """One recorded day."""

    day_id: int
    weekday: int
    """0 is Monday."""
    levels: Mapping[str, Sequence[int]]
    """Room -> people inside at each of the 1,440 minutes."""


def read_room_days(path: Path) -> list[RoomDay]:
    """All days of the file: columns DayId, Time, Weekday and one for each room, sorted by day and time."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as text:
        (*_, first, second, third, fourth), *rows = csv.reader(text)
    rooms = (first, second, third, fourth)
    by_day: dict[tuple[int, int], list[list[str]]] = defaultdict(list)
    for day_id, _, weekday, *levels in rows:
        by_day[int(day_id), int(weekday)].append(levels)
    return [
        RoomDay(
            day_id,
            weekday,
            {
                room: tuple(map(int, column))
                for room, column in zip(rooms, zip(*minutes, strict=True), strict=True)
            },
        )
        for (day_id, weekday), minutes in by_day.items()
    ]


def day_for(day: date, days: Sequence[RoomDay]) -> RoomDay:
    """The recorded day that is played on `day`: of the same weekday, week by week the next in turn."""
    candidates = [recorded for recorded in days if recorded.weekday == day.weekday()]
    return candidates[day.toordinal() // 7 % len(candidates)]


TIMEZONE: Final = ZoneInfo("Europe/Copenhagen")
"""Where the rooms are; the recording itself names no zone."""

_EPOCH_DAY: Final = date(1970, 1, 1).toordinal()

_SEATS: Final = {"Room 1": 84, "Room 2": 32, "Room 3": 32, "Room 4": 84}
_SQUARE_METRES: Final = {"Room 1": 139, "Room 2": 125, "Room 3": 125, "Room 4": 139}
_USE: Final = {
    "Room 1": "Lecture room",
    "Room 2": "Study zone",
    "Room 3": "Study zone",
    "Room 4": "Lecture room",
}


class RoomsReplay:
    """Counts of the four doors for any minute, past or present."""

    history = timedelta(weeks=9)

    def __init__(self, days: Sequence[RoomDay], organization_id: str) -> None:
        self.record = rooms_record(organization_id)
        self._days = days

    def series(self, first: int, end: int) -> Iterator[CountSeries]:
        """Whole minutes of [first, end), all rooms; none is missing."""
        minutes, walls = wall_minutes(first - 1, end, TIMEZONE)
        days, within = np.divmod(walls, MINUTES_A_DAY)
        played, place = np.unique(days, return_inverse=True)
        recorded = [day_for(date.fromordinal(_EPOCH_DAY + day), self._days) for day in played.tolist()]
        same_day = np.diff(days) == 0
        for room, door in _DOORS.items():
            levels = np.array([day.levels[room] for day in recorded])[place, within]
            rises = levels[1:] - np.where(same_day, levels[:-1], 0)
            yield CountSeries(door, minutes[1:], np.maximum(rises, 0), np.maximum(-rises, 0))

    def so_far(self, now: datetime) -> Iterator[PassageCount]:
        """The minute that is running, with everyone who has crossed by `now`."""
        minute = minute_number(now)
        for door, _, *both_ways, _ in self.series(minute, minute + 1):
            forward, backward = (_crossed(int(people[0]), now.second) for people in both_ways)
            yield PassageCount(door, minute, forward, backward)


def zone_id(room: str) -> str:
    return f"sdu-{room.lower().replace(' ', '-')}"


def door_id(room: str) -> str:
    return f"{zone_id(room)}-door"


_DOORS: Final = {room: door_id(room) for room in _SEATS}


def rooms_record(organization_id: str) -> SiteRecord:
    return SiteRecord(
        Site(
            id="sdu-rooms",
            name="SDU rooms",
            category=(
                f"{REPLAYED} room occupancy at the University of Southern Denmark, fifteen days "
                "of March and April 2017, each on its weekday. CC BY 4.0, Arendt et al., Room-level Occupant "
                "Counts, Airflow and CO2 Data from an Office Building, DATA'18, doi 10.1145/3277868.3277875."
            ),
            address=Address(street="Campusvej 55", post_code="5230", city="Odense M", country="Denmark"),
            timezone=TIMEZONE.key,
            organization_id=organization_id,
            created_at=datetime.fromisoformat("2017-03-22T00:00:00+00:00"),
            zones=(
                Zone(
                    id="sdu-building",
                    name="All four rooms",
                    category="Building",
                    capacity=sum(_SEATS.values()),
                    area=sum(_SQUARE_METRES.values()),
                ),
                *(_zone(room) for room in _SEATS),
            ),
            passages=tuple(
                Passage(id=door_id(room), name=f"Door of {room.lower()}", to_zone_id=zone_id(room))
                for room in _SEATS
            ),
        ),
        top_zone_id="sdu-building",
        daily_reset_hour=0,
    )


def _zone(room: str) -> Zone:
    return Zone(
        id=zone_id(room),
        name=room,
        category=_USE[room],
        capacity=_SEATS[room],
        area=_SQUARE_METRES[room],
    )


def _crossed(people: int, second: int) -> int:
    """How many of a minute's `people` have crossed by its `second`."""
    return sum(crossing <= second for crossing in crossing_seconds(people, 1))
