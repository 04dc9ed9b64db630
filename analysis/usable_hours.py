"""Hours of past days and of today that a forecast may rest on: those as complete as such hours usually are.

A counter that fails for ten minutes of each evening tells that hour all the same, and what it will count of
it today; an hour that lacks more than such hours do would tell too little.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from math import isnan
from typing import Final, NamedTuple

from analysis.bucket_table import Completeness, starts_of
from analysis.counted_minutes import few_minutes, is_nearly_all, with_minutes
from analysis.expected_minutes import at_rates, minutes_by_clock, rates_of, usual_minutes
from analysis.history_data import history_data
from analysis.history_request import HistoryRequest, Points, RunQueries
from analysis.hours_of_nobody import with_minutes_of_nobody
from analysis.reporting_rate import EACH_MINUTE, MINUTES_AN_HOUR, MISSED, ReportingRate
from contract import Granularity
from contract.buckets import next_bucket_start

_MOST: Final = 0.75
"""Of an hour's minutes; one that usually lacks more is no measure of how busy it is."""
_HOUR: Final = timedelta(hours=1)


class HourSoFar(NamedTuple):
    start: datetime
    """First instant, UTC."""
    value: float | None
    """None: no counts, too few minutes, or a number that means nothing."""
    is_left_out: bool = False
    """Whether it has counts all the same."""


class UsableHours(NamedTuple):
    days: Mapping[date, list[HourSoFar]]
    """By local day, ascending, without days that have no counts; today's that are over, missing ones too."""
    rate: ReportingRate
    """How many of its minutes a whole hour has counts of."""
    partial: Mapping[tuple[int, int], Completeness]
    """Weekday and hour of the clock -> how many minutes such hours usually have counts of, where they are
    used though that is not nearly all.
    """


def usable_hours(request: HistoryRequest, points: Points, run: RunQueries) -> UsableHours:
    """`points` are the hours that answer `request`; how many of their minutes are counted is queried.

    An hour that a change of offset cuts is none: it holds fewer people than others. Of one in which nobody
    was counted though people come then its minutes are read: a few of them are no hour.
    """
    data = with_minutes(history_data(request, points, Granularity.HOUR), request, run)
    data = with_minutes_of_nobody(data, request, run)
    (label,) = data.labels
    rate = rates_of(data).get(label, EACH_MINUTE)
    data = at_rates(data, {label: rate})
    starts, timezone = starts_of(data.table), data.timezone
    values = data.table[label, request.metrics[0]]
    own = data.minutes.get(label, {})
    known = {row: own[start] for row, start in enumerate(starts) if start in own}
    opening = usual_minutes(starts, values.notna().to_numpy(), known, timezone)
    usual = {
        row: minutes
        for row, minutes in minutes_by_clock(starts, known, timezone).items()
        if minutes >= _MOST * MINUTES_AN_HOUR
    }
    found: defaultdict[date, list[HourSoFar]] = defaultdict(list)
    partial: dict[tuple[int, int], Completeness] = {}
    rows = zip(starts, data.cut, values, few_minutes(data, label), strict=True)
    for row, (start, cut, value, few) in enumerate(rows):
        if cut or next_bucket_start(start, data.granularity, timezone) - start != _HOUR:
            continue
        local, is_counted = start.astimezone(timezone), not isnan(value)
        expected = opening.get(row, usual.get(row))
        is_whole = few is None or (expected is not None and known[row] >= expected - MISSED)
        found[local.date()].append(
            HourSoFar(start, float(value)) if is_counted and is_whole else HourSoFar(start, None, is_counted)
        )
        minutes = Completeness(round(usual.get(row, MINUTES_AN_HOUR)), MINUTES_AN_HOUR)
        if row not in opening and not is_nearly_all(minutes):
            partial[local.weekday(), local.hour] = minutes
    today = request.asked_at.astimezone(timezone).date()
    days = {
        day: own
        for day, own in found.items()
        if day == today or any(one.value is not None or one.is_left_out for one in own)
    }
    return UsableHours(days, rate, partial)
