"""From passage minutes to zone minutes and quarter-hours: entrances, exits, visitors inside, hidden drift.

Pure. visitorsInside is the running sum of entrances - exits since the last daily reset, never below 0: a
minute that would take it below stops at 0, and what was added for that is the minute's hidden drift. A
quarter holds how many minutes are stored in it, and their sums, minima and maxima.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from service.store.protocol import Numbers

Positions = npt.NDArray[np.intp]

QUARTER: Final = 15
"""Minutes in a row of the rollup. Today's UTC offsets are all multiples of it."""


class PassageMinutes(NamedTuple):
    """Stored minutes of one passage as seen from a zone. Parallel, each minute at most once."""

    minutes: Numbers
    entrances: Numbers
    exits: Numbers


class ZoneMinutes(NamedTuple):
    """Minutes of one zone, ascending, parallel."""

    minutes: Numbers
    entrances: Numbers
    exits: Numbers
    inside: Numbers
    hidden: Numbers


def zone_minutes(
    ways: Sequence[PassageMinutes], start: int, end: int, *, resets: Sequence[int], inside_before: int
) -> ZoneMinutes:
    """The zone's minutes within [start, end) that any of its passages has a count for, zeros included.

    `resets` are daily resets, ascending, of which those within the span count; `inside_before` is how many
    were inside when `start` began, and is forgotten at the first reset.
    """
    entrances = np.zeros(end - start, dtype=np.int64)
    exits = np.zeros(end - start, dtype=np.int64)
    counted = np.zeros(end - start, dtype=np.bool_)
    for way in ways:
        position = way.minutes - start
        entrances[position] += way.entrances
        exits[position] += way.exits
        counted[position] = True
    positions = np.flatnonzero(counted)
    minutes, entrances, exits = positions + start, entrances[positions], exits[positions]
    resets_within = [reset for reset in resets if start <= reset < end]
    reset_positions = np.searchsorted(minutes, resets_within).tolist()
    inside, hidden = running_levels(entrances - exits, reset_positions, inside_before)
    return ZoneMinutes(minutes, entrances, exits, inside, hidden)


def running_levels(change: Numbers, resets: Sequence[int], inside_before: int) -> tuple[Numbers, Numbers]:
    """Level and lift at each position; `resets` are the positions at which the level begins at 0.

    The level is the running sum of the changes, held at 0 or above, and the lift what was added for that.
    """
    inside = np.empty_like(change)
    hidden = np.empty_like(change)
    begin, level = 0, inside_before
    for end in (*resets, len(change)):
        if end > begin:
            inside[begin:end], hidden[begin:end] = _clamped(change[begin:end], level)
        begin, level = end, 0
    return inside, hidden


def _clamped(change: Numbers, level: int) -> tuple[Numbers, Numbers]:
    """Running sum held at 0 or above: the free sum, lifted by the lowest it has been below 0 so far."""
    free = np.cumsum(change) + level
    lifted = np.maximum(-np.minimum.accumulate(free), 0)
    return free + lifted, np.diff(lifted, prepend=0)


def quarter_floor(minute: int) -> int:
    return minute - minute % QUARTER


def quarter_ceiling(minute: int) -> int:
    return minute + -minute % QUARTER


def passage_quarters(minutes: Numbers, forward: Numbers, backward: Numbers) -> list[Numbers]:
    """Columns of the table of that name, but for the number; the minutes ascend, in whole quarters."""
    begins = _begins(minutes)
    return [*_keys(minutes, begins), *(np.add.reduceat(column, begins) for column in (forward, backward))]


def zone_quarters(series: ZoneMinutes) -> list[Numbers]:
    """Columns of the table of that name, but for the number; the minutes ascend, in whole quarters."""
    begins = _begins(series.minutes)
    return [
        *_keys(series.minutes, begins),
        *(
            reduction.reduceat(column, begins)
            for column in (series.entrances, series.exits, series.inside)
            for reduction in (np.add, np.minimum, np.maximum)
        ),
    ]


def _begins(minutes: Numbers) -> Positions:
    """Positions at which a quarter begins."""
    quarters = minutes // QUARTER
    return np.flatnonzero(np.diff(quarters, prepend=quarters[:1] - 1))


def _keys(minutes: Numbers, begins: Positions) -> tuple[Numbers, Numbers]:
    """First minute of each quarter, and how many minutes it has."""
    return minutes[begins] // QUARTER * QUARTER, np.diff(begins, append=len(minutes))
