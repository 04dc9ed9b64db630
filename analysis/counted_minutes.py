"""In how many of its minutes a place is counted, bucket by bucket, and the average over these minutes.

A point does not say how many minutes it holds; its sum divided by its average does, unless both are 0 or the
service answers either question alike. What has only entrances or exits is asked for these.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import lru_cache
from math import isnan, nan
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt

from analysis.bucket_table import AverageInside, Completeness, bucket_minutes, ends_are_one, starts_of
from analysis.history_data import HistoryData, holds_nights
from analysis.history_request import HistoryRequest, RunQueries
from analysis.made_once import made_once
from analysis.open_time import OpenTime
from analysis.rounded_averages import seen_and_unseen
from analysis.subject import Subject
from analysis.time_range import TimeRange
from contract import (
    METRICS,
    Aggregation,
    Granularity,
    MetricKey,
    MetricKind,
    MetricPoint,
    MetricsQuery,
    Number,
)
from contract.buckets import bucket_start, next_bucket_start

Minutes = npt.NDArray[np.float64]

_INSIDE = MetricKey.VISITORS_INSIDE
_NEARLY_ALL: Final = 0.95
"""From this part of the minutes on, those that are missing would hardly change the number."""


def with_minutes(
    data: HistoryData, request: HistoryRequest, run: RunQueries, *, tells_apart: bool = False
) -> HistoryData:
    """`data` with how many minutes are counted in each bucket; unchanged where its numbers do not show that.

    Of what `run` leaves out, it is not known. `tells_apart` is as for `seen_and_unseen`.
    """
    if data.granularity is Granularity.MINUTE:
        return data
    measures, answers = _measures(request), run(minutes_queries(request, data.granularity))
    held = held_minutes(data.granularity, data)
    found = {
        one.label: seen_and_unseen(
            *_sums_and_averages(points, one, measures[one], data), held, tells_apart=tells_apart
        )
        for one, points in answers.items()
    }
    return replace(
        data,
        minutes={label: seen for label, (seen, _) in found.items()},
        unseen={label: unseen for label, (_, unseen) in found.items() if unseen},
    )


def minutes_queries(request: HistoryRequest, granularity: Granularity) -> dict[Subject, MetricsQuery]:
    """What tells, beside the numbers themselves, how many minutes are counted; of those that can tell it."""
    asked = request.over(request.range, granularity)
    return {
        subject: replace(asked, metrics=(measure.metric,), aggregation=measure.asked).query(subject)
        for subject, measure in _measures(request).items()
    }


def _measures(request: HistoryRequest) -> dict[Subject, _Measure]:
    return {one: found for one in request.subjects if (found := _measure(one, request))}


class _Measure(NamedTuple):
    """The metric whose sum and average give the number of minutes, and which of both to query."""

    metric: MetricKey
    asked: Aggregation
    """The one of both that is not in the table."""


def _measure(subject: Subject, request: HistoryRequest) -> _Measure | None:
    """None where the table has neither sum nor average."""
    counted = (one for one in METRICS if METRICS[one].kind is not MetricKind.MEAN)
    metric = next((one for one in counted if one in subject.metrics(request.metrics)), None)
    if metric is None:
        return None
    other = {Aggregation.SUM: Aggregation.AVERAGE, Aggregation.AVERAGE: Aggregation.SUM}
    asked = other.get(request.aggregation or METRICS[metric].default_aggregation)
    return _Measure(metric, asked) if asked else None


def held_minutes(granularity: Granularity, data: HistoryData) -> Callable[[datetime], float]:
    """What tells the minutes of a bucket, by its start, that the range holds and that count."""
    return _holding(data)._replace(granularity=granularity).of


def is_nearly_all(minutes: Completeness) -> bool:
    """Whether the missing minutes would hardly change the number."""
    return minutes.present >= _NEARLY_ALL * minutes.expected


@made_once
def few_minutes(data: HistoryData, label: str) -> list[Completeness | None]:
    """Of each row, on how many of its minutes it rests; None for nearly all, or where that is not known."""
    return _few(starts_of(data.table), data.minutes.get(label, {}), _holding(data))


class Unseen(NamedTuple):
    """Minutes that may be missing though they are told as counted, of all that have people inside."""

    minutes: float
    of: float
    is_told: bool = True
    """Whether the numbers tell at all how many minutes they are of."""


def unseen_of(data: HistoryData, label: str, starts: Container[datetime] | None = None) -> Unseen:
    """Of all rows, or of those that begin at `starts`."""
    unseen, known = data.unseen.get(label, {}), data.minutes.get(label, {})
    own = {start: one for start, one in unseen.items() if starts is None or start in starts}
    held = held_minutes(data.granularity, data)
    others = (one for start, one in known.items() if start not in own and (starts is None or start in starts))
    return Unseen(sum(own.values()), sum(map(held, own)) + sum(others), bool(known))


def unseen_together(label: str, *periods: HistoryData) -> Unseen:
    found = [unseen_of(data, label) for data in periods]
    is_told = all(one.is_told or not one.minutes for one in found)
    return Unseen(sum(one.minutes for one in found), sum(one.of for one in found), is_told)


@made_once
def row_minutes(data: HistoryData, label: str) -> list[tuple[int | None, int]]:
    """Of each row, how many of its minutes are counted, and how many should be; None where it has counts and
    it is not known of how many minutes: nobody came, or was inside.
    """
    starts, known = starts_of(data.table), data.minutes.get(label, {})
    held = _held(tuple(starts), _holding(data))
    is_there = data.table[[label]].notna().any(axis="columns").tolist()
    is_minute = data.granularity is Granularity.MINUTE

    def counted(start: datetime, *, there: bool, most: int) -> int | None:
        if not there or is_minute:
            return most if there else 0
        return min(round(known[start]), most) if start in known else None

    return [
        (counted(start, there=there, most=round(most)), round(most))
        for start, there, most in zip(starts, is_there, held, strict=True)
    ]


@made_once
def rows_in_part(data: HistoryData, label: str) -> list[bool]:
    """Which rows hold less than such a stretch of the clock would: cut by the range, or as told below."""
    return [any(row) for row in zip(data.cut, open_in_part(data), lacking_rows(data, label), strict=True)]


@made_once
def open_in_part(data: HistoryData) -> list[bool]:
    """Which hours open or close within; of days and months, which all do, none."""
    starts = tuple(starts_of(data.table))
    if data.open_time is None or data.granularity is not Granularity.HOUR:
        return [False] * len(starts)
    whole, own = _held(starts, _holding(data)._replace(open_time=None)), _held(starts, _holding(data))
    return [bool(cut) for cut in (own > 0) & (own < whole)]


@made_once
def lacking_rows(data: HistoryData, label: str) -> list[bool]:
    """Which rows have counts of some of their minutes and lack others; none where nights would."""
    if holds_nights(data):
        return [False] * len(data.table)
    return [few is not None for few in few_minutes(data, label)]


@made_once
def few_earlier_minutes(data: HistoryData, label: str) -> list[Completeness | None]:
    """Likewise of the other period, on the same rows; known where totals are compared in rows as long."""
    totals = data.totals
    if totals is None or totals.unit is not data.granularity:
        return [None] * len(data.earlier_starts)
    other = _Held(data.granularity, totals.earlier.range, data.timezone, totals.earlier.open_time)
    return _few(data.earlier_starts, totals.earlier.minutes.get(label, {}), other)


class _Held(NamedTuple):
    """What says how many minutes of a bucket count."""

    granularity: Granularity
    range: TimeRange
    timezone: ZoneInfo
    open_time: OpenTime | None
    since: datetime | None = None

    def of(self, start: datetime) -> float:
        after = next_bucket_start(start, self.granularity, self.timezone)
        begin = start if self.since is None else max(start, self.since)
        if begin >= after:
            return 0.0
        if self.open_time is not None:
            return self.open_time.minutes(begin, after)
        range_ = self.range if self.since is None else TimeRange(max(begin, self.range.start), self.range.end)
        return bucket_minutes(start, self.granularity, range_, self.timezone)


def _holding(data: HistoryData) -> _Held:
    return _Held(data.granularity, data.range, data.timezone, data.open_time, data.since)


def _few(
    starts: Sequence[datetime | None], known: Mapping[datetime, float], holding: _Held
) -> list[Completeness | None]:
    few: list[Completeness | None] = [None] * len(starts)
    if not known:
        return few
    counted = np.array([nan if start is None else known.get(start, nan) for start in starts])
    held = _held(tuple(starts), holding)
    for row in np.flatnonzero(counted < held):
        found = Completeness(round(counted[row]), round(held[row]))
        few[row] = None if is_nearly_all(found) else found
    return few


@lru_cache(maxsize=16)  # of the few tables of a page, each asked again for every zone and sentence
def _held(starts: tuple[datetime | None, ...], holding: _Held) -> Minutes:
    """Minutes of each bucket that count; NaN for a row without one."""
    return np.array([nan if start is None else holding.of(start) for start in starts])


def _sums_and_averages(
    points: Sequence[MetricPoint], subject: Subject, measure: _Measure, data: HistoryData
) -> tuple[Mapping[datetime, Number], Mapping[datetime, Number]]:
    """Each by the start of its bucket."""
    column = (subject.label, measure.metric)
    if column not in data.table.columns:
        return {}, {}
    cells = zip(starts_of(data.table), data.table[column], strict=True)
    shown = {start: value for start, value in cells if not isnan(value)}
    answered = {point.timestamp: point.metrics.get(measure.metric) or 0 for point in points}
    return (answered, shown) if measure.asked is Aggregation.SUM else (shown, answered)


@made_once
def average_inside(data: HistoryData, label: str) -> AverageInside | None:
    """Average of people inside over the hours in which somebody was, whatever the size of the buckets.

    None where nobody was inside in any hour; `data` has minutes or hours of averages.

    Whoever is counted inside in a closed hour was left over, where it is known which are; of one that lacks
    minutes, that is not known.
    """
    column = data.table[label, _INSIDE]
    known, open_hours = data.minutes.get(label, {}), data.open_hours.get(label)
    minutes: dict[datetime, float] = defaultdict(float)
    people: dict[datetime, float] = defaultdict(float)
    parts: dict[datetime, set[datetime]] = defaultdict(set)
    closed: set[datetime] = set()
    in_closed: dict[datetime, float] = defaultdict(float)
    held_in = held_minutes(data.granularity, data)
    edges = (data.range.start, data.range.end - timedelta.resolution)
    first, last = (bucket_start(edge, Granularity.HOUR, data.timezone) for edge in edges)
    is_one = ends_are_one([first, last], data.range, data.timezone)
    for start, value in zip(starts_of(data.table), column, strict=True):
        if isnan(value):
            continue
        own = bucket_start(start, Granularity.HOUR, data.timezone)
        hour = first if is_one and own == last else own
        is_open = open_hours is None or own in open_hours
        weight = (known.get(start) or held_in(start)) if is_open else 0
        minutes[hour] += weight
        people[hour] += weight * value
        if is_open:
            parts[hour].add(own)
        else:
            in_closed[hour] += known.get(start) or held_in(start)
            if value > 0:
                closed.add(hour)
    busy = [hour for hour, inside in people.items() if inside > 0]
    if not busy:
        return None
    counted = sum(minutes[hour] for hour in busy)
    mean = sum(people[hour] for hour in busy) / counted
    of_hour = held_minutes(Granularity.HOUR, data)
    held = sum(map(of_hour, (part for hour in busy for part in parts[hour])))
    alone = closed.difference(busy)
    lacking = sum(
        not is_nearly_all(Completeness(round(in_closed[one]), round(of_hour(one)))) for one in alone
    )
    return AverageInside(
        mean,
        Completeness(len(busy), len(minutes)),
        Completeness(round(counted), round(held)),
        left_over=len(alone) - lacking,
        unknown=lacking,
    )
