"""The Hardbrücke stop as a site, and its recording as a source of counts without end.

The recording is moved by whole periods of nine weeks, so that weekday and wall clock agree with what they
were, and goes round: the nine weeks before now are one turn of it. The moves are counted from the
recording's own start, so every process at every time plays the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt

from contract import Address, Passage, Site, Zone
from contract.minutes import MINUTE, minute_number
from contract.resources import REPLAYED
from service.ingest.allocation import crossing_seconds, people_by_minutes
from service.replay.stop_recording import (
    BIN_MINUTES,
    NOBODY,
    BinCount,
    Line,
    Recording,
    platform_of,
    read_recording,
    with_zeros_where_quiet,
)
from service.replay.wall_clock import wall_minute_of, wall_minutes
from service.store.protocol import CountSeries, Numbers, PassageCount, SiteRecord

PERIOD: Final = timedelta(weeks=9)
"""Whole weeks that hold the recording; between its end and the next turn's start 40 minutes are missing."""

TIMEZONE: Final = ZoneInfo("Europe/Zurich")

_PERIOD_MINUTES: Final = PERIOD // MINUTE

_PLATFORM_CAPACITY: Final = {"Ost": 50, "West": 100}
_STOP_CAPACITY: Final = 100
"""Not in the data. The next of 50 and 100 above the measured peaks: Ost 40, West 87, the stop 69."""

_PLATFORM_AREA: Final = 250
"""Square metres. Not in the data: an assumption, so that figures per area have something to show."""


def read_stop(path: Path) -> Recording:
    """The recording over its nine weeks, with zeros where it was quiet."""
    return with_zeros_where_quiet(read_recording(path, bins=_PERIOD_MINUTES // BIN_MINUTES))


class StopReplay:
    """Counts of the stop for any minute, past or present."""

    history = PERIOD

    def __init__(self, recording: Recording, organization_id: str) -> None:
        self.record = stop_record(tuple(recording.lines), organization_id)
        self._lines = {passage_id(line): counts for line, counts in recording.lines.items()}
        self._minutes = {passage: _by_minute(counts) for passage, counts in self._lines.items()}
        self._start = wall_minute_of(recording.start)

    def series(self, first: int, end: int) -> Iterator[CountSeries]:
        """Whole minutes of [first, end), all lines; missing ones are left out."""
        minutes, places = self._places(first, end)
        for passage, (counted, entered, left) in self._minutes.items():
            known = counted[places]
            yield CountSeries(passage, minutes[known], entered[places[known]], left[places[known]])

    def so_far(self, now: datetime) -> Iterator[PassageCount]:
        """The minute that is running, with everyone who has crossed by `now`."""
        minute = minute_number(now)
        _, places = self._places(minute, minute + 1)
        index, within = divmod(int(places[0]), BIN_MINUTES)
        for passage, counts in self._lines.items():
            if count := counts[index]:
                yield PassageCount(passage, minute, *_crossed(count, within * 60, now.second))

    def _places(self, first: int, end: int) -> tuple[Numbers, Numbers]:
        """The minutes of [first, end), and which minute of the recording each plays."""
        minutes, walls = wall_minutes(first, end, TIMEZONE)
        return minutes, (walls - self._start) % _PERIOD_MINUTES


def passage_id(line: str) -> str:
    return f"hardbruecke-{line.lower().replace('ü', 'ue')}"


def stop_record(lines: tuple[str, ...], organization_id: str) -> SiteRecord:
    platforms = sorted({platform_of(line) for line in lines})
    return SiteRecord(
        Site(
            id="hardbruecke",
            # As the stop is signposted. Sites are listed by name, and whoever opens the demo sees the first
            # one: not this, whose doors miscount.
            name="Zürich Hardbrücke",
            category=(
                f"{REPLAYED} people counted at this stop from 16 January to 19 March 2024 by "
                "Verkehrsbetriebe Zürich (CC0), moved by whole weeks to today."
            ),
            address=Address(street="Hardbrücke", post_code="8005", city="Zürich", country="Switzerland"),
            timezone=TIMEZONE.key,
            organization_id=organization_id,
            created_at=datetime.fromisoformat("2024-01-16T13:55:00+00:00"),
            zones=(
                Zone(
                    id="hardbruecke-stop",
                    name="Stop",
                    category="Station stop",
                    capacity=_STOP_CAPACITY,
                    area=_PLATFORM_AREA * len(platforms),
                ),
                *(_platform(platform) for platform in platforms),
            ),
            passages=tuple(_passage(line) for line in lines),
        ),
        top_zone_id="hardbruecke-stop",
    )


def _platform(platform: str) -> Zone:
    return Zone(
        id=f"hardbruecke-{platform.lower()}",
        name=f"Platform {platform}",
        category="Platform",
        capacity=_PLATFORM_CAPACITY[platform],
        area=_PLATFORM_AREA,
    )


def _passage(line: str) -> Passage:
    return Passage(id=passage_id(line), name=line, to_zone_id=f"hardbruecke-{platform_of(line).lower()}")


class _LineMinutes(NamedTuple):
    """Counts of a line in every minute of the recording, parallel."""

    counted: npt.NDArray[np.bool_]
    entered: Numbers
    left: Numbers


def _by_minute(counts: Line) -> _LineMinutes:
    counted = np.array([count is not None for count in counts])
    # NumPy would ask every pair whether it is an array before it looked inside.
    people = np.fromiter(chain.from_iterable(count or NOBODY for count in counts), dtype=np.int64)
    entered, left = (
        people_by_minutes(one_way, BIN_MINUTES).ravel() for one_way in (people[::2], people[1::2])
    )
    return _LineMinutes(np.repeat(counted, BIN_MINUTES), entered, left)


def _crossed(count: BinCount, first_second: int, seconds: int) -> BinCount:
    """How many of a bin's people cross from `first_second` up to and with `seconds` later."""

    def crossed(people: int) -> int:
        last = first_second + seconds
        return sum(first_second <= second <= last for second in crossing_seconds(people, BIN_MINUTES))

    return BinCount(crossed(count.entered), crossed(count.left))
