"""The hours of zones on one grid, with its days: what Trust judges, and what others rest their verdict on."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, Final
from zoneinfo import ZoneInfo

import numpy as np

from analysis.bucket_table import Completeness, starts_of
from analysis.count_days import (
    CountDay,
    Hours,
    count_days,
    expected_hours,
    hours_before,
    hours_on,
    quietest_hour,
)
from analysis.counted_minutes import Unseen, few_minutes, unseen_of, with_minutes
from analysis.expected_minutes import held_minutes_of, lacking, rate_within, usual_minutes
from analysis.first_count import counted_since, first_bucket
from analysis.granularity import answered_in
from analysis.history_data import HistoryData, history_data
from analysis.history_request import HistoryRequest, Points, RunQueries
from analysis.reporting_rate import MINUTES_AN_HOUR, MISSED
from analysis.residue import DayBalance, day_balance
from analysis.subject import Subject
from analysis.told_resets import ToldReset, told_resets
from contract import Granularity, MetricPoint
from contract.buckets import bucket_starts
from contract.minutes import MINUTE

_ALL_DAYS: Final = 10_000
_HOUR: Final = timedelta(hours=1)


@dataclass(frozen=True, eq=False)
class Grid:
    """The zones on one grid of hours."""

    starts: tuple[datetime, ...]
    hours: Mapping[Subject, Hours]
    expected: Mapping[Subject, np.ndarray]
    days: tuple[CountDay, ...]
    begin: int
    zones: Mapping[str, Subject]
    """By id; the site under that of the zone that alone stands for it."""
    timezone: ZoneInfo
    empty: tuple[Subject, ...] = ()
    """Without any point."""
    resets: Mapping[Subject, Sequence[ToldReset]] = field(default_factory=dict)
    """As the service tells them."""
    since: datetime | None = None
    """When the counts of the site begin; None: before these weeks, as far as anybody knows."""
    first: int = 0
    """Row of the hour in which they do."""
    before: Mapping[Subject, np.ndarray] = field(default_factory=dict)
    """What of the day in which counts begin lies before that, without which it is not whole."""
    unseen: Mapping[Subject, Unseen] = field(default_factory=dict)
    """Minutes of the days shown that may be missing though they look counted; absent: none may."""

    @cached_property
    def balances(self) -> Mapping[Subject, tuple[DayBalance, ...]]:
        """Of each day, in their order."""
        return {
            subject: tuple(
                day_balance(hours, self.expected[subject], day, self.before.get(subject)) for day in self.days
            )
            for subject, hours in self.hours.items()
        }


ReadGrid = Callable[[HistoryRequest], Grid | None]
"""`place_grid` of a request, as far as it can be read."""


def grid_of(
    request: HistoryRequest,
    by_id: Mapping[str, Subject],
    points: Points,
    days: int,
    *,
    run: RunQueries,
    warnings: Mapping[Subject, Sequence[Any]] | None = None,
) -> Grid | None:
    """Zones whose answers `points` are by the hour, over the last `days`; None where nothing is counted.

    How many minutes an hour has is queried with `run`, and since when the site is counted, where its counts
    begin late: days before that are none. `warnings` are those of the answers.
    """
    known = hourly_answers(points, request.timezone)
    if not known:
        return None
    starts = tuple(bucket_starts(*request.range, Granularity.HOUR, request.timezone))
    # Closed hours may have counts, which belong to the day.
    asked = replace(request, subjects=tuple(known), opening=None)
    data = with_minutes(history_data(asked, known, Granularity.HOUR), asked, run)
    of_site: dict[int, float] = {}
    hours = {}
    for subject, own in known.items():
        hours[subject], of_site = _hours_of(
            starts, own, subject.label, data=data, request=request, of_site=of_site
        )
    zones = {id_: subject for id_, subject in by_id.items() if subject in hours}
    begin = quietest_hour(starts, next(iter(hours.values())), request.timezone)
    all_days = count_days(starts, begin, request.timezone, end=request.range.end)
    since = counted_since(request, first_bucket(known), run)
    first = bisect_right(starts, since) - 1 if since else 0
    if since:
        held = (starts[first] + _HOUR - since) / MINUTE
        hours = {one: _begun(own, first, held) for one, own in hours.items()}
    zone, open_time = request.timezone, request.open_time
    expected: dict[Subject, np.ndarray] = {}
    for subject, counted in hours.items():
        # The first is the site.
        site = next(iter(expected.values()), None)
        expected[subject] = expected_hours(starts, counted, zone, open_time, begin=first, site=site)
    before = {
        subject: hours_before(starts, own, zone, all_days, open_time, begin=first)
        for subject, own in hours.items()
    }
    empty = tuple(subject for subject, own in points.items() if not own)
    resets = {subject: told_resets(own) for subject, own in (warnings or {}).items()}
    shown = tuple(day for day in all_days[-days:] if day.after > first)
    own_starts = frozenset(starts[shown[0].first : shown[-1].after] if shown else ())
    unseen = {one: unseen_of(data, one.label, own_starts) for one in hours if one.label in data.unseen}
    return Grid(
        starts, hours, expected, shown, begin, zones, zone, empty, resets, since, first, before, unseen
    )


def _begun(hours: Hours, row: int, held: float) -> Hours:
    """The hour in which counting began lacks nothing since then, and is no whole one unless it opens then."""
    if held >= hours.held.get(row, MINUTES_AN_HOUR) - MISSED:
        return hours
    part = Completeness(round(held), MINUTES_AN_HOUR)
    return replace(hours, minutes={row: part, **hours.minutes}, held={**hours.held, row: held})


def place_grid(request: HistoryRequest, run: RunQueries) -> Grid | None:
    """Of the one zone or site of the request, over all days of its range; None where nothing is counted, or
    it cannot be read.
    """
    return grid_of(request, {}, run(request.queries()), _ALL_DAYS, run=run)


def _hours_of(
    starts: Sequence[datetime],
    points: Sequence[MetricPoint],
    label: str,
    *,
    data: HistoryData,
    request: HistoryRequest,
    of_site: Mapping[int, float],
) -> tuple[Hours, dict[int, float]]:
    """Those of a zone, and what is usual of the first, which is the site: a zone in which few are does not
    tell that by itself.
    """
    rows = {start: row for row, start in enumerate(starts)}
    known = {rows[start]: minutes for start, minutes in data.minutes.get(label, {}).items() if start in rows}
    counted = hours_on(starts, points).counted
    rate = rate_within(counted, known)
    stood_for = {row: rate.of_an_hour(minutes) for row, minutes in known.items()}
    own = usual_minutes(starts, counted, stood_for, request.timezone)
    held = held_minutes_of(starts, {**of_site, **own}, request.open_time, request.timezone)
    few = zip(starts_of(data.table), few_minutes(data, label), strict=True)
    # A service may answer hours that begin at other minutes.
    on_grid = ((rows[start], one) for start, one in few if one is not None and start in rows)
    minutes = {row: one for row, one in on_grid if row not in held}
    found = hours_on(starts, points, {**minutes, **lacking(known, held, rate)}, held, rate)
    return found, dict(of_site or own)


def hourly_answers(points: Points, timezone: ZoneInfo) -> dict[Subject, Sequence[MetricPoint]]:
    """Those of which a grid can be laid out."""
    return {subject: own for subject, own in points.items() if own and is_hourly(own, timezone)}


def is_hourly(points: Sequence[MetricPoint], timezone: ZoneInfo) -> bool:
    """Whether a service answered by the hour, as it was asked."""
    return answered_in(points, Granularity.HOUR, timezone) is Granularity.HOUR
