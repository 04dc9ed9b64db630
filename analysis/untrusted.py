"""When within a range the number inside cannot be trusted, as far as its counts were read.

Whether a count is spoilt is decided in `analysis/drift.py` (`Drift.is_spoiling`, decision 19); here its time
is laid over the buckets of both periods.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from analysis.bucket_table import starts_of
from analysis.history_data import HistoryData
from analysis.peak_search import FoundPeak
from analysis.subject import Subject
from analysis.time_range import TimeRange
from contract import METRICS, MetricKind
from contract.buckets import bucket_start

SPOILT_METRICS = frozenset(key for key, spec in METRICS.items() if spec.kind is not MetricKind.FLOW)
"""Time inside is made from the number inside."""
UNTRUSTED = "cannot be trusted"

Peaks = Mapping[Subject, FoundPeak]


def with_untrusted(data: HistoryData, peaks: Peaks, other_peaks: Peaks) -> HistoryData:
    """`data` with the stretches in which counts are spoilt, of both periods."""
    return replace(
        data,
        untrusted=_stretches(peaks, data.range),
        earlier_untrusted=_stretches(other_peaks, data.earlier_range) if data.earlier_range else {},
    )


def untrusted_rows(data: HistoryData, label: str) -> list[bool]:
    """Which rows hold a minute in which the number inside means nothing."""
    return _meet(starts_of(data.table), data.untrusted.get(label, ()), data)


def untrusted_earlier_rows(data: HistoryData, label: str) -> list[bool]:
    """Likewise of the other period, on the same rows."""
    return _meet(data.earlier_starts, data.earlier_untrusted.get(label, ()), data)


def _stretches(peaks: Peaks, range_: TimeRange) -> dict[str, list[TimeRange]]:
    found: dict[str, list[TimeRange]] = {}
    for subject, peak in peaks.items():
        for count in peak.spoilt:
            end = (count.busy_until or count.until) if count.until else None
            part = TimeRange(max(count.since, range_.start), min(end or range_.end, range_.end))
            if not part.is_empty:
                found.setdefault(subject.label, []).append(part)
    return found


def _meet(starts: Sequence[datetime | None], stretches: Sequence[TimeRange], data: HistoryData) -> list[bool]:
    rows = sorted((start, row) for row, start in enumerate(starts) if start)
    moments = [start for start, _ in rows]
    meets = [False] * len(starts)
    for one in stretches:
        first = bisect_left(moments, bucket_start(one.start, data.granularity, data.timezone))
        for _, row in rows[first : bisect_left(moments, one.end)]:
            meets[row] = True
    return meets
