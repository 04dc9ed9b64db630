"""Repetition: the last value told again under a newer minute, however long its counter has been dead.

Pure. A service may date its last value anew each time it is asked or a stream is opened. That stands by the
value; that its minute was counted, a later push or the past must tell. Where the minutes before it are not
known yet, it is the newest until they come.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from contract import FLOWS, MetricKey
from live.replay import RECENT
from live.snapshot import Reading, Snapshot


def is_repeated(latest: Reading | None, told: Reading) -> bool:
    """Whether what was told is the known value under a newer minute, without anybody counted in it."""
    if latest is None or told.measured_at <= latest.measured_at:
        return False
    is_same = told.values.get(MetricKey.VISITORS_INSIDE) == latest.values.get(MetricKey.VISITORS_INSIDE)
    return told.values == latest.values or (is_same and not any(told.values.get(flow) for flow in FLOWS))


def proven(snapshot: Snapshot, counted: Iterable[Reading]) -> Snapshot:
    """After minutes that were pushed later, or are of the past."""
    if any(one.measured_at == snapshot.unproven for one in counted):
        return replace(snapshot, unproven=None)
    return snapshot


def without_refuted(snapshot: Snapshot, history: Iterable[Reading]) -> Snapshot:
    """Without the unproven minute where the past has minutes before and after it, and lacks it."""
    minutes, unproven = {one.measured_at for one in history}, snapshot.unproven
    if unproven is None or not minutes or unproven in minutes or not min(minutes) < unproven < max(minutes):
        return snapshot
    kept = tuple(one for one in snapshot.readings if one.measured_at != unproven)
    return replace(snapshot, readings=kept, unproven=None)


def without_repeated(snapshot: Snapshot) -> Snapshot:
    """Without the newest minute where it is unproven and repeats the one before.

    Not where that is as good as new. To be called when no minute in between is still on its way.
    """
    latest, before = snapshot.latest, snapshot.readings[-2:-1]
    if latest is None or latest.measured_at != snapshot.unproven or not before:
        return snapshot
    if latest.measured_at - before[0].measured_at <= RECENT or not is_repeated(before[0], latest):
        return snapshot
    return replace(snapshot, readings=snapshot.readings[:-1], unproven=None)
