"""What proves a minute: whether a replay has brought all of today, and whether a value is one dated anew.

Pure. A stream may ignore the range that it was asked for, break off half-way, or go on half-way with the
minute that runs. A sum of what it brought would then pass for one of today.

A service may date its last value anew each time it is asked or a stream is opened, however long its counter
has been dead. That stands by the value; that its minute was counted, a later push or the past must tell.
Where the minutes before it are not known yet, it is the newest until they come.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Final

from api_client import FUTURE
from contract import CROSSINGS, MetricKey
from live.events import ReplayEnded
from live.snapshot import MINUTE_OF, FeedState, Reading, Snapshot

RECENT: Final = timedelta(minutes=3)
"""A first value after a connect needs no check when its minute is not older than this."""
REREAD: Final = timedelta(minutes=15)
"""The last minutes, which are read again and again. A longer gap in a replay may hide half of a day."""
BEGINNING: Final = datetime.min.replace(tzinfo=UTC)
"""Before all minutes: none was reported."""
WITHOUT_STREAM: Final = frozenset({FeedState.RECONNECTING, FeedState.OFFLINE})
"""One trouble: the second state is the first one that lasts."""


def lacks_past(before: Snapshot, known: Snapshot, replay: ReplayEnded | None) -> bool:
    """Whether minutes of today may be missing from `known`, whose newest is reported from now on."""
    if before.awaits_past or before.newest is None:
        return replay is None or not is_whole(known, replay)
    if before.reported_until is None and before.state not in WITHOUT_STREAM:
        return False
    reported_until = before.reported_until or before.newest.measured_at
    return reported_until != BEGINNING and _has_gap(known.readings, reported_until)


def is_whole(known: Snapshot, replay: ReplayEnded) -> bool:
    """Whether a stream that pauses has brought the past, up to the newest minute that is known.

    Where anything was left out as of the future, the clock that it was judged by may have been wrong.
    """
    readings = known.readings
    if FUTURE in known.skipped or not readings or readings[0].measured_at >= replay.opened - RECENT:
        return False
    return readings[-1].measured_at - replay.newest <= REREAD and not _has_gap(readings)


def _has_gap(readings: tuple[Reading, ...], reported_until: datetime = BEGINNING) -> bool:
    """Whether the minutes from `reported_until` on lie further apart than those of a shop that is open."""
    minutes = [one.measured_at for one in readings[bisect_left(readings, reported_until, key=MINUTE_OF) :]]
    return any(later - earlier > REREAD for earlier, later in pairwise(minutes))


def is_repeated(known: Reading | None, pushed: Reading) -> bool:
    """Whether `pushed` is the known value under a newer minute, without anybody counted in it."""
    if known is None or pushed.measured_at <= known.measured_at:
        return False
    is_same = pushed.values.get(MetricKey.VISITORS_INSIDE) == known.values.get(MetricKey.VISITORS_INSIDE)
    has_crossings = any(pushed.values.get(metric) for metric in CROSSINGS)
    return pushed.values == known.values or (is_same and not has_crossings)


def proven(snapshot: Snapshot, counted: Iterable[Reading]) -> Snapshot:
    """The snapshot with `unproven` cleared, where `counted` (pushed later, or past) has that minute."""
    if any(one.measured_at == snapshot.unproven for one in counted):
        return replace(snapshot, unproven=None)
    return snapshot


def without_refuted(snapshot: Snapshot, history: Iterable[Reading]) -> Snapshot:
    """The snapshot without its unproven minute, where the past has minutes on both sides and lacks it."""
    minutes, unproven = {one.measured_at for one in history}, snapshot.unproven
    if unproven is None or not minutes or unproven in minutes or not min(minutes) < unproven < max(minutes):
        return snapshot
    kept = tuple(one for one in snapshot.readings if one.measured_at != unproven)
    return replace(snapshot, readings=kept, unproven=None)


def without_repeated(snapshot: Snapshot) -> Snapshot:
    """The snapshot without its newest minute, where that is unproven and repeats the one before.

    It stays where the one before is recent. To be called when no minute in between is still on its way.
    """
    newest, before = snapshot.newest, snapshot.readings[-2:-1]
    if newest is None or newest.measured_at != snapshot.unproven or not before:
        return snapshot
    if newest.measured_at - before[0].measured_at <= RECENT or not is_repeated(before[0], newest):
        return snapshot
    return replace(snapshot, readings=snapshot.readings[:-1], unproven=None)
