"""The fullest minute of a range, found in steps: the fullest bucket first, then within it; and its drift."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final, NamedTuple

from analysis.bucket_table import Peak, peak_point
from analysis.drift import Drift, MinutePoint, drifts
from analysis.granularity import answered_in
from analysis.history_request import HistoryRequest, RunQueries
from analysis.subject import Subject, SubjectKind
from analysis.time_range import TimeRange
from contract import Granularity, MetricKey
from contract.buckets import next_bucket_start
from contract.minutes import MINUTE, minute_floor, published_until

_LONGEST_DAY: Final = timedelta(hours=25)
_NEARLY_A_DAY: Final = timedelta(hours=23)
"""So that it is one day at most by every service's reckoning, also when the clocks change."""
_PIECES: Final = 4
_ROUNDS: Final = 4
"""From months by days to minutes, and once more where days are so rare that they look like months."""
_CLOSED: Final = timedelta(hours=3)
"""Without any minute for so long before it, the first minute that was read begins a count."""


class FoundPeak(NamedTuple):
    """The highest number inside of a range, and whether it can be trusted."""

    peak: Peak
    granularity: Granularity
    """How exactly its time is known."""
    drift: Drift | None = None
    """Of the count that holds it, from one daily reset to the next; None: not known."""
    other: Drift | None = None
    """Of the last other count in the range of which it is known that its drift spoils the number inside."""

    spoilt: tuple[Drift, ...] = ()
    """Of all counts in the range of which that is known, in order."""

    checked: TimeRange | None = None
    """Of which part of the range it is known whether entrances and exits add up; None: of nothing."""

    @property
    def is_spoilt(self) -> bool:
        """Whether the number inside means nothing at that time."""
        return self.drift is not None and self.drift.is_spoiling

    @property
    def is_somewhere_spoilt(self) -> bool:
        """Whether the number inside is known to mean nothing at some time of the range."""
        return self.is_spoilt or self.other is not None


class _Search(NamedTuple):
    range: TimeRange
    granularity: Granularity


def find_peaks(
    request: HistoryRequest, granularity: Granularity, run: RunQueries, *, run_all: RunQueries | None = None
) -> dict[Subject, FoundPeak]:
    """The highest people inside of each zone; at most five rounds of queries.

    Where `run` answers of open hours alone, `run_all` does of all: people are counted on after closing, and
    whether a count adds up shows in all of it.
    """
    if MetricKey.VISITORS_INSIDE not in request.metrics:
        return {}
    zones = [subject for subject in request.subjects if subject.kind is not SubjectKind.PASSAGE]
    searches = {subject: _Search(request.range, granularity) for subject in zones}
    found: dict[Subject, FoundPeak] = {}
    alone: set[Subject] = set()
    for _ in range(_ROUNDS):
        answers = run({zone: request.peak(zone, *search) for zone, search in searches.items()})
        peaks = {zone: peak_point(points, MetricKey.VISITORS_INSIDE) for zone, points in answers.items()}
        reached = {
            zone: FoundPeak(peak, answered_in(answers[zone], searches[zone].granularity, request.timezone))
            for zone, peak in peaks.items()
            if peak
        }
        found |= reached
        alone |= {zone for zone in reached if searches[zone].range.end - searches[zone].range.start <= MINUTE}
        searches = {
            zone: _finer(peak, request)
            for zone, peak in reached.items()
            if Granularity.MINUTE not in {peak.granularity, searches[zone].granularity}
        }
    minutes = {zone: found[zone]._replace(granularity=Granularity.MINUTE) for zone in alone}
    judged = _with_drift(found | minutes, request, run_all or run)
    return found | {zone: peak for zone, peak in judged.items() if zone not in alone or _are_minutes(peak)}


def _are_minutes(found: FoundPeak) -> bool:
    """Whether the service tells minutes about then, so that one that was asked for alone is one, too."""
    return found.drift is not None and found.drift.judged > 1


def _with_drift(
    found: Mapping[Subject, FoundPeak], request: HistoryRequest, run: RunQueries
) -> dict[Subject, FoundPeak]:
    """Those whose minute is known, each with the drift of its count."""
    exact = {zone: peak for zone, peak in found.items() if peak.granularity is Granularity.MINUTE}
    windows = {zone: _around(peak, request) for zone, peak in exact.items()}
    queries = {
        (zone, step): request.minutes(zone, piece)
        for zone, window in windows.items()
        for step in range(_PIECES)
        if not (piece := _piece(window, step)).is_empty
    }
    answers = run(queries)
    unread = {zone for zone, step in queries if (zone, step) not in answers}
    points: dict[Subject, list[MinutePoint]] = {
        zone: [
            (point.timestamp, point.metrics)
            for step in range(_PIECES)
            for point in answers.get((zone, step), ())
        ]
        for zone in exact
        if zone not in unread
    }
    return {zone: _judged(exact[zone], drifts(own), windows[zone], request) for zone, own in points.items()}


def _judged(
    found: FoundPeak, counts: Sequence[Drift], window: TimeRange, request: HistoryRequest
) -> FoundPeak:
    """A peak is judged by the count that holds it, and by no other."""
    own = next((count for count in reversed(counts) if count.since <= found.peak.start), None)
    others = [
        count for count in counts
        if count is not own and count.is_spoiling
        and _is_within(count, request.range) and _is_whole(count, window, request)
    ]  # fmt: skip
    spoilt = tuple(count for count in counts if count in others or (count is own and count.is_spoiling))
    judged = found._replace(drift=own, other=others[-1] if others else None, spoilt=spoilt)
    if own is None or not own.is_known:
        return judged
    start, end = request.range
    return judged._replace(checked=TimeRange(max(window.start, start), min(window.end, end)))


def _is_within(count: Drift, range_: TimeRange) -> bool:
    """Whether somebody was inside, as it counts, at some time of the range."""
    return count.since < range_.end and (count.busy_until or count.since) > range_.start


def _is_whole(count: Drift, window: TimeRange, request: HistoryRequest) -> bool:
    """Whether all of it was read; what begins with the window may have begun before."""
    is_over = count.until is not None or window.end >= published_until(request.asked_at)
    return is_over and count.since >= window.start + _CLOSED


def _around(found: FoundPeak, request: HistoryRequest) -> TimeRange:
    """Nearly two days before and after the middle of a range of a day, or the peak of a longer one.

    So the counts that hold any minute of it are read whole, and other days, which show when a count begins.
    """
    start, end = request.range
    is_a_day = end - start <= _LONGEST_DAY
    middle = minute_floor(start + (end - start) // 2 if is_a_day else found.peak.start)
    half = _PIECES // 2 * _NEARLY_A_DAY
    published = max(published_until(request.asked_at), found.peak.start + MINUTE)
    return TimeRange(middle - half, min(middle + half, published))


def _piece(window: TimeRange, step: int) -> TimeRange:
    """Less than a day of it, since a service answers by the minute for no longer; it may be empty."""
    start = window.start + step * _NEARLY_A_DAY
    return TimeRange(start, min(start + _NEARLY_A_DAY, window.end))


def _finer(found: FoundPeak, request: HistoryRequest) -> _Search:
    """Where to look more closely. Minutes are asked for a day at most."""
    after = next_bucket_start(found.peak.start, found.granularity, request.timezone)
    within = TimeRange(max(found.peak.start, request.range.start), min(after, request.range.end))
    is_month = found.granularity is Granularity.MONTH
    return _Search(within, Granularity.DAY if is_month else Granularity.MINUTE)
