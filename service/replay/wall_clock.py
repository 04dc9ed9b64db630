"""The wall clock of a time zone over minutes of UTC, by which recordings are played.

A recording is played by the wall clock: what was counted at 07:30 on a Wednesday returns at 07:30 on a
Wednesday. When the clocks go forward, the skipped hour of the recording is not played; when they go back,
the repeated hour is played twice.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

import numpy as np

from contract.buckets import offset_pieces
from contract.minutes import MINUTE, minute_number, minute_start
from service.store.protocol import Numbers


class WallMinutes(NamedTuple):
    """Parallel, ascending by minute."""

    minutes: Numbers
    """Since the epoch, UTC."""
    walls: Numbers
    """Minutes from 1970-01-01 00:00 to what the local clock shows, as if it had never been changed."""


def wall_minutes(first: int, end: int, timezone: ZoneInfo) -> WallMinutes:
    """What the clock of `timezone` shows in each minute of [first, end)."""
    minutes = np.arange(first, end)
    walls = minutes.copy()
    for piece in offset_pieces(minute_start(first), minute_start(end), timezone):
        walls[minute_number(piece.start) - first : minute_number(piece.end) - first] += piece.offset // MINUTE
    return WallMinutes(minutes, walls)


def wall_minute_of(local: datetime) -> int:
    """Minutes since 1970-01-01 00:00 of a wall clock time without offset."""
    return minute_number(local.replace(tzinfo=UTC))
