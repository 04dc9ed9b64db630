"""The wall clock of a time zone over minutes of UTC, by which recordings are played.

A recording is played by the wall clock: what was counted at 07:30 on a Wednesday returns at 07:30 on a
Wednesday. When the clocks go forward, the skipped hour of the recording is not played; when they go back,
the repeated hour is played twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from contract.buckets import offset_pieces
from contract.minutes import MINUTE, minute_number, minute_start


class WallMinute(NamedTuple):
    minute: int
    """Minutes since the epoch, UTC."""
    wall: int
    """Minutes from 1970-01-01 00:00 to what the local clock shows, as if it had never been changed."""


def wall_minutes(first: int, end: int, timezone: ZoneInfo) -> Iterator[WallMinute]:
    """What the clock of `timezone` shows in each minute of [first, end)."""
    for piece in offset_pieces(minute_start(first), minute_start(end), timezone):
        offset = piece.offset // MINUTE
        for minute in range(minute_number(piece.start), minute_number(piece.end)):
            yield WallMinute(minute, minute + offset)


def wall_minute_of(local: datetime) -> int:
    """Minutes since 1970-01-01 00:00 of a wall clock time without offset."""
    return minute_number(local.replace(tzinfo=UTC))
