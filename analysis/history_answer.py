"""All that History answers about a range."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from analysis.bucket_table import starts_of
from analysis.comparison import Against
from analysis.counted_minutes import row_minutes, with_minutes
from analysis.first_count import counted_since, first_bucket
from analysis.history_data import HistoryData, history_data
from analysis.history_request import HistoryRequest, Points, RunQueries
from analysis.open_hours import open_by_label, read_hours
from analysis.open_only import open_only
from analysis.other_period import Peaks, compared
from analysis.peak_search import find_peaks
from analysis.stays import with_stays
from analysis.time_range import NamedRange, TimeRange
from analysis.untrusted import with_untrusted
from contract import Granularity
from contract.buckets import next_bucket_start


class HistoryAnswer(NamedTuple):
    """What a page of History shows: the numbers by bucket, and the peaks of both periods."""

    data: HistoryData
    peaks: Peaks
    other_peaks: Peaks
    """Of the period that it is compared with."""


class ComparedRange(NamedTuple):
    """What is compared: the range's name and its whole, which may not be over, and with what."""

    named: NamedRange | None
    asked: TimeRange
    against: Against


def history_answer(
    request: HistoryRequest,
    points: Points,
    granularity: Granularity,
    compare: ComparedRange,
    *,
    run: RunQueries,
    run_other: RunQueries,
) -> HistoryAnswer:
    """The answer made from `points`, which are of `granularity`; what else it needs is queried with `run`.

    What could not be read is left out. `run_other` runs the queries for the buckets of the other period. Both
    answer of all hours; where the request has opening hours, `points` are of these alone, and so is what is
    made of them.
    """
    told, told_other = open_only(request, run), open_only(request, run_other)
    data = with_minutes(history_data(request, points, granularity), request, told)
    first = [row_minutes(data, label)[0] for label in data.labels]
    lacks = any(present is not None and present < expected for present, expected in first)
    since = counted_since(request, first_bucket(points), run, granularity, lacks_minutes=lacks)
    data = _since(data, since)
    hours = read_hours(request, told)
    data = with_stays(replace(data, open_hours=open_by_label(hours, request.range)), request, hours, told)
    peaks = find_peaks(request, granularity, told, run_all=run)
    data, other_peaks = compared(
        data, request, compare.named, compare.against, told_other,
        run=told, run_all=run, asked_range=compare.asked,
    )  # fmt: skip
    return HistoryAnswer(with_untrusted(data, peaks, other_peaks), peaks, other_peaks)


def _since(data: HistoryData, since: datetime | None) -> HistoryData:
    """The bucket in which counting began holds no more than a cut one does."""
    if since is None:
        return data
    cut = [
        row or start < since < next_bucket_start(start, data.granularity, data.timezone)
        for row, start in zip(data.cut, starts_of(data.table), strict=True)
    ]
    return replace(data, cut=cut, since=since)
