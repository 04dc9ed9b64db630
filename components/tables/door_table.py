"""Doors by hour and the ways through the zones as tables: as the page shows them, and as files have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import pandas as pd

from analysis.door_hours import DoorHours
from analysis.names import LONGEST_NAME, one_line
from analysis.zone_ways import Stream
from components.number_format import NO_VALUE, Formats
from components.sentences.door_words import zone_name
from components.sentences.rhythm_words import clock_name

HOUR: Final = "Hour"
DOOR: Final = "Door"
CAME: Final = "Came in"
SHARE: Final = "Of all who came in at that hour, %"
PASSAGE: Final = "Passage"
FROM: Final = "From"
TO: Final = "To"
PEOPLE: Final = "People"
SUMS: Final = "people, sum over the period"
"""The units of a file of doors or ways."""


def door_table(found: DoorHours, formats: Formats) -> pd.DataFrame:
    """A row for each hour of the clock at which anybody came, a column for each door."""
    hours = [hour for hour in range(24) if found.of_hour(hour)]
    rows = {
        one_line(door.label, LONGEST_NAME): [_part(found.share(door, hour), formats) for hour in hours]
        for door in found.doors
    }
    return pd.DataFrame({HOUR: [clock_name(hour, formats) for hour in hours]} | rows)


def door_file(found: DoorHours) -> pd.DataFrame:
    """A row for each door and hour of the clock of which anything is counted."""
    rows = [
        {
            HOUR: f"{hour:02}:00",
            DOOR: one_line(door.label, LONGEST_NAME),
            CAME: came,
            SHARE: found.share(door, hour),
        }
        for (door, hour), came in sorted(found.came.items(), key=lambda own: (own[0][1], own[0][0].label))
    ]
    return pd.DataFrame(rows).astype({SHARE: "float64"}).round({SHARE: 2})


def _part(share: float | None, formats: Formats) -> str:
    return NO_VALUE if share is None else formats.part(share)


def stream_table(drawn: Sequence[Stream], names: Mapping[str, str]) -> pd.DataFrame:
    """A row for each passage and direction, the widest first."""
    return pd.DataFrame(
        {
            PASSAGE: [one_line(one.way.label, LONGEST_NAME) for one in drawn],
            FROM: [zone_name(one.start, names) for one in drawn],
            TO: [zone_name(one.end, names) for one in drawn],
            PEOPLE: [one.people for one in drawn],
        }
    )
