"""What probably was in hours that lack counts: the median of the same hour of such weekdays before.

An estimate is never a count: it stands in no total, no peak and no comparison. It is made of the hours that
lack minutes, whatever the size of the buckets one looks at, from the same weekdays of the weeks before each;
fewer than three of them make none. Past hours that lack minutes themselves, in which it was closed or in
which the number inside means nothing tell nothing, nor does a day on which nobody came though others did.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from math import isnan
from statistics import fmean, median
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from analysis.bands import Band, added_up, band
from analysis.bucket_table import Completeness, starts_of
from analysis.counted_minutes import few_minutes, held_minutes, is_nearly_all, with_minutes
from analysis.expected_minutes import at_rates, rates_of
from analysis.forecast import SURELY_OPEN
from analysis.granularity import answered_in
from analysis.history_data import HistoryData, history_data, rows_that_count
from analysis.history_request import HistoryRequest, RunQueries
from analysis.hours_of_nobody import people_by_place, with_minutes_of_nobody
from analysis.rhythm import DAYS_A_WEEK
from analysis.time_range import TimeRange, naive_local, range_of_days
from analysis.untrusted import SPOILT_METRICS
from contract import METRICS, Granularity, MetricKey, MetricKind
from contract.buckets import local_midnight, next_bucket_start
from contract.minutes import MINUTE

WEEKS: Final = 8
"""Before each day of which hours are missing; longer ago, and it is last season's."""
BACK: Final = timedelta(weeks=WEEKS, days=1)
"""More than so long before a range lies nothing that is read."""
FEWEST_DAYS: Final = 3
_HOUR: Final = timedelta(hours=1)
_DAY: Final = timedelta(days=1)
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
    """By day of the site's clock; of who came or went alone, since people inside do not add up."""
    untold: Mapping[Column, Mapping[date, float]]
    """Missing minutes of which nothing can be estimated, by day of the site's clock: fewer such days before
    have counts then.
    """
    unread: tuple[str, ...] = ()
    """Labels of those whose weeks before could not be read by the hour: of these nothing is known."""
    is_too_often: bool = False
    """Whether it opens and closes within an hour so often that nothing was read."""


class _Hour(NamedTuple):
    """An hour that lacks minutes."""

    start: datetime
    day: date
    clock: int
    """Of the local clock."""
    missing: float
    """Minutes."""


class _Seen(NamedTuple):
    """An hour that has counts."""

    value: float
    minutes: float | None
    """That are counted; None: it is not known of how many."""


def gap_estimates(
    request: HistoryRequest, run: RunQueries, *, spoilt: Mapping[str, Collection[datetime]] | None = None
) -> Estimates:
    """Of what is missing in the range of the request; what has to be read for that is queried with `run`.

    The request is in the time zone of the site, by whose clock weekdays and hours are, and of open hours
    alone where somebody has said which: in closed minutes nothing is missing. Else minutes are expected that
    such weekdays before have. A report every few minutes stands for as many.

    `spoilt`: label -> starts of hours in which the number inside means nothing.
    """
    metrics = estimated_metrics(request)
    if not metrics or request.range.is_empty:
        return Estimates({}, {}, {})
    own = replace(request, metrics=metrics, aggregation=None, granularity=Granularity.HOUR)
    before = own.over(range_before(request), Granularity.HOUR)
    queries = own.queries()
    told, now = run(before.queries()), run(queries)
    answers = {
        subject: points
        for subject, points in told.items()
        if subject in now
        and (not points or answered_in(points, Granularity.HOUR, own.timezone) is Granularity.HOUR)
    }
    unread = tuple(subject.label for subject in queries if subject not in answers)
    if not answers:
        return Estimates({}, {}, {}, unread)
    past = _with_minutes(history_data(before, answers, Granularity.HOUR), before, run)
    shown = {subject: now[subject] for subject in answers}
    present = _with_minutes(history_data(own, shown, Granularity.HOUR), own, run)
    for subject in answers:
        usual = people_by_place(past, subject.label)
        past = with_minutes_of_nobody(past, replace(before, subjects=(subject,)), run)
        present = with_minutes_of_nobody(present, replace(own, subjects=(subject,)), run, usual)
    rates = rates_of(past)
    past, present = at_rates(past, rates), at_rates(present, rates)
    found = {column: _of_column(column, past, present, spoilt or {}) for column in present.columns}
    return Estimates(
        {column: one.hours for column, one in found.items() if one.hours},
        {column: one.days for column, one in found.items() if one.days},
        {column: one.untold for column, one in found.items() if one.untold},
        unread,
    )


def estimated_metrics(request: HistoryRequest) -> tuple[MetricKey, ...]:
    """Those whose buckets are sums or averages: a highest minute, or a mean over people, is not estimated."""
    return tuple(
        metric
        for metric in request.metrics
        if METRICS[metric].kind is not MetricKind.MEAN
        and request.aggregation in {None, METRICS[metric].default_aggregation}
    )


def range_before(request: HistoryRequest) -> TimeRange:
    """The whole days on which estimates rest; those of a range longer than a week are in it, but the last."""
    start, end = request.range
    days = (start.astimezone(request.timezone).date(), (end - MINUTE).astimezone(request.timezone).date())
    first, after = days[0] - WEEKS * _WEEK, days[1] - _WEEK + _DAY
    return range_of_days(first, after, request.timezone)


def _with_minutes(data: HistoryData, request: HistoryRequest, run: RunQueries) -> HistoryData:
    """By each of its metrics: where nobody is inside, who came or went still tells the minutes."""
    known: dict[str, dict[datetime, float]] = {}
    for metric in request.metrics:
        for label, own in with_minutes(data, replace(request, metrics=(metric,)), run).minutes.items():
            known[label] = {**own, **known.get(label, {})}
    return replace(data, minutes=known)


class _OfColumn(NamedTuple):
    hours: Mapping[datetime, Estimated]
    days: Mapping[date, Estimated]
    untold: Mapping[date, float]


def _of_column(
    column: Column,
    past: HistoryData,
    present: HistoryData,
    spoilt: Mapping[str, Collection[datetime]],
) -> _OfColumn:
    label, metric = column
    is_flow = METRICS[metric].kind is MetricKind.FLOW
    unsound = spoilt.get(label, ()) if metric in SPOILT_METRICS else ()
    told = _Past(_seen(column, past, unsound), is_flow=is_flow)
    lacking: list[_Hour] = []
    cells = zip(present.table[column], few_minutes(present, label), strict=True)
    for (start, local, held), (value, few) in zip(_hours(present), cells, strict=True):
        if not held or not (isnan(value) or is_flow):
            continue
        expected = held
        if present.open_time is None:
            # Which of its minutes such days have is not known: so many at least are within the range.
            expected = told.usual(local.date(), local.hour) - (_HOUR / MINUTE - held)
        counted = 0 if isnan(value) else few.present if few else held
        if expected > 0 and not is_nearly_all(Completeness(round(counted), round(expected))):
            lacking.append(_Hour(start, local.date(), local.hour, expected - counted))
    hours = {one.start: found for one in lacking if (found := told.of_hour(one))}
    days: dict[date, Estimated] = {}
    if is_flow:
        by_day: defaultdict[date, list[_Hour]] = defaultdict(list)
        for one in lacking:
            if one.start in hours:
                by_day[one.day].append(one)
        days = {day: told.of_day(own, hours) for day, own in by_day.items()}
    untold: defaultdict[date, float] = defaultdict(float)
    for one in lacking:
        if one.start not in hours:
            untold[one.day] += one.missing
    return _OfColumn(hours, days, dict(untold))


def _hours(data: HistoryData) -> Iterator[tuple[datetime, datetime, float]]:
    """Of each row its start, the same by the local clock, and its minutes that count: 0 where it is closed,
    or where the clocks change within it.
    """
    held_in = held_minutes(Granularity.HOUR, data)
    for start, counts in zip(starts_of(data.table), rows_that_count(data), strict=True):
        is_hour = next_bucket_start(start, Granularity.HOUR, data.timezone) - start == _HOUR
        held = held_in(start) if counts and is_hour else 0.0
        yield start, naive_local(start, data.timezone), held


def _seen(
    column: Column, data: HistoryData, unsound: Collection[datetime]
) -> Mapping[tuple[date, int], list[_Seen]]:
    """What tells something, by day and hour of the local clock: of open hours, those counted whole."""
    label, known = column[0], data.minutes.get(column[0], {})
    seen: defaultdict[tuple[date, int], list[_Seen]] = defaultdict(list)
    cells = zip(data.table[column], few_minutes(data, label), strict=True)
    for (start, local, held), (value, few) in zip(_hours(data), cells, strict=True):
        if not held or isnan(value) or start in unsound:
            continue
        if data.open_time is None:
            seen[local.date(), local.hour].append(_Seen(float(value), known.get(start)))
        elif few is None:
            seen[local.date(), local.hour].append(_Seen(float(value), held))
    return seen


class _Past:
    """The hours that are known, by day and hour of the local clock."""

    def __init__(self, seen: Mapping[tuple[date, int], list[_Seen]], *, is_flow: bool) -> None:
        self._is_flow = is_flow
        self._seen = _without_quiet_days(seen)

    def usual(self, day: date, clock: int) -> float:
        """Minutes that such hours before have, most of them; 0: none has counts."""
        seen = [one for before in _days_before(day) for one in self._seen.get((before, clock), ())]
        known = [one.minutes for one in seen if one.minutes is not None]
        return median(known) if known else _HOUR / MINUTE if seen else 0

    def of_hour(self, hour: _Hour) -> Estimated | None:
        return _estimated([own[hour.start] for own in self._before([hour])], hour.missing)

    def of_day(self, hours: Sequence[_Hour], told: Mapping[datetime, Estimated]) -> Estimated:
        """What these hours brought together on such days that have them all; else, hour by hour added up."""
        minutes = sum(one.missing for one in hours)
        return _estimated([sum(own.values()) for own in self._before(hours)], minutes) or Estimated(
            added_up([told[one.start].people for one in hours]), minutes
        )

    def _before(self, hours: Sequence[_Hour]) -> list[dict[datetime, float]]:
        """By hour what each of such days before had of it, where it has them all. They are of one day."""
        usual = {one.start: self.usual(one.day, one.clock) for one in hours}
        found = []
        for day in _days_before(hours[0].day):
            own = {one.start: self._part(one, day, usual[one.start]) for one in hours}
            known = {start: value for start, value in own.items() if value is not None}
            found += [known] if len(known) == len(own) else []
        return found

    def _part(self, hour: _Hour, day: date, usual: float) -> float | None:
        """What such an hour had in as many minutes; None where it has less than what is usual of it."""
        seen = [
            one.value * hour.missing / max(usual, one.minutes or 0) if self._is_flow else one.value
            for one in self._seen.get((day, hour.clock), ())
            if one.minutes is None or is_nearly_all(Completeness(round(one.minutes), round(usual)))
        ]
        return fmean(seen) if seen else None


def _days_before(day: date) -> list[date]:
    return [day - weeks * _WEEK for weeks in range(1, WEEKS + 1)]


def _estimated(values: Sequence[float], minutes: float) -> Estimated | None:
    return Estimated(band(values, len(values)), minutes) if len(values) >= FEWEST_DAYS else None


def _without_quiet_days(
    seen: Mapping[tuple[date, int], list[_Seen]],
) -> dict[tuple[date, int], list[_Seen]]:
    """Without days on which nobody came though on such a weekday people do: a holiday tells nothing. Where
    few come, nobody may by chance.
    """
    of_day: defaultdict[date, float] = defaultdict(float)
    for (day, _), own in seen.items():
        of_day[day] += sum(one.value for one in own)
    busy = {day.weekday() for day, people in of_day.items() if people >= SURELY_OPEN}
    return {
        (day, hour): own for (day, hour), own in seen.items() if of_day[day] > 0 or day.weekday() not in busy
    }


def with_estimates(data: HistoryData, estimates: Estimates | None, timezone: ZoneInfo) -> HistoryData:
    """With what is estimated of its rows: of hours, and of days as far as hours add up.

    A minute or a month has none of its own, nor does a row that is no hour or day of the site, whose
    `timezone` this is. None: nobody asked.
    """
    if estimates is None:
        return data
    rows: dict[Column, dict[datetime, Band]] = {}
    starts = set(starts_of(data.table))
    if data.granularity is Granularity.HOUR:
        rows = {
            column: {start: one.people for start, one in own.items() if start in starts}
            for column, own in estimates.hours.items()
        }
    elif data.granularity is Granularity.DAY:
        rows = {
            column: {
                local_midnight(day, timezone): one.people
                for day, one in own.items()
                if all(
                    local_midnight(edge, timezone) == local_midnight(edge, data.timezone)
                    for edge in (day, day + _DAY)
                )
            }
            for column, own in estimates.days.items()
        }
    return replace(data, estimates={column: own for column, own in rows.items() if own})
