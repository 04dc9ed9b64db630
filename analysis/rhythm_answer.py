"""All that Rhythm answers about some weeks: each hour, which of them bring most people, and today."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from math import isnan
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from analysis.bands import Band
from analysis.bucket_table import starts_of
from analysis.counted_minutes import few_minutes, with_minutes
from analysis.expected_minutes import at_rates, rates_of
from analysis.first_count import counted_since
from analysis.granularity import answered_in
from analysis.history_data import HistoryData, history_data
from analysis.history_request import HistoryRequest, Points, RunQueries
from analysis.hours_of_nobody import with_minutes_of_nobody
from analysis.open_time import Opening
from analysis.opening_hours import closed_hours
from analysis.reporting_rate import EACH_MINUTE, ReportingRate
from analysis.rhythm import (
    DAYS_A_WEEK,
    Hour,
    PowerHours,
    Rhythm,
    power_hours,
    rhythm,
    usual_sum,
)
from analysis.spoilt_days import SpoiltDays, spoilt_days
from analysis.stays import telling_stays
from analysis.subject import Subject
from analysis.time_range import TimeRange, counted_part
from analysis.untrusted import SPOILT_METRICS
from contract import METRICS, Granularity, MetricKey, MetricKind, MetricPoint
from contract.buckets import bucket_starts, local_midnight

_DAY: Final = timedelta(days=1)


class Bounds(NamedTuple):
    """When a site is open: an hour in which it opens or closes is to have counts of its open part."""

    opening: Opening
    is_open_alone: bool = False
    """Whether hours in no minute of which it is open are left out."""


class RhythmAnswer(NamedTuple):
    data: HistoryData
    """The hours of the weeks."""
    week: Rhythm
    power: PowerHours | None
    """None where nobody came in, or on too few days to tell."""
    spoilt: SpoiltDays | None
    """When the number inside means nothing; None where that cannot be told, or does not matter."""
    rate: ReportingRate = EACH_MINUTE
    """How many of its minutes a whole hour has counts of."""


def rhythm_request(
    site_id: str, subject: Subject, metric: MetricKey, weeks: int, *, timezone: ZoneInfo, now: datetime
) -> HistoryRequest:
    """The last `weeks` times seven whole local days before today, by the hour; `now` is aware.

    Entrances are asked for beside any metric: power hours are theirs, and a mean over people counts by them.
    """
    today = now.astimezone(timezone).date()
    first = local_midnight(today - weeks * DAYS_A_WEEK * _DAY, timezone)
    return HistoryRequest(
        site_id=site_id,
        subjects=(subject,),
        metrics=tuple(key for key in METRICS if key in {metric, MetricKey.ENTRANCES}),
        range=TimeRange(first, local_midnight(today, timezone)),
        timezone=timezone,
        asked_at=now,
        granularity=Granularity.HOUR,
    )


def counted_weeks(request: HistoryRequest, points: Sequence[MetricPoint], run: RunQueries) -> HistoryRequest:
    """The weeks since anything of the site was counted: hours before its first count lack nothing.

    `points` answer `request`; only where they begin late more is queried with `run`.
    """
    since = counted_since(request, points[0].timestamp if points else None, run)
    return request if since is None else replace(request, range=TimeRange(since, request.range.end))


def today_request(request: HistoryRequest) -> HistoryRequest | None:
    """The day after the weeks, as far as it is counted; None: no minute of it is."""
    after = request.range.end.astimezone(request.timezone).date() + _DAY
    today = counted_part(
        TimeRange(request.range.end, local_midnight(after, request.timezone)), request.asked_at
    )
    return None if today.is_empty else replace(request, range=today)


def rhythm_answer(
    request: HistoryRequest,
    points: Points,
    metric: MetricKey,
    *,
    run: RunQueries,
    bounds: Bounds | None = None,
) -> RhythmAnswer | None:
    """The answer made from `points`, which answer `request`; what else it needs is queried with `run`.

    None: `points` are no hours, but longer buckets.

    Minutes that are missing, and drift, are taken into account as far as they could be read.
    """
    if not are_hours(points, request.timezone):
        return None
    data = with_minutes_of_nobody(_hourly(request, points, bounds, run), request, run)
    (label,) = data.labels
    rate = rates_of(data).get(label, EACH_MINUTE)
    data = at_rates(data, {label: rate})
    closed = _left_out(request, bounds)
    # As rows that the range does not hold: on none of their days anything is missing.
    cut = [row or start in closed for row, start in zip(data.cut, starts_of(data.table), strict=True)]
    data = replace(data, cut=cut)
    spoilt = spoilt_days(request, run) if metric in SPOILT_METRICS else None
    doubtful = doubtful_of(request, metric, run)
    unsound, open_ = spoilt.hours if spoilt else frozenset(), _open(request, bounds)
    return RhythmAnswer(
        data,
        rhythm(data, label, metric, left_out=doubtful, spoilt=unsound, open_=open_),
        power_hours(rhythm(data, label, MetricKey.ENTRANCES, open_=open_)),
        spoilt,
        rate,
    )


def _hourly(request: HistoryRequest, points: Points, bounds: Bounds | None, run: RunQueries) -> HistoryData:
    data = history_data(request, points, Granularity.HOUR)
    if bounds is not None:
        data = replace(data, open_time=bounds.opening.or_closed_hours(request.range, request.timezone))
    return with_minutes(data, request, run)


def _left_out(request: HistoryRequest, bounds: Bounds | None) -> frozenset[datetime]:
    """Starts of hours."""
    if bounds is None or not bounds.is_open_alone:
        return frozenset()
    return closed_hours(bounds.opening.hours, request.range, request.timezone)


def _open(request: HistoryRequest, bounds: Bounds | None) -> frozenset[datetime]:
    """Starts of hours in which it is open, at least in part; none where nobody has said."""
    if bounds is None:
        return frozenset()
    hours = bucket_starts(*request.range, Granularity.HOUR, request.timezone)
    return frozenset(hours) - closed_hours(bounds.opening.hours, request.range, request.timezone)


def are_hours(points: Points, timezone: ZoneInfo) -> bool:
    """A service may answer in longer buckets."""
    return all(
        answered_in(own, Granularity.HOUR, timezone) is Granularity.HOUR for own in points.values() if own
    )


def doubtful_of(request: HistoryRequest, metric: MetricKey, run: RunQueries) -> frozenset[datetime]:
    """Starts of those hours of the range whose time inside says little of visits; of other metrics none."""
    if metric is not MetricKey.TIME_SPENT:
        return frozenset()
    hours = bucket_starts(*request.range, Granularity.HOUR, request.timezone)
    return frozenset(hours) - telling_stays(request, run)


class HourOfDay(NamedTuple):
    hour: int
    """Of the local clock; one that comes twice stands there twice."""
    value: float | None
    """None: no counts, or a number that means nothing."""


def hours_of_day(
    request: HistoryRequest,
    points: Points,
    metric: MetricKey,
    *,
    run: RunQueries,
    bounds: Bounds | None = None,
    week: RhythmAnswer | None = None,
) -> list[HourOfDay]:
    """The hours of a day that are over, ascending, `bounds` as in `rhythm_answer`. Of the weeks before it
    `week` tells how many minutes of an hour are counted, and when its number means nothing: such hours have
    no value.

    What their time inside needs is queried with `run`. Empty where `points` are no hours.
    """
    if not are_hours(points, request.timezone):
        return []
    unsound = week.spoilt.hours if week and week.spoilt else frozenset()
    data = counted_hours(request, points, bounds, run, week)
    closed = _left_out(request, bounds)
    few = few_minutes(data, request.subjects[0].label)
    values = data.table[request.subjects[0].label, metric]
    doubtful = doubtful_of(request, metric, run)
    return [
        HourOfDay(
            start.astimezone(data.timezone).hour,
            None
            if isnan(value) or missing is not None or start in doubtful or start in unsound
            else float(value),
        )
        for start, value, missing, cut in zip(starts_of(data.table), values, few, data.cut, strict=True)
        if not cut and start not in closed
    ]


def counted_hours(
    request: HistoryRequest, points: Points, bounds: Bounds | None, run: RunQueries, week: RhythmAnswer | None
) -> HistoryData:
    """Hours with how many of their minutes are counted, as far as `week` tells how many are to be: a report
    may stand for several, and where somebody usually comes a 0 may be one of a few minutes.
    """
    data = _hourly(request, points, bounds, run)
    if week is None:
        return data
    cells = week.week.cells.items()
    usual = {(hour.weekday, hour.hour): cell.value for hour, cell in cells if cell.value}
    data = with_minutes_of_nobody(data, request, run, usual)
    return at_rates(data, dict.fromkeys(data.labels, week.rate))


def usual_today(
    answer: RhythmAnswer, day: Sequence[HourOfDay], metric: MetricKey, weekday: int
) -> Band | None:
    """What is usual on such a weekday of what `day` tells: of who came or went the sum of the same hours, of
    anything else its last hour with counts. None: too few days tell.
    """
    hours = [one.hour for one in day if one.value is not None]
    if not hours:
        return None
    if METRICS[metric].kind is not MetricKind.FLOW:
        return answer.week.bands.get(Hour(weekday, hours[-1]))
    return usual_sum(answer.data, answer.data.labels[0], metric, weekday, set(hours))
