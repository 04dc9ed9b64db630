"""The wall clock of a place over minutes of UTC, and the loop in which a recording comes round.

A recording is played by the wall clock: what was counted at 07:30 on a Wednesday returns at 07:30 on a
Wednesday. When the clocks go forward, the skipped hour of the recording is not played; when they go back,
the repeated hour is played twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from contract.buckets import offset_pieces

_MINUTE = timedelta(minutes=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class WallMinute(NamedTuple):
    minute: int
    """Minutes since the epoch, UTC."""
    wall: int
    """Minutes from 1970-01-01 00:00 to what the local clock shows, as if it had never been changed."""


def wall_minutes(first: int, end: int, timezone: ZoneInfo) -> Iterator[WallMinute]:
    """What the clock of `timezone` shows in each minute of [first, end)."""
    start = _EPOCH + first * _MINUTE
    for piece in offset_pieces(start, _EPOCH + end * _MINUTE, timezone):
        offset = piece.offset // _MINUTE
        for minute in range((piece.start - _EPOCH) // _MINUTE, (piece.end - _EPOCH) // _MINUTE):
            yield WallMinute(minute, minute + offset)


def wall_minute_of(local: datetime) -> int:
    """Minutes since 1970-01-01 00:00 of a wall clock time without offset."""
    return (local.replace(tzinfo=UTC) - _EPOCH) // _MINUTE


def minute_of(instant: datetime) -> int:
    """Minutes since the epoch of an aware instant."""
    return (instant - _EPOCH) // _MINUTE
