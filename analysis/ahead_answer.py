"""All that Ahead answers: today so far, the hours to come, how wrong that was, what is left out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, datetime, timedelta
from statistics import fmean
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from analysis.bucket_table import Completeness
from analysis.drift import Drift, present_drift
from analysis.forecast import (
    BACK_WEEKS,
    FEWEST_DAYS,
    WEEKS,
    Day,
    Expected,
    Forecast,
    PastError,
    forecast,
    past_error,
)
from analysis.granularity import answered_in
from analysis.history_request import HistoryRequest, Points, RunQueries
from analysis.opening_hours import OpeningHours, closed_hours
from analysis.reporting_rate import EACH_MINUTE, ReportingRate
from analysis.subject import Subject
from analysis.time_range import TimeRange, whole_day
from analysis.typical_day import sound_minutes
from analysis.usable_hours import HourSoFar, UsableHours, usable_hours
from contract import Granularity, MetricKey, MetricPoint
from contract.buckets import bucket_start, bucket_starts, local_midnight
from contract.minutes import published_until

METRICS_AHEAD: Final = (MetricKey.VISITORS_INSIDE, MetricKey.ENTRANCES)
_LONGEST_MINUTES: Final = timedelta(hours=24)
"""For which any service answers by the minute."""
_MORNING: Final = timedelta(hours=12)
"""In which a count that went on at midnight ends."""

Sound = Mapping[date, datetime | None]
"""Day -> from when on its number inside means something; None: never. A day that was not read is absent."""
ReadSound = Callable[[Sequence[date]], Sound]
"""Reads it for some days."""


class HourAhead(NamedTuple):
    start: datetime
    """First instant, UTC."""
    expected: Expected | None
    """None: too few days tell, or it is closed."""
    is_closed: bool = False
    is_untold: bool = False
    """Whether most such days have counts of it, too few of which can be used."""
    minutes: Completeness | None = None
    """How many of its minutes usually have counts, where these are not nearly all."""


class Ahead(NamedTuple):
    so_far: tuple[HourSoFar, ...]
    """The hours of today that are over, ascending."""
    to_come: tuple[HourAhead, ...]
    """The hour that runs, and all that follow until midnight, closed ones among them."""
    forecast: Forecast
    error: PastError | None
    """None: too few days to tell."""
    spoilt: int = 0
    """Past days that are left out because their number inside means nothing."""
    unread: int = 0
    """Past days that are left out because their minutes could not be read."""
    is_today_spoilt: bool = False
    is_of_weekday: bool = False
    """Whether past days of today's weekday alone were looked at, since too few of these mean something."""
    rate: ReportingRate = EACH_MINUTE
    """How many of its minutes a whole hour has counts of."""

    @property
    def is_over(self) -> bool:
        """Whether no hour is to come in which the place is open."""
        return bool(self.to_come) and all(one.is_closed for one in self.to_come)

    @property
    def known(self) -> list[tuple[datetime, Expected]]:
        """The hours to come of which something is expected."""
        return [(one.start, one.expected) for one in self.to_come if one.expected]

    @property
    def untold(self) -> list[datetime]:
        """Starts of open hours to come of which nothing can be told, though such days have counts then."""
        return [one.start for one in self.to_come if one.is_untold]


def ahead_request(
    site_id: str, subject: Subject, metric: MetricKey, *, timezone: ZoneInfo, now: datetime
) -> HistoryRequest:
    """The weeks before today that a forecast and its error need, and today so far; `now` is aware."""
    today = now.astimezone(timezone).date()
    first = local_midnight(today - timedelta(weeks=WEEKS + BACK_WEEKS), timezone)
    return HistoryRequest(
        site_id=site_id,
        subjects=(subject,),
        metrics=(metric,),
        range=TimeRange(first, max(published_until(now), local_midnight(today, timezone))),
        timezone=timezone,
        asked_at=now,
        granularity=Granularity.HOUR,
    )


def today_of(request: HistoryRequest) -> TimeRange:
    """The minutes of today so far, a day of 24 hours at most; empty in its first minute."""
    today = request.asked_at.astimezone(request.timezone).date()
    end = request.range.end
    return TimeRange(max(local_midnight(today, request.timezone), end - _LONGEST_MINUTES), end)


def evening_before(request: HistoryRequest) -> TimeRange:
    """The day before today, as long as the count that goes on may have begun in it; later on, empty."""
    midnight = all_of_today(request).start
    is_early = request.range.end - midnight < _MORNING
    return TimeRange(midnight - _LONGEST_MINUTES if is_early else midnight, midnight)


def spoilt_count(before: Sequence[MetricPoint], minutes: Sequence[MetricPoint]) -> Drift | None:
    """The count that goes on, by today's minutes and those of `evening_before`, where its number inside means
    nothing: who came and who left since before midnight are of it, too.
    """
    points = [(point.timestamp, point.metrics) for point in (*before, *minutes)]
    count = present_drift(points, before[0].timestamp) if before else None
    return count if count and count.is_spoiling else None


def today_since(
    minutes: Sequence[MetricPoint], spoilt: Drift | None, request: HistoryRequest
) -> datetime | None:
    """From when on today's number inside means something; None: never.

    Where a count goes on since yesterday and is `spoilt`, what follows it may mean something again.
    """
    begin = today_of(request).start
    if spoilt:
        return request.range.end if spoilt.since < begin else None
    return sound_since(minutes, (), begin)


def all_of_today(request: HistoryRequest) -> TimeRange:
    """From midnight to midnight."""
    return whole_day(request.asked_at.astimezone(request.timezone).date(), request.timezone)


def closed_ahead(opening: OpeningHours, request: HistoryRequest) -> frozenset[datetime]:
    """Starts of the hours to come of which no minute that is to come is open."""
    to_come = TimeRange(request.range.end, all_of_today(request).end)
    return closed_hours(opening, to_come, request.timezone)


def sound_since(
    points: Sequence[MetricPoint], after: Sequence[MetricPoint], start: datetime
) -> datetime | None:
    """From when on the number inside of a day means something, as far as its minutes `points` tell, and those
    that follow it (`after`): `start`, its first instant, or when the count of the evening before ended. None:
    never.
    """
    sound = sound_minutes(points, start, after)
    if sound is None:
        return None
    return sound[0].timestamp if len(sound) < len(points) else start


def ahead(
    request: HistoryRequest,
    points: Points,
    *,
    run: RunQueries,
    read_sound: ReadSound | None = None,
    sound_today: datetime | None = None,
    closed: Collection[datetime] = frozenset(),
) -> Ahead | None:
    """The answer made from `points`, which answer `request`; None where they are no hours.

    `closed` are starts of hours to come of which nothing is told. Of people inside, `read_sound` tells of
    past days what means something, and `sound_today` from when on today's does, None: never. Days of the same
    weekday are asked for first; where too few of them are sound, no others.
    """
    (own,) = points.values()
    if answered_in(own, Granularity.HOUR, request.timezone) is not Granularity.HOUR:
        return None
    today = request.asked_at.astimezone(request.timezone).date()
    usable = usable_hours(request, points, run)
    hours = usable.days
    past = [day for day in hours if day < today]
    to_come = _to_come(request, today)
    is_open = any(one not in closed for one in to_come)
    judged = _judged(past if is_open else (), today, read_sound) if read_sound else None
    if judged is not None:
        since = {**judged.since, today: sound_today}
        hours = {day: _usable(one, since.get(day)) for day, one in hours.items()}
    days = [Day(day, _by_clock(one, request.timezone)) for day, one in hours.items() if day < today]
    days = [one for one in days if one.hours]
    so_far = hours.get(today, [])
    names = {_clock(start, request.timezone) for start in to_come}
    open_ = {_clock(start, request.timezone) for start in to_come if start not in closed}
    is_today_spoilt = judged is not None and sound_today is None
    found = forecast(days, Day(today, _by_clock(so_far, request.timezone)), names)
    if is_today_spoilt:
        found = found._replace(hours={})
    return Ahead(
        tuple(so_far),
        tuple(
            HourAhead(one, None, is_closed=True)
            if one in closed
            else _ahead(one, found, usable, hours, request.timezone)
            for one in to_come
        ),
        found,
        past_error(days, today, names, open_) if found.hours else None,
        sum(one is None for one in judged.since.values()) if judged else 0,
        judged.unread if judged else 0,
        is_today_spoilt,
        judged is not None and judged.is_of_weekday,
        usable.rate,
    )


def _ahead(
    start: datetime,
    found: Forecast,
    usable: UsableHours,
    hours: Mapping[date, Sequence[HourSoFar]],
    timezone: ZoneInfo,
) -> HourAhead:
    """One that is open; `hours` are those that can be used."""
    local = start.astimezone(timezone)
    begin = local.date() - timedelta(weeks=WEEKS)
    expected = found.hours.get(local.hour)
    days = [
        own for day, own in hours.items() if begin <= day < local.date() and day.weekday() == local.weekday()
    ]
    counted = [
        any(_is_counted(one) and _clock(one.start, timezone) == local.hour for one in own) for own in days
    ]
    # As counts are to be expected at hours at which most weeks have some: else counters are at rest.
    is_to_be_counted = any(counted) and 2 * sum(counted) >= len(counted)
    minutes = usable.partial.get((local.weekday(), local.hour)) if expected else None
    return HourAhead(start, expected, is_untold=expected is None and is_to_be_counted, minutes=minutes)


class _Judged(NamedTuple):
    """Past days whose minutes were asked for."""

    since: Sound
    unread: int
    is_of_weekday: bool = False


def _judged(past: Sequence[date], today: date, read: ReadSound) -> _Judged:
    if not past:
        return _Judged({}, 0)
    same = [day for day in past if day.weekday() == today.weekday()]
    found = read(same)
    recent = [day for day in same if day >= today - timedelta(weeks=WEEKS)]
    if sum(found.get(day) is not None for day in recent) < FEWEST_DAYS:
        return _Judged(found, len(same) - len(found), is_of_weekday=True)
    found = {**found, **read([day for day in past if day not in same])}
    return _Judged(found, len(past) - len(found))


def _usable(hours: Sequence[HourSoFar], since: datetime | None) -> list[HourSoFar]:
    return [one if since and one.start >= since else _left_out(one) for one in hours]


def _left_out(hour: HourSoFar) -> HourSoFar:
    return HourSoFar(hour.start, None, _is_counted(hour))


def _is_counted(hour: HourSoFar) -> bool:
    return hour.is_left_out or hour.value is not None


def _by_clock(hours: Sequence[HourSoFar], timezone: ZoneInfo) -> dict[int, float]:
    values: defaultdict[int, list[float]] = defaultdict(list)
    for one in hours:
        if one.value is not None:
            values[_clock(one.start, timezone)].append(one.value)
    return {hour: fmean(own) for hour, own in values.items()}


def _to_come(request: HistoryRequest, today: date) -> list[datetime]:
    """First instants of the hours of today that are not over."""
    midnight, end = whole_day(today, request.timezone)
    first = bucket_start(max(request.range.end, midnight), Granularity.HOUR, request.timezone)
    return list(bucket_starts(first, end, Granularity.HOUR, request.timezone))


def _clock(start: datetime, timezone: ZoneInfo) -> int:
    return start.astimezone(timezone).hour
