"""The 15-minute rollup: counts, sums, minima and maxima of the minutes of one series.

Pure. The minutes given must make up whole quarters: a quarter cut in two would be written by half.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from service.store.protocol import Numbers
from service.store.zone_series import ZoneMinutes

Positions = npt.NDArray[np.intp]

QUARTER: Final = 15
"""Minutes in a rollup row. Today's UTC offsets are all multiples of it."""


def quarter_floor(minute: int) -> int:
    return minute - minute % QUARTER


def quarter_ceiling(minute: int) -> int:
    return minute + -minute % QUARTER


def passage_quarters(minutes: Numbers, forward: Numbers, backward: Numbers) -> list[Numbers]:
    """Columns of `passage_quarters`, but for the number; the minutes ascend."""
    begins = _begins(minutes)
    return [*_keys(minutes, begins), *(np.add.reduceat(column, begins) for column in (forward, backward))]


def zone_quarters(series: ZoneMinutes) -> list[Numbers]:
    """Columns of `zone_quarters`, but for the number."""
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
