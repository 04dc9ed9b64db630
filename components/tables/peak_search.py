"""The fullest minute of a range, found in steps: the fullest bucket first, then within it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from components.tables.history_request import HistoryRequest
from components.tables.subject import Subject, SubjectKind
from components.tables.summary import Peak, peak_point
from components.tables.time_range import TimeRange
from contract import Granularity, MetricKey, MetricPoint, MetricsQuery
from contract.buckets import next_bucket_start

Ask = Callable[[Mapping[Subject, MetricsQuery]], Mapping[Subject, Sequence[MetricPoint]]]
"""Asks several queries; what fails is absent from the answer."""


class FoundPeak(NamedTuple):
    peak: Peak
    granularity: Granularity
    """How exactly its time is known."""


class _Search(NamedTuple):
    range: TimeRange
    granularity: Granularity


def find_peaks(request: HistoryRequest, granularity: Granularity, ask: Ask) -> dict[Subject, FoundPeak]:
    """The highest people inside of each zone; at most three rounds of questions."""
    if MetricKey.VISITORS_INSIDE not in request.metrics:
        return {}
    zones = [subject for subject in request.subjects if subject.kind is not SubjectKind.PASSAGE]
    searches = {subject: _Search(request.range, granularity) for subject in zones}
    found: dict[Subject, FoundPeak] = {}
    while searches:
        answers = ask({zone: request.peak(zone, *search) for zone, search in searches.items()})
        peaks = {zone: peak_point(points, MetricKey.VISITORS_INSIDE) for zone, points in answers.items()}
        reached = {zone: FoundPeak(peak, searches[zone].granularity) for zone, peak in peaks.items() if peak}
        found |= reached
        searches = {
            zone: finer for zone, peak in reached.items() if (finer := _finer(peak, request)) is not None
        }
    return found


def _finer(found: FoundPeak, request: HistoryRequest) -> _Search | None:
    """Where to look more closely; None at the minute. Minutes are asked for a day at most."""
    if found.granularity is Granularity.MINUTE:
        return None
    after = next_bucket_start(found.peak.start, found.granularity, request.timezone)
    within = TimeRange(max(found.peak.start, request.range.start), min(after, request.range.end))
    is_month = found.granularity is Granularity.MONTH
    return _Search(within, Granularity.DAY if is_month else Granularity.MINUTE)
