"""All that History answers about a range; and about one that holds no counts, since when there are any."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Final, NamedTuple

from dateutil.relativedelta import relativedelta

from analysis.comparison import Against
from analysis.counted_minutes import with_minutes
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
from contract.minutes import published_until

_LOOKED_BACK: Final = relativedelta(years=10)
"""A month's buckets of so many years are a small answer."""


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
    hours = read_hours(request, told)
    data = with_stays(replace(data, open_hours=open_by_label(hours, request.range)), request, hours, told)
    peaks = find_peaks(request, granularity, told, run_all=run)
    data, other_peaks = compared(
        data, request, compare.named, compare.against, told_other,
        run=told, run_all=run, asked_range=compare.asked,
    )  # fmt: skip
    return HistoryAnswer(with_untrusted(data, peaks, other_peaks), peaks, other_peaks)


class FirstCount(NamedTuple):
    """Since when a site is counted."""

    day: datetime | None
    """Start of the first local day with a count, in UTC; None: there is none within ten years."""


def find_first_count(request: HistoryRequest, run: RunQueries) -> FirstCount | None:
    """The first count of what `request` is about; None where that could not be read.

    Two queries: which month, then which day of it.
    """
    now = published_until(request.asked_at)
    found = _first(request, TimeRange(now - _LOOKED_BACK, now), Granularity.MONTH, run)
    if found is None or found.day is None:
        return found
    end = min(now, next_bucket_start(found.day, Granularity.MONTH, request.timezone))
    return _first(request, TimeRange(found.day, end), Granularity.DAY, run)


def _first(
    request: HistoryRequest, range_: TimeRange, granularity: Granularity, run: RunQueries
) -> FirstCount | None:
    asked = replace(request.over(range_, granularity), aggregation=None).queries()
    answers = run(asked)
    if answers.keys() != asked.keys():
        return None
    starts = [point.timestamp for points in answers.values() for point in points if point.metrics]
    return FirstCount(min(starts, default=None))
