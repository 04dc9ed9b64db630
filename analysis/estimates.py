"""What probably was in hours that lack counts: the median of the same hour of such weekdays before.

An estimate is never a count: it stands in no total, no peak and no comparison. It is made of the hours that
lack minutes, whatever the size of the buckets one looks at, from the same weekdays of the weeks before each;
fewer than three of them make none. Past hours that lack minutes themselves, in which it was closed or in
which the number inside means nothing tell nothing, nor does a day on which nobody came though others did.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta
from math import isnan
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from analysis.bands import Band
from analysis.bucket_table import Completeness, starts_of
from analysis.counted_minutes import few_minutes, is_nearly_all, with_minutes
from analysis.expected_minutes import at_rates, rates_of
from analysis.granularity import answered_in
from analysis.history_data import HistoryData, history_data
from analysis.history_request import HistoryRequest, RunQueries
from analysis.hours_of_nobody import people_by_place, with_minutes_of_nobody
from analysis.past_hours import WEEKS, Column, Estimated, LackingHour, PastHours, clock_hours, seen_hours
from analysis.reporting_rate import MINUTES_AN_HOUR
from analysis.rhythm import DAYS_A_WEEK
from analysis.time_range import TimeRange, range_of_days
from analysis.untrusted import SPOILT_METRICS
from contract import METRICS, Granularity, MetricKey, MetricKind
from contract.buckets import local_midnight
from contract.minutes import MINUTE

BACK: Final = timedelta(weeks=WEEKS, days=1)
"""More than so long before a range lies nothing that is read."""
_HOUR: Final = timedelta(hours=1)
_DAY: Final = timedelta(days=1)
_WEEK: Final = timedelta(days=DAYS_A_WEEK)


class Estimates(NamedTuple):
    """Of each column that is estimated."""

    hours: Mapping[Column, Mapping[datetime, Estimated]]
    """By start of the hour, in UTC."""
    days: Mapping[Column, Mapping[date, Estimated]]
    """By day of the site's clock; of who came or went alone, since people inside do not add up."""
    untold: Mapping[Column, Mapping[date, float]]
    """Missing minutes of which nothing can be estimated, by day of the site's clock: fewer such days before
    tell them.
    """
    unread: tuple[str, ...] = ()
    """Labels of those whose weeks before could not be read by the hour: of these nothing is known."""
    is_too_often: bool = False
    """Whether it opens and closes within an hour so often that nothing was read."""


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
    shown = {subject: now[subject] for subject in answers}
    past, present = _both_with_minutes(
        (history_data(before, answers, Granularity.HOUR), before),
        (history_data(own, shown, Granularity.HOUR), own),
        run,
    )
    for subject in answers:
        usual = people_by_place(past, subject.label)
        past = with_minutes_of_nobody(past, replace(before, subjects=(subject,)), run)
        present = with_minutes_of_nobody(present, replace(own, subjects=(subject,)), run, usual)
    rates = rates_of(past)
    past, present = at_rates(past, rates), at_rates(present, rates)
    intervals = {label: MINUTES_AN_HOUR / rate.fewest for label, rate in rates.items()}
    found = {
        column: _of_column(column, past, present, spoilt or {}, intervals.get(column[0], 1.0))
        for column in present.columns
    }
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


def _both_with_minutes(
    past: tuple[HistoryData, HistoryRequest], present: tuple[HistoryData, HistoryRequest], run: RunQueries
) -> tuple[HistoryData, HistoryData]:
    """Where any of it tells sums from averages, the service does: then lone minutes are told, too."""
    both = [_with_minutes(*one, run) for one in (past, present)]
    if any(minutes > 1 for data in both for own in data.minutes.values() for minutes in own.values()):
        for index, asked in enumerate((past, present)):
            known = both[index].minutes
            if not all(known.values()):
                lone = _with_minutes(*asked, run, tells_apart=True).minutes
                both[index] = replace(both[index], minutes={one: known[one] or lone[one] for one in known})
    return both[0], both[1]


def _with_minutes(
    data: HistoryData, request: HistoryRequest, run: RunQueries, *, tells_apart: bool = False
) -> HistoryData:
    """By each of its metrics: where nobody is inside, who came or went still tells the minutes."""
    known: dict[str, dict[datetime, float]] = {}
    for metric in request.metrics:
        of_metric = with_minutes(data, replace(request, metrics=(metric,)), run, tells_apart=tells_apart)
        for label, own in of_metric.minutes.items():
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
    interval: float,
) -> _OfColumn:
    """`interval`: minutes between two reports; of an hour that the range cuts the last may not be due yet."""
    label, metric = column
    is_flow = METRICS[metric].kind is MetricKind.FLOW
    unsound = spoilt.get(label, ()) if metric in SPOILT_METRICS else ()
    has_hours = present.open_time is not None
    told = PastHours(seen_hours(column, past, unsound), is_flow=is_flow, has_hours=has_hours)
    lacking: list[LackingHour] = []
    cells = zip(present.table[column], few_minutes(present, label), present.cut, strict=True)
    for (start, local, held), (value, few, is_cut) in zip(clock_hours(present), cells, strict=True):
        if not held or not (isnan(value) or is_flow):
            continue
        expected = held
        if not has_hours:
            # Which of its minutes such days have is not known: so many at least are within the range.
            expected = told.usual(local.date(), local.hour) - (_HOUR / MINUTE - held)
        counted = 0 if isnan(value) else few.present if few else held
        is_due = not is_cut or expected - counted > interval
        if expected > 0 and is_due and not is_nearly_all(Completeness(round(counted), round(expected))):
            lacking.append(LackingHour(start, local.date(), local.hour, expected - counted))
    hours = {one.start: found for one in lacking if (found := told.of_hour(one))}
    days: dict[date, Estimated] = {}
    if is_flow:
        by_day: defaultdict[date, list[LackingHour]] = defaultdict(list)
        for one in lacking:
            if one.start in hours:
                by_day[one.day].append(one)
        days = {day: told.of_day(own, hours) for day, own in by_day.items()}
    untold: defaultdict[date, float] = defaultdict(float)
    for one in lacking:
        if one.start not in hours:
            untold[one.day] += one.missing
    return _OfColumn(hours, days, dict(untold))


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
