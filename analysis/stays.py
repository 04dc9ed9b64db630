"""How long people stay, as one number for a whole range."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from math import isnan
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from analysis.bucket_table import starts_of
from analysis.counted_minutes import held_minutes, with_minutes
from analysis.granularity import answered_in
from analysis.history_data import HistoryData, history_data
from analysis.history_request import HistoryRequest, Points, RunQueries
from analysis.open_hours import read_hours
from analysis.subject import Subject, SubjectKind
from analysis.time_inside import (
    NIGHT,
    Gap,
    Within,
    gaps_of,
    hours_of,
    mean_time_inside,
    telling_hours,
    within_hours,
)
from analysis.time_range import TimeRange
from contract import Aggregation, Granularity, MetricKey, MetricPoint, Number
from contract.buckets import bucket_start

_STAY, _CAME, _LEFT = MetricKey.TIME_SPENT, MetricKey.ENTRANCES, MetricKey.EXITS
_INSIDE = MetricKey.VISITORS_INSIDE
_NEARLY_A_DAY = timedelta(hours=23)
"""A service answers by the minute for a day at most; who was counted inside longer ago is not any more."""
_MINUTE: Final = 60.0
_HOUR: Final = timedelta(hours=1)


class _Counted(NamedTuple):
    """What is counted of a zone."""

    within: Mapping[datetime, Within]
    gaps: Sequence[Gap]


def with_stays(data: HistoryData, request: HistoryRequest, hours: Points, run: RunQueries) -> HistoryData:
    """`data` with the mean time inside of each zone, from its `hours`.

    Without that of one whose service does not tell it, or not who was inside when the range began and ended.
    Untold are those where these are too many beside those who came in, or those who were inside around
    minutes that are missing, or who left without being counted.
    """
    if not {_INSIDE, _STAY} & set(request.metrics):
        return data
    zones = [
        zone for zone, points in hours.items()
        if zone.kind is not SubjectKind.PASSAGE and any(_STAY in point.metrics for point in points)
    ]  # fmt: skip
    start, end = request.range
    edges = (
        TimeRange(start, min(end, start + _NEARLY_A_DAY)),
        TimeRange(max(start, end - _NEARLY_A_DAY), end),
    )
    # A range of less than a day is both.
    minutes = {edge: run({zone: request.minutes(zone, edge) for zone in zones}) for edge in set(edges)}
    first, last = (minutes[edge] for edge in edges)
    known = [
        zone
        for zone in zones
        if _are_minutes(first.get(zone), request.timezone) and _are_minutes(last.get(zone), request.timezone)
    ]
    if end - start <= 2 * _NEARLY_A_DAY:
        counted = {zone: _of_minutes((*first[zone], *last[zone]), request.timezone) for zone in known}
    else:
        counted = _of_hours(request, {zone: hours[zone] for zone in known}, run)
    found = {
        zone.label: mean_time_inside(
            hours_of(hours[zone], within, start, end),
            inside_before=_inside_before(first[zone]),
            inside_after=_inside_after(last[zone]),
            gaps=gaps,
        )
        for zone, (within, gaps) in counted.items()
    }
    untold = frozenset(label for label, stay in found.items() if stay is None)
    told = replace(
        data, stays={label: stay for label, stay in found.items() if stay is not None}, untold_stays=untold
    )
    if _STAY not in request.metrics:
        return told
    points = {zone: hours[zone] for zone in counted}
    telling = {
        zone.label: telling_hours(points[zone], hours_of(points[zone], within, start, end))
        for zone, (within, _) in counted.items()
    }
    if data.granularity is Granularity.MINUTE:
        points = {zone: [*first[zone], *last[zone]] for zone in counted}
    return replace(
        told,
        counted={zone.label: _rows_of(own, data) for zone, own in points.items()},
        cut_stays=_cut_stays(told, telling),
    )


def _rows_of(points: Sequence[MetricPoint], data: HistoryData) -> frozenset[datetime]:
    """Starts of the rows in which these are."""
    return frozenset(
        bucket_start(point.timestamp, data.granularity, data.timezone) for point in points if point.metrics
    )


def _cut_stays(
    data: HistoryData, telling: Mapping[str, frozenset[datetime]]
) -> dict[str, frozenset[datetime]]:
    """Of hours, those that do not tell; of minutes, which are shorter than a visit, all; of days, none."""
    if data.granularity not in {Granularity.HOUR, Granularity.MINUTE}:
        return {}
    starts, is_by_hour = starts_of(data.table), data.granularity is Granularity.HOUR
    return {
        label: frozenset(
            start
            for start, value in zip(starts, data.table[label, _STAY], strict=True)
            if not isnan(value) and not (is_by_hour and start in own)
        )
        for label, own in telling.items()
        if (label, _STAY) in data.table.columns
    }


def telling_stays(request: HistoryRequest, run: RunQueries) -> frozenset[datetime]:
    """Starts of those hours of one zone or site whose time inside is that of visits, as far as is read."""
    (zone,) = request.subjects
    points = read_hours(request, run).get(zone, ())
    counted = _of_hours(request, {zone: points}, run).get(zone) if points else None
    if counted is None:
        return frozenset()
    return telling_hours(points, hours_of(points, counted.within, *request.range))


def _are_minutes(points: Sequence[MetricPoint] | None, timezone: ZoneInfo) -> bool:
    """Whether they tell who was inside from minute to minute; a service may answer in longer buckets.

    Where nothing is counted all day, nobody is.
    """
    if points is None:
        return False
    has_all = all({_INSIDE, _CAME, _LEFT} <= set(point.metrics) for point in points)
    return not points or (has_all and answered_in(points, Granularity.MINUTE, timezone) is Granularity.MINUTE)


def _inside_before(minutes: Sequence[MetricPoint]) -> float:
    """Who was inside before the first of them."""
    return sum(one.metrics[_INSIDE] - one.metrics[_CAME] + one.metrics[_LEFT] for one in minutes[:1])


def _inside_after(minutes: Sequence[MetricPoint]) -> float:
    return sum(one.metrics[_INSIDE] for one in minutes[-1:])


def _of_minutes(minutes: Iterable[MetricPoint], timezone: ZoneInfo) -> _Counted:
    """Both ends of a range may hold the same ones."""
    inside = sorted({one.timestamp: one.metrics[_INSIDE] for one in minutes}.items())
    return _Counted(within_hours(inside, timezone), gaps_of(inside))


def _of_hours(request: HistoryRequest, zones: Points, run: RunQueries) -> dict[Subject, _Counted]:
    """Of a range of which not all minutes are asked; without zones of which an answer is missing."""
    if not zones:
        return {}
    asked = replace(
        request.over(request.range, Granularity.HOUR), metrics=(_INSIDE,), subjects=tuple(zones),
        aggregation=None,
    )  # fmt: skip
    data = with_minutes(history_data(asked, zones, Granularity.HOUR), asked, run)
    answers = run(replace(asked, aggregation=Aggregation.MINIMUM).queries())
    found, held = {}, held_minutes(Granularity.HOUR, data)
    for zone in zones:
        if zone in answers and (known := data.minutes.get(zone.label)) is not None:
            lowest = {point.timestamp: point.metrics.get(_INSIDE, 0) for point in answers[zone]}
            within = {
                start: Within(people, _MINUTE * (known.get(start) or held(start)))
                for start, people in lowest.items()
            }
            found[zone] = _Counted(within, _gaps(data, zone.label, lowest))
    return found


def _gaps(hours: HistoryData, label: str, lowest: Mapping[datetime, Number]) -> list[Gap]:
    """Around a missing minute were as many inside as in its hour on average, and around missing hours as in
    those beside: one empty minute says nothing of the others.

    Before and after a night there were as many as in the emptiest minute beside: a place closes, and its
    counters with it, also within an hour.
    """
    starts, known, held = starts_of(hours.table), hours.minutes[label], held_minutes(Granularity.HOUR, hours)
    values = zip(starts, hours.table[label, _INSIDE], strict=True)
    inside = {start: float(value) for start, value in values if not isnan(value)}
    gaps: list[Gap] = []
    beside_nights: set[datetime] = set()
    for before, after in pairwise((None, *inside, None)):
        begins = before + _HOUR if before else hours.range.start
        missing = (after or hours.range.end) - begins
        if missing <= timedelta(0):
            continue
        edges = [one for one in (before, after) if one]
        is_night = missing >= NIGHT or len(edges) == 1
        gaps.append(
            Gap(sum((lowest if is_night else inside).get(one, 0) for one in edges), missing.total_seconds())
        )
        beside_nights.update(edges if is_night else ())
    for start in inside.keys() & known.keys() - beside_nights:
        missed = round(held(start) - known[start])
        gaps += [Gap(2 * inside[start], _MINUTE)] * missed
    return gaps
