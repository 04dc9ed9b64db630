"""Since when anything is counted: what was before that is not missing.

This is asked of the whole site, whatever of it one looks at: one that has its first counter since Tuesday
lacks nothing of Monday. A zone or a door that is silent while others of its site are counted lacks its
minutes: whether it was there by then no count tells, and it must not become whole by having been silent.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from dateutil.relativedelta import relativedelta

from analysis.history_request import HistoryRequest, Points, RunQueries
from analysis.subject import Subject, SubjectKind
from analysis.time_range import TimeRange
from contract import CROSSINGS, Granularity, MetricKey
from contract.buckets import bucket_start, minute_range_is_allowed, next_bucket_start
from contract.minutes import published_until

_LOOKED_BACK: Final = (
    (relativedelta(years=10), Granularity.MONTH),
    (relativedelta(years=1), Granularity.MONTH),
    (relativedelta(days=31), Granularity.DAY),
)
"""A month's buckets of so many years are a small answer. How long a range may be, the specification leaves
open: where a service refuses the first, the next is asked for.
"""
_LATE: Final = timedelta(hours=1)
"""A range whose counts begin sooner begins with them."""
_LATELY: Final = timedelta(days=8)
"""Before a range: whoever closes at night or at weekends is counted then, which is a small question."""
_METRICS: Final = (MetricKey.VISITORS_INSIDE, *CROSSINGS)


class FirstCount(NamedTuple):
    """Since when a site is counted."""

    start: datetime | None
    """Of the first bucket with a count that was found, in UTC; None: none has one."""


def find_first_count(request: HistoryRequest, run: RunQueries) -> FirstCount | None:
    """The local day of the first count of what `request` is about; None where that could not be read.

    Two queries: which month, then which day of it; more where the service refuses so long a range. Of a
    shorter one it is not known, either, where it begins with counts.
    """
    now = published_until(request.asked_at)
    looked = _looked_back(request, now, run)
    if looked is None or looked.found.start is None:
        return looked and looked.found
    if not looked.is_longest and looked.found.start <= looked.since:
        return None
    end = min(now, next_bucket_start(looked.found.start, Granularity.MONTH, request.timezone))
    return _first(request, TimeRange(looked.found.start, end), Granularity.DAY, run)


def first_bucket(points: Points) -> datetime | None:
    """Start of the earliest that has counts; None: none has."""
    return min((own[0].timestamp for own in points.values() if own), default=None)


def counted_since(
    request: HistoryRequest,
    first: datetime | None,
    run: RunQueries,
    unit: Granularity = Granularity.HOUR,
    *,
    lacks_minutes: bool = False,
) -> datetime | None:
    """Start of the first minute in which anything of the site of `request` was counted, in UTC.

    None where that is not within its range: it was counted before, or nobody knows.

    `first` is the start of the earliest bucket, as long as `unit`, of what was read of the range; None: there
    is none. Only where the range does not begin with it, or where it is a day or a month that
    `lacks_minutes`, more is asked with `run`: whether anything was counted before, in a few questions, else
    in which minute of it the first was, in one; in two where that is known within more than a day alone.
    """
    start = request.range.start
    may_begin_within = lacks_minutes and unit in {Granularity.DAY, Granularity.MONTH}
    if first is None or (first - start < _LATE and not may_begin_within):
        return None
    site = Subject(SubjectKind.SITE, request.site_id, request.site_id)
    asked = replace(request, subjects=(site,), metrics=_METRICS, opening=None)
    lately = _first(asked, TimeRange(start - _LATELY, start), Granularity.DAY, run)
    if lately and lately.start:
        return None
    before = _looked_back(asked, start, run)
    if before and before.found.start:
        return None
    minute = _first(asked, _around_first(request, asked, first, unit, run), Granularity.MINUTE, run)
    if before is None and lately is None:  # asked for all the same: side by side, before anything is answered
        return None
    found = (minute and minute.start) or bucket_start(first, Granularity.HOUR, request.timezone)
    return None if found - start < _LATE else found


def _around_first(
    request: HistoryRequest, asked: HistoryRequest, first: datetime, unit: Granularity, run: RunQueries
) -> TimeRange:
    """A day of the range at most, in which the first minute of the site lies; `asked` is about that."""
    range_, size, known = request.range, Granularity.DAY, first
    is_site = all(one.kind is SubjectKind.SITE for one in request.subjects)
    if is_site and unit in {Granularity.MINUTE, Granularity.HOUR}:
        size = Granularity.HOUR
    elif minute_range_is_allowed(*range_, request.timezone):
        return range_
    elif (found := _first(asked, range_, size, run)) and found.start:
        known = found.start
    begin = bucket_start(known, size, request.timezone)
    return TimeRange(
        max(begin, range_.start), min(next_bucket_start(begin, size, request.timezone), range_.end)
    )


class _LookedBack(NamedTuple):
    found: FirstCount
    since: datetime
    """How far back was looked, in UTC."""
    is_longest: bool
    """Whether that is as far as anything is looked for."""


def _looked_back(request: HistoryRequest, until: datetime, run: RunQueries) -> _LookedBack | None:
    """The first count before then, as far back as the service answers; None where it does not."""
    for index, (back, size) in enumerate(_LOOKED_BACK):
        range_ = TimeRange(until - back, until)
        if found := _first(request, range_, size, run):
            return _LookedBack(found, range_.start, is_longest=index == 0)
    return None


def _first(
    request: HistoryRequest, range_: TimeRange, granularity: Granularity, run: RunQueries
) -> FirstCount | None:
    asked = replace(request.over(range_, granularity), aggregation=None).queries()
    answers = run(asked)
    if answers.keys() != asked.keys():
        return None
    starts = [point.timestamp for points in answers.values() for point in points if point.metrics]
    return FirstCount(min(starts, default=None))
