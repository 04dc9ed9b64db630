"""Hours in which nobody was counted, and in how many of their minutes: a sum and an average of 0 do not tell.

An outage leaves an hour with a few counted minutes, all 0, which looks like a whole one in which nobody came.
Where somebody usually comes then, its minutes are read one by one; those first in which most do, since a 0
that is none changes most there.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from math import isnan
from typing import Final

from analysis.bucket_table import starts_of
from analysis.counted_minutes import held_minutes
from analysis.granularity import answered_in
from analysis.history_data import HistoryData
from analysis.history_request import HistoryRequest, RunQueries
from analysis.time_range import TimeRange, naive_local
from contract import METRICS, Granularity, MetricKind, MetricPoint

MOST_DAYS: Final = 28
"""Whose minutes are read, a query each."""
_HOUR: Final = timedelta(hours=1)
_DAY: Final = timedelta(days=1)

Place = tuple[int, int]
"""Weekday and hour of the local clock."""


def with_minutes_of_nobody(
    data: HistoryData, request: HistoryRequest, run: RunQueries, usual: Mapping[Place, float] | None = None
) -> HistoryData:
    """Hours of one place, as `with_minutes` gives them, with how many minutes those have that tell it by no
    sum; of what `run` leaves out, and of more than `MOST_DAYS`, it stays unknown.

    `usual`: how many people such hours have, of those in which somebody mostly is; None: as `data` has them.
    """
    (subject,) = request.subjects
    label = subject.label
    if label not in data.minutes:
        return data
    people = _usual_people(data, label) if usual is None else usual
    days: defaultdict[date, list[datetime]] = defaultdict(list)
    worth: defaultdict[date, float] = defaultdict(float)
    for start in _untold(data, label):
        local = naive_local(start, data.timezone)
        if busy := people.get((local.weekday(), local.hour)):
            days[local.date()].append(start)
            worth[local.date()] = max(worth[local.date()], busy)
    read = sorted(days, key=lambda day: (-worth[day], -day.toordinal()))[:MOST_DAYS]
    queries = {
        day: request.minutes(subject, TimeRange(own[0], min(own[-1] + _HOUR, own[0] + _DAY)))
        for day, own in days.items()
        if day in read
    }
    held, answers = held_minutes(Granularity.HOUR, data), run(queries)
    # One point alone may be of a minute or of an hour: together they tell.
    points = [point for day in sorted(answers) for point in answers[day]]
    if not points or answered_in(points, Granularity.MINUTE, data.timezone) is not Granularity.MINUTE:
        return data
    found = {
        start: min(float(counted), held(start))
        for day, own in answers.items()
        for start, counted in _counted(own, days[day]).items()
    }
    return replace(data, minutes={**data.minutes, label: {**data.minutes[label], **found}}) if found else data


def _untold(data: HistoryData, label: str) -> list[datetime]:
    """Starts of whole hours that have counts, and of which no sum tells how many minutes do; ascending."""
    there = data.table[[label]].notna().any(axis="columns")
    return [
        start
        for start, is_there, cut in zip(starts_of(data.table), there, data.cut, strict=True)
        if is_there and not cut and start not in data.minutes[label]
    ]


def _usual_people(data: HistoryData, label: str) -> dict[Place, float]:
    """How many are counted in such hours on average, of those in most of which somebody is: of the weekday,
    or of all days, since of one weekday most may have failed.
    """
    places = [naive_local(start, data.timezone) for start in starts_of(data.table)]
    usual: dict[Place, float] = {}
    for column in data.columns:
        if column[0] != label or METRICS[column[1]].kind is MetricKind.MEAN:
            continue
        seen: defaultdict[Place, list[float]] = defaultdict(list)
        of_clock: defaultdict[int, list[float]] = defaultdict(list)
        for place, value in zip(places, data.table[column], strict=True):
            if not isnan(value):
                seen[place.weekday(), place.hour].append(value)
                of_clock[place.hour].append(value)
        clock = {hour: _mostly(values) for hour, values in of_clock.items()}
        for of, values in seen.items():
            usual[of] = max(usual.get(of, 0.0), _mostly(values), clock[of[1]])
    return usual


def _mostly(values: Sequence[float]) -> float:
    """The mean, where at least half of them are above 0; else 0."""
    return sum(values) / len(values) if 2 * sum(value > 0 for value in values) >= len(values) else 0.0


def _counted(points: Sequence[MetricPoint], hours: Collection[datetime]) -> dict[datetime, int]:
    """Start of an hour -> its minutes with counts; without hours of which a service keeps no minutes."""
    moments = [point.timestamp for point in points]
    counts = {hour: bisect_left(moments, hour + _HOUR) - bisect_left(moments, hour) for hour in hours}
    return {hour: minutes for hour, minutes in counts.items() if minutes}
