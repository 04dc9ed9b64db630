"""Since when a site is counted at all: asked only where a range turned out to hold nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Final, NamedTuple

from dateutil.relativedelta import relativedelta

from analysis.history_request import HistoryRequest
from analysis.peak_search import Ask
from analysis.time_range import TimeRange
from contract import Granularity
from contract.buckets import next_bucket_start
from contract.minutes import published_until

_LOOKED_BACK: Final = relativedelta(years=10)
"""A month's buckets of so many years are a small answer."""


class FirstCount(NamedTuple):
    day: datetime | None
    """Start of the first local day with a count, in UTC; None: there is none within ten years."""


def find_first_count(request: HistoryRequest, ask: Ask) -> FirstCount | None:
    """The first count of what `request` is about; None where it cannot be told.

    Two questions: which month, then which day of it.
    """
    now = published_until(request.asked_at)
    found = _first(request, TimeRange(now - _LOOKED_BACK, now), Granularity.MONTH, ask)
    if found is None or found.day is None:
        return found
    end = min(now, next_bucket_start(found.day, Granularity.MONTH, request.timezone))
    return _first(request, TimeRange(found.day, end), Granularity.DAY, ask)


def _first(
    request: HistoryRequest, range_: TimeRange, granularity: Granularity, ask: Ask
) -> FirstCount | None:
    asked = replace(request.over(range_, granularity), aggregation=None).queries()
    answers = ask(asked)
    if answers.keys() != asked.keys():
        return None
    starts = [point.timestamp for points in answers.values() for point in points if point.metrics]
    return FirstCount(min(starts, default=None))
