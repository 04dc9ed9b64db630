"""All that History tells of a range, from the points of its buckets on."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from analysis.comparison import Against
from analysis.counted_minutes import with_minutes
from analysis.history_data import HistoryData, Points, history_data
from analysis.history_request import HistoryRequest
from analysis.hours import open_by_label, read_hours
from analysis.named_range import NamedRange
from analysis.other_period import Peaks, compared
from analysis.peak_search import Ask, find_peaks
from analysis.stays import with_stays
from analysis.time_range import TimeRange
from analysis.untrusted import with_untrusted
from contract import Granularity


class HistoryAnswer(NamedTuple):
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
    ask: Ask,
    ask_other: Ask,
) -> HistoryAnswer:
    """`points` answer `request` in buckets of `granularity`; what else is to be known is asked for.

    Of what could not be read, nothing is told. `ask_other` asks for the buckets of the other period.
    """
    data = with_minutes(history_data(request, points, granularity), request, ask)
    hours = read_hours(request, ask)
    data = with_stays(replace(data, open_hours=open_by_label(hours, request.range)), request, hours, ask)
    peaks = find_peaks(request, granularity, ask)
    data, other_peaks = compared(
        data, request, compare.named, compare.against, ask_other, ask=ask, asked_range=compare.asked
    )
    return HistoryAnswer(with_untrusted(data, peaks, other_peaks), peaks, other_peaks)
