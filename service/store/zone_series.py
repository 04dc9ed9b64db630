"""From passage minutes to zone minutes and quarter-hours: entrances, exits, visitors inside, hidden drift.

Pure. visitorsInside is the running sum of entrances - exits since the last daily reset, never below 0: a
minute that would take it below stops at 0, and what was added for that is the minute's hidden drift. Where
somebody told how many are inside (a level, a correction by hand), that is the minute's visitorsInside, counts
go on from it, and what it changed beside them is the minute's adjustment. A quarter holds how many minutes
are stored in it, and their sums, minima and maxima.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from service.store.protocol import Numbers

Positions = npt.NDArray[np.intp]

UNTOLD: Final = -1

_NOTHING: Final = np.empty(0, dtype=np.int64)

_BEYOND: Final = 2**62
"""More people than any minute has."""

QUARTER: Final = 15
"""Minutes in a row of the rollup. Today's UTC offsets are all multiples of it."""


class PassageMinutes(NamedTuple):
    """Stored minutes of one passage as seen from a zone. Parallel, each minute at most once."""

    minutes: Numbers
    entrances: Numbers
    exits: Numbers


class ToldMinutes(NamedTuple):
    """Minutes of one zone of which somebody told how many are inside. Parallel, each at most once."""

    minutes: Numbers
    inside: Numbers
    """`UNTOLD` where that was withdrawn: the minute stays, with the level that it would have without."""

    def held(self) -> ToldMinutes:
        """Those of which something holds."""
        return ToldMinutes(*(column[self.inside != UNTOLD] for column in self)) if len(self.inside) else self


class ZoneMinutes(NamedTuple):
    """Minutes of one zone, ascending, parallel."""

    minutes: Numbers
    entrances: Numbers
    exits: Numbers
    inside: Numbers
    hidden: Numbers
    adjusted: Numbers
    """By how much what was told differs from what the counts gave."""
    uncounted: Numbers
    """1 where no passage has a count: entrances and exits have no value, and are 0 here."""


NONE_TOLD: Final = ToldMinutes(_NOTHING, _NOTHING)


def zone_minutes(
    ways: Sequence[PassageMinutes],
    start: int,
    end: int,
    *,
    resets: Sequence[int],
    inside_before: int,
    told: ToldMinutes = NONE_TOLD,
) -> ZoneMinutes:
    """The zone's minutes within [start, end) that any of its passages has a count for, zeros included, and
    those that are told.

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
    stored = counted.copy()
    stored[told.minutes - start] = True
    positions = np.flatnonzero(stored)
    minutes, entrances, exits = positions + start, entrances[positions], exits[positions]
    resets_within = [reset for reset in resets if start <= reset < end]
    reset_positions = np.searchsorted(minutes, resets_within).tolist()
    held = told.held()
    levels = np.searchsorted(minutes, held.minutes)
    running = running_levels(entrances - exits, reset_positions, inside_before, levels, held.inside)
    uncounted = (~counted[positions]).astype(np.int64)
    return ZoneMinutes(minutes, entrances, exits, *running, uncounted)


class RunningLevels(NamedTuple):
    """At each position."""

    inside: Numbers
    lifted: Numbers
    """What was added to stop at 0."""
    adjusted: Numbers
    """What was added, or taken away, to be at a level that is told."""


def running_levels(
    change: Numbers,
    resets: Sequence[int],
    inside_before: int,
    told: Positions | Numbers = _NOTHING,
    levels: Numbers = _NOTHING,
) -> RunningLevels:
    """The running sum of the changes, held at 0 or above; `resets` are the positions at which it begins at 0.

    At the positions `told`, ascending, it is `levels`, and goes on from there.
    """
    if not len(change):
        return RunningLevels(_NOTHING, _NOTHING, _NOTHING)
    fresh = [reset for reset in resets if reset < len(change)]
    if not fresh and not len(told):
        # As of nearly all counts, which shall not wait for what is told of others.
        return RunningLevels(*_clamped(np.cumsum(change) + inside_before), np.zeros_like(change))
    begins = np.zeros(len(change), dtype=np.bool_)
    # A stretch begins at its first position with the level before that: a level that is told does not change.
    before = np.zeros(len(change), dtype=np.int64)
    before[0], begins[0] = inside_before, True
    before[fresh], begins[fresh] = 0, True
    untouched, change = change, change.copy()
    before[told], begins[told], change[told] = levels, True, 0
    inside, lifted = _clamped_stretches(change, begins, before)
    adjusted = np.zeros_like(change)
    if len(told):
        previous = np.roll(inside, 1)
        previous[0] = inside_before
        previous[fresh] = 0
        adjusted[told] = levels - previous[told] - untouched[told]
    return RunningLevels(inside, lifted, adjusted)


def _clamped(free: Numbers) -> tuple[Numbers, Numbers]:
    """A running sum held at 0 or above: lifted by the lowest it has been below 0 so far."""
    lifted = np.maximum(-np.minimum.accumulate(free), 0)
    return free + lifted, np.diff(lifted, prepend=0)


def _clamped_stretches(
    change: Numbers, begins: npt.NDArray[np.bool_], before: Numbers
) -> tuple[Numbers, Numbers]:
    """`_clamped` of each stretch by itself; `before` has the level with which one begins."""
    total = np.cumsum(change)
    firsts = np.flatnonzero(begins)
    stretch = np.cumsum(begins) - 1
    free = total + (before[firsts] - total[firsts] + change[firsts])[stretch]
    # Each stretch lies below all of the one before: one pass finds the lowest so far within each.
    below = stretch * (int(free.max()) - int(free.min()) + 1)
    lifted = np.maximum(-(np.minimum.accumulate(free - below) + below), 0)
    steps = np.diff(lifted, prepend=0)
    steps[firsts] = lifted[firsts]
    return free + lifted, steps


def quarter_floor(minute: int) -> int:
    return minute - minute % QUARTER


def quarter_ceiling(minute: int) -> int:
    return minute + -minute % QUARTER


def passage_quarters(minutes: Numbers, forward: Numbers, backward: Numbers) -> list[Numbers]:
    """Columns of the table of that name, but for the number; the minutes ascend, in whole quarters."""
    begins = _begins(minutes)
    return [*_keys(minutes, begins), *(np.add.reduceat(column, begins) for column in (forward, backward))]


def zone_quarters(series: ZoneMinutes) -> list[Numbers]:
    """Columns of the table of that name, but for the number; the minutes ascend, in whole quarters.

    Of entrances and exits the extremes are those of counted minutes, and 0 where no minute is.
    """
    begins = _begins(series.minutes)
    is_counted = not series.uncounted.any()
    return [
        *_keys(series.minutes, begins),
        *(
            reduced
            for flow in (series.entrances, series.exits)
            for reduced in (
                _reduced(flow, begins) if is_counted else _of_counted(flow, series.uncounted, begins)
            )
        ),
        *_reduced(series.inside, begins),
        np.add.reduceat(series.adjusted, begins),
        np.add.reduceat(series.uncounted, begins),
    ]


def _reduced(column: Numbers, begins: Positions) -> list[Numbers]:
    return [reduction.reduceat(column, begins) for reduction in (np.add, np.minimum, np.maximum)]


def _of_counted(flow: Numbers, uncounted: Numbers, begins: Positions) -> list[Numbers]:
    """`_reduced`, where a minute without counts is no extreme."""
    beyond = uncounted * _BEYOND
    return [
        np.add.reduceat(flow, begins),
        np.minimum.reduceat(flow + beyond, begins) % _BEYOND,
        np.maximum(np.maximum.reduceat(flow - beyond, begins), 0),
    ]


def _begins(minutes: Numbers) -> Positions:
    """Positions at which a quarter begins."""
    quarters = minutes // QUARTER
    return np.flatnonzero(np.diff(quarters, prepend=quarters[:1] - 1))


def _keys(minutes: Numbers, begins: Positions) -> tuple[Numbers, Numbers]:
    """First minute of each quarter, and how many minutes it has."""
    return minutes[begins] // QUARTER * QUARTER, np.diff(begins, append=len(minutes))
