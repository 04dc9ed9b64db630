"""A snapshot as the browser gets it: JSON with epoch seconds, ages instead of monotonic times."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from contract import Granularity, MetricKey, Number
from contract.buckets import bucket_start
from live.clock import Moment
from live.fullest import fullest_today
from live.snapshot import Reading, Snapshot

TREND: Final = timedelta(hours=2)
"""How far back the points go."""


def encode_feed(
    snapshot: Snapshot, moment: Moment, timezone: ZoneInfo, *, known: Snapshot | None = None
) -> dict[str, Any]:
    """The feed as of `moment`. With `known`, what the reader has already, `points` are only the new ones.

    Today and the points go by `moment.wall`, which is what time it is for the service.
    Times are epoch seconds; `retry_in` and `confirmed_age` are seconds from and to `moment`, on the
    monotonic clock, so that no jump of a wall clock makes an old value look young. `usual_gap` is in seconds.
    `is_summary`: the Connection page tells more of the reason.
    """
    readings = snapshot.told
    latest = readings[-1] if readings else None
    # The day that a site counts by, whatever its daily reset.
    midnight = bucket_start(moment.wall, Granularity.DAY, timezone)
    today = () if snapshot.awaits_past else _since(readings, midnight)
    return {
        "state": snapshot.state,
        "since": _epoch(snapshot.since),
        "reason": snapshot.summary or snapshot.reason,
        "next": snapshot.next_step,
        "retry_in": None if snapshot.retry_at is None else max(snapshot.retry_at - moment.monotonic, 0.0),
        "is_summary": bool(snapshot.summary),
        "usual_gap": None if snapshot.usual_gap is None else snapshot.usual_gap.total_seconds(),
        "past_unread": snapshot.is_past_unread,
        "inside": latest.values.get(MetricKey.VISITORS_INSIDE) if latest else None,
        "measured_at": _epoch(latest.measured_at) if latest else None,
        "confirmed_age": (
            None if snapshot.confirmed_at is None else max(moment.monotonic - snapshot.confirmed_at, 0.0)
        ),
        "drift": _drift(snapshot),
        "left_over": _left_over(snapshot),
        "entrances_today": _total(today, MetricKey.ENTRANCES),
        "exits_today": _total(today, MetricKey.EXITS),
        "today_since": _epoch(today[0].measured_at) if today else None,
        "fullest_today": _fullest(today, snapshot, midnight),
        "points": _points(snapshot, moment, known),
    }


def _drift(snapshot: Snapshot) -> dict[str, float | bool | None] | None:
    """By `at` so many `people` more had left than come `since`; None unless it spoils the number inside.

    `begun`: whether the count is known to have begun then.
    """
    drift = snapshot.drift
    if drift is None or not drift.is_spoiling:
        return None
    return {
        "people": drift.unentered,
        "since": _epoch(drift.since),
        "begun": drift.is_begin_seen,
        "at": _epoch(drift.unentered_at),
    }


def _left_over(snapshot: Snapshot) -> dict[str, float | None] | None:
    """So many `people` were still counted inside when the count began again `at` a minute; None
    where that is not known of the minutes read, or they are few beside the highest number before.

    An opening after hours without anybody begins a count, too, of which nobody is left over.
    """
    resets = (count for count in reversed(snapshot.earlier_drifts) if count.is_reset_seen and count.unleft)
    before = next(resets, None)
    if before is None or not replace(before, unentered=0, is_whole=True).is_spoiling:
        return None
    return {"people": before.unleft, "at": _epoch(before.until)}


def _fullest(
    today: Sequence[Reading], snapshot: Snapshot, midnight: datetime
) -> dict[str, Number | None] | None:
    """`inside` people `at` a minute; `since` is null where that is the fullest of the whole day."""
    counts = (*snapshot.earlier_drifts, snapshot.drift) if snapshot.drift else ()
    found = fullest_today(today, counts, midnight)
    return found and {"inside": found.inside, "at": _epoch(found.at), "since": _epoch(found.since)}


def _points(snapshot: Snapshot, moment: Moment, known: Snapshot | None) -> list[list[Number | None]]:
    start = moment.wall - TREND
    recent = _since(snapshot.told, start)
    # Readings are shared between snapshots: one that was not replaced is the very same object.
    seen = {id(reading) for reading in _since(known.told, start)} if known else set()
    return [
        [int(reading.measured_at.timestamp()), reading.values.get(MetricKey.VISITORS_INSIDE)]
        for reading in recent
        if id(reading) not in seen
    ]


def _since(readings: Sequence[Reading], start: datetime) -> Sequence[Reading]:
    return readings[bisect_left(readings, start, key=lambda reading: reading.measured_at) :]


def _total(readings: Sequence[Reading], metric: MetricKey) -> Number | None:
    """None without any value: missing is never 0."""
    values = [reading.values[metric] for reading in readings if metric in reading.values]
    return sum(values) if values else None


def _epoch(moment: datetime | None) -> float | None:
    return None if moment is None else moment.timestamp()
