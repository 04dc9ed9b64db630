"""What probably was in hours that lack counts: the median of the same hour of such weekdays before.

An estimate is never a count: it stands in no total, no peak and no comparison. It is made of the hours that
lack minutes, whatever the size of the buckets one looks at, from the same weekdays of the weeks before each;
fewer than three of them make none. Past hours that lack minutes themselves, in which it was closed or in
which the number inside means nothing tell nothing, nor does a day on which nobody came though others did.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import partial
from math import isnan
from statistics import fmean
from typing import Final, NamedTuple

from analysis.bands import Band, added_up, band
from analysis.bucket_table import bucket_minutes, starts_of
from analysis.counted_minutes import few_minutes, held_minutes, with_minutes
from analysis.granularity import answered_in
from analysis.history_data import HistoryData, history_data, rows_that_count
from analysis.history_request import HistoryRequest, RunQueries
from analysis.open_time import Opening
from analysis.rhythm import DAYS_A_WEEK
from analysis.time_range import TimeRange, naive_local
from analysis.untrusted import SPOILT_METRICS
from contract import METRICS, Granularity, MetricKey, MetricKind
from contract.buckets import local_midnight, next_bucket_start

WEEKS: Final = 8
"""Before each day of which hours are missing; longer ago, and it is last season's."""
BACK: Final = timedelta(weeks=WEEKS, days=1)
"""More than so long before a range lies nothing that is read."""
FEWEST_DAYS: Final = 3
_HOUR: Final = timedelta(hours=1)
_WEEK: Final = timedelta(days=DAYS_A_WEEK)

Column = tuple[str, MetricKey]
"""Label and metric."""


class Estimated(NamedTuple):
    """Of the missing hours of one day, or of one of them."""

    people: Band
    """Of who came or went, so many more; of people inside, so many on average."""
    minutes: float
    """That are missing."""


class Estimates(NamedTuple):
    """Of each column that is estimated."""

    hours: Mapping[Column, Mapping[datetime, Estimated]]
    """By start of the hour, in UTC."""
    days: Mapping[Column, Mapping[date, Estimated]]
    """By local day; of who came or went alone, since people inside do not add up."""
    untold: Mapping[Column, float]
    """Missing minutes of which nothing can be estimated, though other such days have counts then."""
    unread: tuple[str, ...] = ()
    """Labels of those whose weeks before could not be read by the hour: of these nothing is known."""


class _Hour(NamedTuple):
    """An hour that lacks minutes."""

    start: datetime
    day: date
    clock: int
    """Of the local clock."""
    missing: float
    """Minutes."""
    held: float
    """Minutes of a whole one, or of what is open of it."""


def gap_estimates(
    request: HistoryRequest,
    run: RunQueries,
    *,
    opening: Opening | None = None,
    spoilt: Mapping[str, Collection[datetime]] | None = None,
) -> Estimates:
    """Of what is missing in the range of the request; what has to be read for that is queried with `run`.

    `opening` says when it is open, where somebody has; in closed hours nothing is missing. Without it, hours
    are expected that such weekdays before have. `spoilt` are starts of hours in which the number inside means
    nothing, by label.
    """
    start, end = request.range
    first = start.astimezone(request.timezone).date() - WEEKS * _WEEK
    past = request.over(TimeRange(local_midnight(first, request.timezone), end), Granularity.HOUR)
    past = replace(past, metrics=_estimated_metrics(request), aggregation=None)
    if not past.metrics:
        return Estimates({}, {}, {})
    queries = past.queries()
    answers = {
        subject: points
        for subject, points in run(queries).items()
        if not points or answered_in(points, Granularity.HOUR, past.timezone) is Granularity.HOUR
    }
    unread = tuple(subject.label for subject in queries if subject not in answers)
    if not answers:
        return Estimates({}, {}, {}, unread)
    data = with_minutes(history_data(past, answers, Granularity.HOUR), past, run)
    tell = partial(_of_column, data=data, request=request, opening=opening, spoilt=spoilt or {})
    found = {column: tell(column) for column in data.columns}
    return Estimates(
        {column: one.hours for column, one in found.items() if one.hours},
        {column: one.days for column, one in found.items() if one.days},
        {column: one.untold for column, one in found.items() if one.untold},
        unread,
    )


def _estimated_metrics(request: HistoryRequest) -> tuple[MetricKey, ...]:
    """Those whose buckets are sums or averages: a highest minute, or a mean over people, is not estimated."""
    return tuple(
        metric
        for metric in request.metrics
        if METRICS[metric].kind is not MetricKind.MEAN
        and request.aggregation in {None, METRICS[metric].default_aggregation}
    )


class _OfColumn(NamedTuple):
    hours: Mapping[datetime, Estimated]
    days: Mapping[date, Estimated]
    untold: float


def _of_column(
    column: Column,
    *,
    data: HistoryData,
    request: HistoryRequest,
    opening: Opening | None,
    spoilt: Mapping[str, Collection[datetime]],
) -> _OfColumn:
    label, metric = column
    is_flow = METRICS[metric].kind is MetricKind.FLOW
    unsound = spoilt.get(label, ()) if metric in SPOILT_METRICS else ()
    expected = opening.of(data.range) if opening else None
    values: defaultdict[tuple[date, int], list[float]] = defaultdict(list)
    lacking: list[_Hour] = []
    rows = zip(
        starts_of(data.table),
        data.table[column],
        few_minutes(data, label),
        rows_that_count(data),
        strict=True,
    )
    for start, value, few, counts in rows:
        local = naive_local(start, data.timezone)
        is_hour = next_bucket_start(start, Granularity.HOUR, data.timezone) - start == _HOUR
        is_open = expected is None or expected.of_bucket(start, Granularity.HOUR, data.timezone) > 0
        if not (counts and is_open and is_hour):
            continue
        held = held_minutes(start, Granularity.HOUR, data)
        if not isnan(value) and few is None:
            if start not in unsound and held == _whole(start, data):
                values[local.date(), local.hour].append(float(value))
            continue
        if isnan(value):
            missing = _missing(start, request)
        else:
            missing = held - few.present if few and is_flow and start >= request.range.start else 0
        if missing > 0:
            lacking.append(_Hour(start, local.date(), local.hour, missing, _whole(start, data)))
    told = _Past({key: fmean(own) for key, own in values.items()}, is_flow=is_flow)
    hours = {one.start: found for one in lacking if (found := told.of_hour(one))}
    days: dict[date, Estimated] = {}
    if is_flow:
        by_day: defaultdict[date, list[_Hour]] = defaultdict(list)
        for one in lacking:
            if one.start in hours:
                by_day[one.day].append(one)
        days = {day: told.of_day(own, hours) for day, own in by_day.items()}
    silent = [one for one in lacking if one.start not in hours and (expected or told.has_any(one))]
    return _OfColumn(hours, days, sum(one.missing for one in silent))


def _whole(start: datetime, data: HistoryData) -> float:
    """Minutes of an hour that no range cuts; of an hour that opens within, those that are open."""
    if data.open_time is not None:
        return data.open_time.of_bucket(start, Granularity.HOUR, data.timezone)
    return (next_bucket_start(start, Granularity.HOUR, data.timezone) - start) / timedelta(minutes=1)


def _missing(start: datetime, request: HistoryRequest) -> float:
    """Minutes of an hour without any count that the range holds; 0 where it holds none."""
    end = next_bucket_start(start, Granularity.HOUR, request.timezone)
    if start >= request.range.end or end <= request.range.start:
        return 0
    if request.open_time is not None:
        return request.open_time.of_bucket(start, Granularity.HOUR, request.timezone)
    return bucket_minutes(start, Granularity.HOUR, request.range, request.timezone)


class _Past:
    """The hours that are known, by day and hour of the local clock."""

    def __init__(self, values: Mapping[tuple[date, int], float], *, is_flow: bool) -> None:
        self._is_flow = is_flow
        self._values = _without_quiet_days(values)

    def of_hour(self, hour: _Hour) -> Estimated | None:
        days = self._days_before(hour.day)
        known = [self._values[day, hour.clock] for day in days if (day, hour.clock) in self._values]
        return self._estimated([self._part(value, hour) for value in known], hour.missing)

    def of_day(self, hours: Sequence[_Hour], told: Mapping[datetime, Estimated]) -> Estimated:
        """What these hours brought together on such days that have them all; else, hour by hour added up."""
        sums = [
            sum(self._part(self._values[day, one.clock], one) for one in hours)
            for day in self._days_before(hours[0].day)
            if all((day, one.clock) in self._values for one in hours)
        ]
        minutes = sum(one.missing for one in hours)
        return self._estimated(sums, minutes) or Estimated(
            added_up([told[one.start].people for one in hours]), minutes
        )

    def has_any(self, hour: _Hour) -> bool:
        return any((day, hour.clock) in self._values for day in self._days_before(hour.day))

    def _part(self, value: float, hour: _Hour) -> float:
        return value * hour.missing / hour.held if self._is_flow else value

    @staticmethod
    def _days_before(day: date) -> list[date]:
        return [day - weeks * _WEEK for weeks in range(1, WEEKS + 1)]

    @staticmethod
    def _estimated(values: Sequence[float], minutes: float) -> Estimated | None:
        return Estimated(band(values, len(values)), minutes) if len(values) >= FEWEST_DAYS else None


def _without_quiet_days(values: Mapping[tuple[date, int], float]) -> dict[tuple[date, int], float]:
    """Without days on which nobody came though on such a weekday somebody does: a holiday tells nothing."""
    of_day: defaultdict[date, float] = defaultdict(float)
    for (day, _), value in values.items():
        of_day[day] += value
    busy = {day.weekday() for day, people in of_day.items() if people > 0}
    return {
        (day, hour): value
        for (day, hour), value in values.items()
        if of_day[day] > 0 or day.weekday() not in busy
    }


def with_estimates(data: HistoryData, estimates: Estimates | None) -> HistoryData:
    """With what is estimated of its rows: of hours, and of days as far as hours add up.

    A minute or a month has none of its own. None: nobody asked.
    """
    if estimates is None:
        return data
    rows: dict[Column, dict[datetime, Band]] = {}
    if data.granularity is Granularity.HOUR:
        rows = {
            column: {start: one.people for start, one in own.items()}
            for column, own in estimates.hours.items()
        }
    elif data.granularity is Granularity.DAY:
        rows = {
            column: {local_midnight(day, data.timezone): one.people for day, one in own.items()}
            for column, own in estimates.days.items()
        }
    return replace(data, estimates=rows)
