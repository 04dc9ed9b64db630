"""For how many minutes of a day a place is at or above each of its thresholds, by weekday.

The highest minute of each hour tells on which days a threshold was reached; only of these are minutes read.
A minute without counts is not one below: a day that lacks some while people are inside tells nothing, and
where a counter reports every few minutes each report stands for as many.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol, TypeVar
from zoneinfo import ZoneInfo

from analysis.bucket_table import Completeness
from analysis.counted_minutes import is_nearly_all
from analysis.granularity import answered_in
from analysis.history_request import HistoryRequest
from analysis.reporting_rate import EACH_MINUTE, MINUTES_AN_HOUR, ReportingRate, reporting_rate
from analysis.spoilt_days import SpoiltDays, judged_hours
from analysis.time_range import TimeRange, naive_local, whole_day
from analysis.trust_grid import place_grid
from analysis.typical_day import needs_what_follows, sound_minutes
from contract import Granularity, MetricKey, MetricPoint, MetricsQuery, Number
from contract.buckets import bucket_starts, local_midnight

Key = TypeVar("Key")

MOST_DAYS: Final = 60
"""Whose minutes are read, the newest: some 5 MB."""
_INSIDE: Final = MetricKey.VISITORS_INSIDE
_DAY: Final = timedelta(days=1)
_HALF: Final = timedelta(hours=12)
_SECONDS_AN_HOUR: Final = 3600


class Run(Protocol):
    """Runs several queries; one that fails is absent from the answer."""

    def __call__(self, queries: Mapping[Key, MetricsQuery], /) -> Mapping[Key, Sequence[MetricPoint]]: ...


class WeekdayMinutes(NamedTuple):
    days: int
    """With counts, and known to the minute."""
    minutes: tuple[int, ...]
    """Of all these days, at or above each threshold."""


class ThresholdMinutes(NamedTuple):
    by_weekday: Mapping[int, WeekdayMinutes]
    """0 is Monday; without those of which no day is known."""
    spoilt: int
    """Days that are left out because the number inside means nothing then."""
    unread: int
    """Days that are left out because their minutes were not read: too many, or a failure."""
    lacking: tuple[date, ...] = ()
    """Days that are left out because minutes of theirs have no counts, or all, ascending."""
    left_out: Mapping[int, int] = MappingProxyType({})
    """Weekday -> its days that are not known, for whichever reason; of weekdays on which anything is told."""

    def is_told(self, weekday: int) -> bool:
        """Whether at least half of its days are known; else it is not known how such days are."""
        known = self.by_weekday[weekday].days if weekday in self.by_weekday else 0
        return known > 0 and known >= self.left_out.get(weekday, 0)


def threshold_minutes(
    request: HistoryRequest, people: Sequence[float], *, run: Run, spoilt: SpoiltDays | None = None
) -> ThresholdMinutes | None:
    """`people` are the thresholds, ascending; `spoilt` days are left out. `request` is about one zone or a
    whole site and about whole local days, but for the first, on which counting may begin. None: its hours
    cannot be read, or tell no people inside.
    """
    (subject,) = request.subjects
    hours = run({subject: request.peak(subject, request.range, Granularity.HOUR)}).get(subject)
    if hours is None or not all(_INSIDE in hour.metrics for hour in hours):
        return None
    peaks = {hour.timestamp: hour.metrics[_INSIDE] for hour in hours}
    highest: dict[date, float] = {}
    for start, inside in peaks.items():
        day = start.astimezone(request.timezone).date()
        highest[day] = max(highest.get(day, 0), inside)
    counted = _counted(request, peaks, run)
    within = {at.astimezone(request.timezone).date() for at in _days_of(request)}
    days = {*highest, *within.intersection(counted.lacking)}
    unsound = [day for day in (spoilt.dates if spoilt else ()) if highest.pop(day, None) is not None]
    lacking = sorted(days.intersection(counted.lacking).difference(unsound))
    for day in lacking:
        highest.pop(day, None)
    reached = sorted((day for day in highest if highest[day] >= people[0]), reverse=True)
    points = _minutes_of(reached[:MOST_DAYS], request, run)
    after = _mornings_of([day + _DAY for day, own in points.items() if needs_what_follows(own)], request, run)
    rate = _rate(counted.rate, points.values())
    none, unread = (0,) * len(people), reached[MOST_DAYS:]
    # Of days before the newest that is not read, those that reach no threshold would dilute the rest.
    since = max(unread, default=date.min)
    known = {day: none for day in highest if highest[day] < people[0] and day > since}
    for day, own in points.items():
        midnight = whole_day(day, request.timezone).start
        if (sound := sound_minutes(own, midnight, after.get(day + _DAY, ()))) is None:
            unsound.append(day)
            continue
        told = [point.metrics[_INSIDE] for point in sound if _INSIDE in point.metrics]
        reports = [sum(one >= threshold for one in told) for threshold in people]
        known[day] = tuple(round(MINUTES_AN_HOUR / rate.mean * one) for one in reports)
    unknown, of_any = days.difference(known), {day.weekday() for day in days}
    return ThresholdMinutes(
        _by_weekday(known), len(unsound), len(unknown) - len(unsound) - len(lacking), tuple(lacking),
        Counter(day.weekday() for day in within.difference(known) if day.weekday() in of_any),
    )  # fmt: skip


def _days_of(request: HistoryRequest) -> Iterator[datetime]:
    """Of whole local days the first moment of each."""
    return bucket_starts(*request.range, Granularity.DAY, request.timezone)


class _Counted(NamedTuple):
    lacking: Collection[date] = ()
    """Days that lack minutes in which somebody may have been inside."""
    rate: ReportingRate = EACH_MINUTE


def _counted(request: HistoryRequest, peaks: Mapping[datetime, Number], run: Run) -> _Counted:
    """`peaks` are the highest minutes of hours, by start. Where the hours of the place cannot be read, it is
    not known of any day that it lacks minutes.
    """
    asked = judged_hours(request)
    grid = place_grid(asked, run)
    (zone,) = asked.subjects
    if grid is None or zone not in grid.hours:
        return _Counted()
    hours, expected = grid.hours[zone], grid.expected[zone] | grid.before[zone]
    places = [naive_local(start, request.timezone) for start in grid.starts]
    is_busy = [peaks.get(start, 0) > 0 for start in grid.starts]
    busy = {(place.weekday(), place.hour) for place, own in zip(places, is_busy, strict=True) if own}
    days: dict[date, list[int]] = defaultdict(list)
    for row, place in enumerate(places):
        if (place.weekday(), place.hour) in busy:
            days[place.date()].append(row)

    def minutes(row: int) -> float:
        held = hours.held.get(row, MINUTES_AN_HOUR)
        if grid.starts[row] not in peaks:
            return 0
        few = hours.minutes.get(row)
        return min(held, hours.rate.of_an_hour(few.present)) if few else held

    lacking = []
    for day, rows in days.items():
        within = [row for row in rows if is_busy[row]]
        # Between two hours with people it was open, though on most such weekdays the counter may have failed.
        own = [row for row in rows if expected[row] or (within and within[0] < row < within[-1])]
        held = sum(hours.held.get(row, MINUTES_AN_HOUR) for row in own)
        if not is_nearly_all(Completeness(round(sum(map(minutes, own))), round(held))):
            lacking.append(day)
    return _Counted(lacking, hours.rate)


def _rate(of_hours: ReportingRate, days: Collection[Sequence[MetricPoint]]) -> ReportingRate:
    """Of hours with one report each, the sum is the average: that they have one, only their minutes tell."""
    if of_hours is not EACH_MINUTE:
        return of_hours
    reports = Counter(point.timestamp.timestamp() // _SECONDS_AN_HOUR for own in days for point in own)
    return reporting_rate(reports.values())


def _minutes_of(days: Sequence[date], request: HistoryRequest, run: Run) -> dict[date, Sequence[MetricPoint]]:
    """In halves, since one of 25 hours is more than a service answers at once; without what fails."""
    (subject,) = request.subjects
    parts: dict[tuple[date, bool], TimeRange] = {}
    for day in days:
        start, end = whole_day(day, request.timezone)
        parts[day, False] = TimeRange(start, start + _HALF)
        parts[day, True] = TimeRange(start + _HALF, end)
    answers = run({part: request.minutes(subject, range_) for part, range_ in parts.items()})
    return {
        day: [*answers[day, False], *answers[day, True]]
        for day in days
        if all(
            (day, is_later) in answers and _are_minutes(answers[day, is_later], request.timezone)
            for is_later in (False, True)
        )
    }


def _are_minutes(points: Sequence[MetricPoint] | None, timezone: ZoneInfo) -> bool:
    """A service may answer in longer buckets, or not at all."""
    if points is None:
        return False
    return not points or answered_in(points, Granularity.MINUTE, timezone) is Granularity.MINUTE


def _mornings_of(
    days: Sequence[date], request: HistoryRequest, run: Run
) -> Mapping[date, Sequence[MetricPoint]]:
    """Which tell whether those who were inside at midnight had been left over."""
    (subject,) = request.subjects
    starts = {day: local_midnight(day, request.timezone) for day in days}
    return run({
        day: request.minutes(subject, TimeRange(start, start + _HALF))
        for day, start in starts.items() if start + _HALF <= request.asked_at
    })  # fmt: skip


def _by_weekday(known: Mapping[date, tuple[int, ...]]) -> dict[int, WeekdayMinutes]:
    own: dict[int, list[tuple[int, ...]]] = defaultdict(list)
    for day, minutes in known.items():
        own[day.weekday()].append(minutes)
    return {
        weekday: WeekdayMinutes(len(days), tuple(map(sum, zip(*days, strict=True))))
        for weekday, days in sorted(own.items())
    }
