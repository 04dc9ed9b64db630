"""A snapshot as the browser gets it: JSON with epoch seconds, ages instead of monotonic times."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from contract import MetricKey, Number
from live.clock import Moment
from live.snapshot import Reading, Snapshot

TREND: Final = timedelta(hours=2)
"""How far back the points go."""


def encode_feed(
    snapshot: Snapshot, moment: Moment, timezone: ZoneInfo, *, known: Snapshot | None = None
) -> dict[str, Any]:
    """The feed as of `moment`. With `known`, what the reader has already, `points` are only the new ones.

    Times are epoch seconds; `retry_in` and `confirmed_age` are seconds from and to `moment`, on the
    monotonic clock, so that no jump of a wall clock makes an old value look young.
    """
    latest = snapshot.latest
    today = _since(snapshot.readings, _midnight(moment.wall, timezone))
    return {
        "state": snapshot.state,
        "since": _epoch(snapshot.since),
        "reason": snapshot.reason,
        "next": snapshot.next_step,
        "retry_in": None if snapshot.retry_at is None else max(snapshot.retry_at - moment.monotonic, 0.0),
        "request_id": snapshot.request_id,
        "inside": latest.values.get(MetricKey.VISITORS_INSIDE) if latest else None,
        "measured_at": _epoch(latest.measured_at) if latest else None,
        "confirmed_age": (
            None if snapshot.confirmed_at is None else max(moment.monotonic - snapshot.confirmed_at, 0.0)
        ),
        "entrances_today": _total(today, MetricKey.ENTRANCES),
        "exits_today": _total(today, MetricKey.EXITS),
        "today_since": _epoch(today[0].measured_at) if today else None,
        "points": _points(snapshot, moment, known),
    }


def _points(snapshot: Snapshot, moment: Moment, known: Snapshot | None) -> list[list[Number | None]]:
    start = moment.wall - TREND
    recent = _since(snapshot.readings, start)
    # Readings are shared between snapshots: one that was not replaced is the very same object.
    seen = {id(reading) for reading in _since(known.readings, start)} if known else set()
    return [
        [int(reading.measured_at.timestamp()), reading.values.get(MetricKey.VISITORS_INSIDE)]
        for reading in recent
        if id(reading) not in seen
    ]


def _since(readings: Sequence[Reading], start: datetime) -> Sequence[Reading]:
    return readings[bisect_left(readings, start, key=lambda reading: reading.measured_at) :]


def _midnight(now: datetime, timezone: ZoneInfo) -> datetime:
    """Where today begins in the feed's zone; the day a site counts by, whatever its daily reset."""
    local = now.astimezone(timezone).replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    return local.astimezone(UTC)


def _total(readings: Sequence[Reading], metric: MetricKey) -> Number | None:
    """None without any value: missing is never 0."""
    values = [reading.values[metric] for reading in readings if metric in reading.values]
    return sum(values) if values else None


def _epoch(moment: datetime | None) -> float | None:
    return None if moment is None else moment.timestamp()
