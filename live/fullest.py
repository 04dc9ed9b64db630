"""The fullest minute of a feed's day so far, as far as its number inside means anything."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from analysis.drift import Drift
from contract import MetricKey, Number
from live.snapshot import Reading

_INSIDE = MetricKey.VISITORS_INSIDE


class Fullest(NamedTuple):
    at: datetime
    """Start of the minute; the first of several that were as full."""
    inside: Number
    since: datetime | None
    """Start of the count that it is the fullest minute of, where people were inside earlier today whose
    number cannot be trusted; None: it is the fullest of the whole day."""


def fullest_today(readings: Sequence[Reading], counts: Sequence[Drift], midnight: datetime) -> Fullest | None:
    """None while nobody was inside, where the present count's number means nothing, and of averages: those
    of an hour were exceeded within it.

    `readings` ascend; `counts` are what is known of the drift between their resets, in order.
    """
    today = _since(readings, midnight)
    begin = _trusted_from(counts, today, midnight)
    if begin is None or any(reading.values.get(_INSIDE, 0) % 1 for reading in today):
        return None
    crowded = [reading for reading in _since(today, begin) if reading.values.get(_INSIDE, 0) > 0]
    if not crowded:
        return None
    most = max(crowded, key=lambda reading: reading.values[_INSIDE])
    before = today[: len(today) - len(_since(today, begin))]
    is_part = any(reading.values.get(_INSIDE, 0) > 0 for reading in before)
    return Fullest(most.measured_at, most.values[_INSIDE], begin if is_part else None)


def _trusted_from(counts: Sequence[Drift], today: Sequence[Reading], midnight: datetime) -> datetime | None:
    """From when on today all counts can be trusted."""
    if counts and counts[-1].is_spoiling:
        return None
    for count in reversed(counts[:-1]):
        if count.until and count.until > midnight and _is_spoilt(count, today):
            return count.until
    return midnight


def _is_spoilt(count: Drift, today: Sequence[Reading]) -> bool:
    """Of a count that is over. One that began before the first reading is judged by whom it left inside."""
    if count.is_whole:
        return count.is_spoiling
    own = [
        reading.values[_INSIDE]
        for reading in today
        if _INSIDE in reading.values and (count.until is None or reading.measured_at < count.until)
    ]
    return replace(count, is_whole=True, unleft=max([0, *own[-1:]])).is_spoiling


def _since(readings: Sequence[Reading], start: datetime) -> Sequence[Reading]:
    return readings[bisect_left(readings, start, key=lambda reading: reading.measured_at) :]
