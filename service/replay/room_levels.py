"""The recording of four rooms: how many people were in each, minute by minute, over fifteen days.

The days were shuffled by their authors; only the weekday of each is known. A day stands alone: it begins and
ends at midnight, and may do so with people inside.
"""

from __future__ import annotations

import csv
import gzip
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path


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
