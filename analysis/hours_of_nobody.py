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
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.bucket_table import starts_of
from analysis.count_days import Numbers
from analysis.counted_minutes import held_minutes
from analysis.granularity import answered_in
from analysis.history_data import HistoryData
from analysis.history_request import HistoryRequest, RunQueries
from analysis.time_range import TimeRange, naive_local
from contract import METRICS, Granularity, MetricKind, MetricPoint

MOST_DAYS: Final = 28
"""Whose minutes are read, a query each."""
_HOURS_A_DAY: Final = 24
_HOURS_A_WEEK: Final = 7 * _HOURS_A_DAY
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
    people = _usual_people(data, label) if usual is None else _by_place(usual)
    days: defaultdict[date, list[datetime]] = defaultdict(list)
    worth: defaultdict[date, float] = defaultdict(float)
    for start, busy in _untold(data, label, people[_places(data)]):
        day = naive_local(start, data.timezone).date()
        days[day].append(start)
        worth[day] = max(worth[day], busy)
    read = sorted(days, key=lambda day: (-worth[day], -day.toordinal()))[:MOST_DAYS]
    queries = {
        day: request.minutes(subject, TimeRange(own[0], min(own[-1] + _HOUR, own[0] + _DAY)))
        for day, own in days.items()
        if day in read
    }
    if not queries:
        return data
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


def people_by_place(data: HistoryData, label: str) -> dict[Place, float]:
    """How many people the hours of the week have in which somebody mostly is: what `usual` takes."""
    usual = _usual_people(data, label)
    return {divmod(place, _HOURS_A_DAY): float(usual[place]) for place in np.flatnonzero(usual).tolist()}


def _untold(data: HistoryData, label: str, people: Numbers) -> list[tuple[datetime, float]]:
    """Starts of whole hours that have counts, and of which no sum tells how many minutes do, ascending; each
    with how many `people` there usually are, where that is somebody.
    """
    there = data.table[[label]].notna().any(axis="columns").to_numpy()
    known, starts = data.minutes[label], starts_of(data.table)
    return [
        (starts[row], float(people[row]))
        for row in np.flatnonzero(there & ~np.array(data.cut) & (people > 0))
        if starts[row] not in known
    ]


def _places(data: HistoryData) -> npt.NDArray[np.int64]:
    """Of each row the hour of the week by the local clock, 0 for Mondays at midnight."""
    index = pd.DatetimeIndex(data.table.index)
    return np.asarray(_HOURS_A_DAY * index.day_of_week + index.hour, dtype=np.int64)


def _by_place(usual: Mapping[Place, float]) -> Numbers:
    people = np.zeros(_HOURS_A_WEEK)
    for (weekday, hour), one in usual.items():
        people[_HOURS_A_DAY * weekday + hour] = one
    return people


def _usual_people(data: HistoryData, label: str) -> Numbers:
    """How many are counted in each hour of the week on average, of those in most of which somebody is: of the
    weekday, or of all days, since of one weekday most may have failed.
    """
    usual, places = np.zeros(_HOURS_A_WEEK), _places(data)
    for column in data.columns:
        if column[0] == label and METRICS[column[1]].kind is not MetricKind.MEAN:
            values = data.table[column].to_numpy()
            usual = np.maximum(usual, _mostly(values, places, _HOURS_A_WEEK))
            of_clock = _mostly(values, places % _HOURS_A_DAY, _HOURS_A_DAY)
            usual = np.maximum(usual, np.tile(of_clock, _HOURS_A_WEEK // _HOURS_A_DAY))
    return usual


def _mostly(values: Numbers, places: npt.NDArray[np.int64], count: int) -> Numbers:
    """Of each place the mean of its values, where at least half of them are above 0; else 0."""
    there = ~np.isnan(values)
    known = np.bincount(places[there], minlength=count)
    somebody = np.bincount(places[there & (values > 0)], minlength=count)
    means = np.bincount(places[there], weights=values[there], minlength=count) / np.maximum(known, 1)
    mostly: Numbers = np.where(2 * somebody >= known, means, 0.0)
    return mostly


def _counted(points: Sequence[MetricPoint], hours: Collection[datetime]) -> dict[datetime, int]:
    """Start of an hour -> its minutes with counts; without hours of which a service keeps no minutes."""
    moments = [point.timestamp for point in points]
    counts = {hour: bisect_left(moments, hour + _HOUR) - bisect_left(moments, hour) for hour in hours}
    return {hour: minutes for hour, minutes in counts.items() if minutes}
