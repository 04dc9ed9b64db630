"""How many of the minutes of a feed are counted."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from contract.minutes import MINUTE
from live.snapshot import Reading


def counted_minutes(readings: Sequence[Reading]) -> tuple[int, int] | None:
    """How many minutes from the first to the last are counted, and how many there are; None without any, and
    where most stand further apart, as where a service tells hours: which are missing is not known then.
    """
    if not readings:
        return None
    pairs = list(pairwise(reading.measured_at for reading in readings))
    if 2 * sum(later - one == MINUTE for one, later in pairs) < len(pairs):
        return None
    return len(readings), (readings[-1].measured_at - readings[0].measured_at) // MINUTE + 1
