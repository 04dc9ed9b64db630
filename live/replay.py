"""Replay: whether the minutes of today have come with a stream, or have to be asked for.

A stream may ignore the range that it was asked for, break off half-way, or go on half-way with the minute
that runs. A sum of what it brought would then pass for one of today.
"""

from __future__ import annotations

from bisect import bisect_left
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Final

from api_client import FUTURE
from live.events import ReplayEnded
from live.snapshot import FeedState, Reading, Snapshot

RECENT: Final = timedelta(minutes=3)
"""A first value after a connect needs no check when its minute is not older than this."""
REREAD: Final = timedelta(minutes=15)
"""The last minutes, which are read again and again. A longer gap in a replay may hide half of a day."""
BEGINNING: Final = datetime.min.replace(tzinfo=UTC)
"""Before all minutes: none was told."""
WITHOUT_STREAM: Final = frozenset({FeedState.RECONNECTING, FeedState.OFFLINE})
"""One trouble: the second state is the first one that lasts."""


def lacks_past(before: Snapshot, known: Snapshot, replay: ReplayEnded | None) -> bool:
    """Whether minutes of today may lack in `known`, whose newest is told from now on."""
    if before.awaits_past or before.latest is None:
        return replay is None or not is_whole(known, replay)
    if before.told_until is None and before.state not in WITHOUT_STREAM:
        return False
    told_until = before.told_until or before.latest.measured_at
    return told_until != BEGINNING and _has_gap(known.readings, told_until)


def is_whole(known: Snapshot, replay: ReplayEnded) -> bool:
    """Whether a stream that pauses has brought the past, up to the newest minute that is known.

    Where anything was left out as of the future, the clock that it was judged by may have been wrong.
    """
    readings = known.readings
    if FUTURE in known.skipped or not readings or readings[0].measured_at >= replay.opened - RECENT:
        return False
    return readings[-1].measured_at - replay.newest <= REREAD and not _has_gap(readings)


def _has_gap(readings: tuple[Reading, ...], told_until: datetime = BEGINNING) -> bool:
    """Whether the minutes from `told_until` on lie further apart than those of a shop that is open."""
    minutes = [one.measured_at for one in readings[bisect_left(readings, told_until, key=_minute) :]]
    return any(later - earlier > REREAD for earlier, later in pairwise(minutes))


def _minute(reading: Reading) -> datetime:
    return reading.measured_at
