"""For how many minutes of a day a place is at or above each of its thresholds, by weekday.

The highest minute of each hour tells on which days a threshold was reached; only of these are minutes read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Final, NamedTuple, Protocol, TypeVar
from zoneinfo import ZoneInfo

from analysis.granularity import answered_in
from analysis.history_request import HistoryRequest
from analysis.spoilt_days import SpoiltDays
from analysis.time_range import TimeRange, whole_day
from analysis.typical_day import needs_what_follows, sound_minutes
from contract import Granularity, MetricKey, MetricPoint, MetricsQuery
from contract.buckets import local_midnight

Key = TypeVar("Key")

MOST_DAYS: Final = 60
"""Whose minutes are read, the newest: some 5 MB."""
_INSIDE: Final = MetricKey.VISITORS_INSIDE
_DAY: Final = timedelta(days=1)
_HALF: Final = timedelta(hours=12)


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


def threshold_minutes(
    request: HistoryRequest, people: Sequence[float], *, run: Run, spoilt: SpoiltDays | None = None
) -> ThresholdMinutes | None:
    """`people` are the thresholds, ascending; `spoilt` days are left out. `request` is about one zone or a
    whole site and about whole local days. None: its hours cannot be read, or tell no people inside.
    """
    (subject,) = request.subjects
    hours = run({subject: request.peak(subject, request.range, Granularity.HOUR)}).get(subject)
    if hours is None or not all(_INSIDE in hour.metrics for hour in hours):
        return None
    highest: dict[date, float] = {}
    for hour in hours:
        day = hour.timestamp.astimezone(request.timezone).date()
        highest[day] = max(highest.get(day, 0), hour.metrics[_INSIDE])
    days = len(highest)
    unsound = sum(highest.pop(day, None) is not None for day in (spoilt.dates if spoilt else ()))
    reached = sorted((day for day in highest if highest[day] >= people[0]), reverse=True)
    points = _minutes_of(reached[:MOST_DAYS], request, run)
    after = _mornings_of([day + _DAY for day, own in points.items() if needs_what_follows(own)], request, run)
    none, unread = (0,) * len(people), reached[MOST_DAYS:]
    # Of days before the newest that is not read, those that reach no threshold would dilute the rest.
    since = max(unread, default=date.min)
    known = {day: none for day in highest if highest[day] < people[0] and day > since}
    for day, own in points.items():
        if (sound := sound_minutes(own, after.get(day + _DAY, ()))) is None:
            unsound += 1
            continue
        inside = [point.metrics[_INSIDE] for point in sound if _INSIDE in point.metrics]
        known[day] = tuple(sum(one >= threshold for one in inside) for threshold in people)
    return ThresholdMinutes(_by_weekday(known), unsound, days - len(known) - unsound)


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
