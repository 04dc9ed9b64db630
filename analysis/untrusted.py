"""When within a range the number inside cannot be trusted, as far as its counts were read.

Whether a count is spoilt is decided in `analysis/drift.py` (`Drift.is_spoiling`, decision 19); here its time
is laid over the buckets of both periods.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from operator import and_

import numpy as np

from analysis.bucket_table import Completeness, ends_are_one, starts_of
from analysis.history_data import HistoryData
from analysis.made_once import made_once
from analysis.peak_search import FoundPeak
from analysis.subject import Subject
from analysis.time_range import TimeRange
from contract import METRICS, Granularity, MetricKind
from contract.buckets import bucket_start, next_bucket_start

SPOILT_METRICS = frozenset(key for key, spec in METRICS.items() if spec.kind is not MetricKind.FLOW)
"""Time inside is made from the number inside."""
UNTRUSTED = "cannot be trusted"
UNCHECKED = "not checked"
"""Nobody knows whether who came and who left add up then."""

Peaks = Mapping[Subject, FoundPeak]


def with_untrusted(data: HistoryData, peaks: Peaks, other_peaks: Peaks) -> HistoryData:
    """`data` with the stretches in which counts are spoilt, of both periods."""
    return replace(
        data,
        untrusted=_stretches(peaks, data.range),
        earlier_untrusted=_stretches(other_peaks, data.earlier_range) if data.earlier_range else {},
    )


@made_once
def untrusted_rows(data: HistoryData, label: str) -> list[bool]:
    """Which rows hold a minute in which the number inside means nothing."""
    return _meet(starts_of(data.table), data.untrusted.get(label, ()), data)


@made_once
def untrusted_earlier_rows(data: HistoryData, label: str) -> list[bool]:
    """Likewise of the other period, on the same rows."""
    return _meet(data.earlier_starts, data.earlier_untrusted.get(label, ()), data)


@made_once
def doubts(data: HistoryData, label: str) -> list[str]:
    """Of each row, that the number inside means nothing, or that nobody knows whether it does; else empty."""
    unchecked = _meet(starts_of(data.table), data.unchecked.get(label, ()), data)
    return [
        UNTRUSTED if is_spoilt else UNCHECKED if is_unchecked else ""
        for is_spoilt, is_unchecked in zip(untrusted_rows(data, label), unchecked, strict=True)
    ]


@made_once
def earlier_doubts(data: HistoryData, label: str) -> list[str]:
    """Likewise of the other period, on the same rows: that it means nothing."""
    return [UNTRUSTED if is_spoilt else "" for is_spoilt in untrusted_earlier_rows(data, label)]


def is_peak_untrusted(found: FoundPeak, label: str, data: HistoryData, *, is_earlier: bool = False) -> bool:
    """Whether the highest number inside means nothing: by its minutes, or by the hours of its day."""
    stretches = (data.earlier_untrusted if is_earlier else data.untrusted).get(label, ())
    end = next_bucket_start(found.peak.start, found.granularity, data.timezone)
    return found.is_spoilt or any(one.start < end and found.peak.start < one.end for one in stretches)


def untrusted_part(data: HistoryData, label: str) -> Completeness:
    """In how many rows with people inside, or their time, it means nothing, of all that have either.

    The two ends of 24 hours from 18:06 on are one hour, of which either part may be meant.
    """
    return _part(data, label, untrusted_rows(data, label))


def unchecked_part(data: HistoryData, label: str) -> Completeness:
    """Likewise of rows of which nobody knows."""
    return _part(data, label, [doubt == UNCHECKED for doubt in doubts(data, label)])


def just_begun_part(data: HistoryData, label: str) -> Completeness:
    """Likewise of those among them that are of the day in which counting began."""
    begun = _meet(starts_of(data.table), data.begun.get(label, ()), data)
    return _part(
        data,
        label,
        [doubt == UNCHECKED and own for doubt, own in zip(doubts(data, label), begun, strict=True)],
    )


def _part(data: HistoryData, label: str, rows: Sequence[bool]) -> Completeness:
    resting = [of == label and metric in SPOILT_METRICS for of, metric in data.columns]
    there = (~np.isnan(data.table.to_numpy()[:, resting])).any(axis=1).tolist()
    starts = starts_of(data.table)
    is_split = data.granularity is not Granularity.MONTH and ends_are_one(starts, data.range, data.timezone)
    if is_split and there[0] and there[-1]:
        rows, there = [*rows[1:-1], rows[0] or rows[-1]], there[1:]
    return Completeness(sum(map(and_, rows, there)), sum(there))


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
    meets = [False] * len(starts)
    if not stretches:
        return meets
    rows = sorted((start, row) for row, start in enumerate(starts) if start)
    moments = [start for start, _ in rows]
    for one in stretches:
        first = bisect_left(moments, bucket_start(one.start, data.granularity, data.timezone))
        for _, row in rows[first : bisect_left(moments, one.end)]:
            meets[row] = True
    return meets
