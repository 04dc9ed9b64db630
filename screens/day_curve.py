"""Today's curve beside that of a typical day: the median of the same weekday over six weeks.

Days on which drift spoils the number inside are left out, also where that shows at their next reset only.
Holidays are not known, and are days like others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

from analysis.drift import drifts
from analysis.time_inside import Gap, gaps_of, hours_of, mean_time_inside, within_hours
from analysis.told_levels import ToldLevel, told_levels
from analysis.typical_day import (
    TypicalDay,
    means_by_quarter,
    means_by_step,
    needs_what_follows,
    sound_minutes,
    typical_day,
)
from api_client import Client
from contract import (
    CROSSINGS,
    NOW,
    Granularity,
    MetricKey,
    MetricPoint,
    MetricsFilter,
    MetricsQuery,
    format_local,
)
from contract.buckets import local_midnight
from live.clock import local_zone
from live.snapshot import FeedKey
from screens.shared_reads import SharedReads

_WEEKS: Final = 6
_FRESH: Final = 6 * 3600.0
"""Seconds for which a typical day is kept."""
_FAILED: Final = 30.0
"""Seconds after which one that could not be read is asked for again."""
_LONGEST_RANGE: Final = timedelta(days=1)
"""Of minutes; what a day of 25 hours has beyond it is left out."""
_FEWEST_VISITS: Final = 20
"""With fewer, one visit that is cut off shifts the mean too far."""
_COUNT: Final = (MetricKey.VISITORS_INSIDE, *CROSSINGS)


class Day(NamedTuple):
    """One local day of one feed."""

    feed: FeedKey
    timezone: ZoneInfo
    date: date

    @classmethod
    def at(cls, present: datetime, feed: FeedKey, timezone: str) -> Day:
        """The local day at `present`, an aware time."""
        zone = local_zone(timezone)
        return cls(feed, zone, present.astimezone(zone).date())

    @property
    def start(self) -> datetime:
        """Local midnight, in UTC."""
        return local_midnight(self.date, self.timezone)

    @property
    def end(self) -> datetime:
        """The next local midnight, in UTC; 23, 24 or 25 hours later."""
        return self.earlier(-1).start

    def earlier(self, days: int) -> Day:
        return self._replace(date=self.date - timedelta(days=days))


class TodaySoFar(NamedTuple):
    points: tuple[tuple[int, float], ...]
    """(epoch seconds, mean people inside of the step that begins then), ascending; gaps stay gaps."""
    request_id: str
    as_of: datetime
    """By the service's clock, UTC."""
    gaps: tuple[Gap, ...] = ()
    """Minutes without counts between the first and the last."""
    by_hand: tuple[ToldLevel, ...] = ()
    """What somebody set by hand, in order."""
    time_inside: float | None = None
    """Mean seconds that people stayed; None: not read, or not known, as while many are still inside."""


def read_today(client: Client, day: Day) -> TodaySoFar:
    """Raises ApiClientError."""
    now = client.service_time
    start = max(day.start, now - _LONGEST_RANGE)
    answer = client.metrics(_minutes(day, format_local(start, day.timezone), NOW, MetricKey.VISITORS_INSIDE))
    inside = MetricKey.VISITORS_INSIDE
    counted = ((one.timestamp, one.metrics[inside]) for one in answer.points if inside in one.metrics)
    return TodaySoFar(
        means_by_step(answer.points),
        answer.request_id,
        now,
        tuple(gaps_of(counted)),
        told_levels(answer.warnings),
    )


def read_typical_day(client: Client, day: Day) -> TypicalDay:
    """Raises ApiClientError."""
    days = [_sound(client, day.earlier(7 * week)) for week in range(1, _WEEKS + 1)]
    means = [means_by_quarter(points, day.timezone) for points in days if points is not None]
    return typical_day(means, len(days) - len(means))


def typical_days(get_client: Callable[[], Client]) -> SharedReads[Day, TypicalDay]:
    """Each read once for all pages and walls. To be used within one event loop."""
    return SharedReads(lambda day: read_typical_day(get_client(), day), fresh=_FRESH, failed=_FAILED)


def read_time_inside(client: Client, day: Day, so_far: TodaySoFar) -> float | None:
    """Mean seconds that people stayed since midnight; None: not reported, few came in, or many of them are
    still inside, whose stay is not over, or were while minutes are missing, as `so_far` shows; or the number
    inside, from which it is made, means nothing at some time since midnight.

    Raises ApiClientError.
    """
    if not so_far.points:
        return None
    start = format_local(day.start, day.timezone)
    query = _minutes(day, start, NOW, MetricKey.TIME_SPENT, *_COUNT)
    points = client.metrics(query.model_copy(update={"granularity": Granularity.HOUR})).points
    if sum(point.metrics.get(MetricKey.ENTRANCES, 0) for point in points) < _FEWEST_VISITS:
        return None
    (_, before), (_, after) = so_far.points[0], so_far.points[-1]
    begin = max(day.start, client.service_time - _LONGEST_RANGE)
    minutes = client.metrics(_minutes(day, format_local(begin, day.timezone), NOW, *_COUNT)).points
    inside = ((one.timestamp, one.metrics.get(MetricKey.VISITORS_INSIDE, 0)) for one in minutes)
    hours = hours_of(points, within_hours(inside, day.timezone), day.start, so_far.as_of)
    mean = mean_time_inside(hours, inside_before=before, inside_after=after, gaps=so_far.gaps)
    return None if mean is None or _is_spoilt(client, day, minutes[:-1]) else mean


def _is_spoilt(client: Client, day: Day, over: Sequence[MetricPoint]) -> bool:
    """Whether drift spoils the number inside at some time of today, whose minutes are `over`. The day before
    is read, too, in which the count began that goes on at midnight.
    """
    counts = drifts((one.timestamp, one.metrics) for one in (*_whole(client, day.earlier(1)), *over))
    return any(count.is_spoiling and (count.busy_until or count.since) > day.start for count in counts)


def day_body(day: Day, today: TodaySoFar, typical: TypicalDay) -> dict[str, Any]:
    """The curve as JSON, times in epoch seconds. `until`: the end of the day."""
    return {
        "timezone": day.timezone.key,
        "day_start": int(day.start.timestamp()),
        "until": int(day.end.timestamp()),
        "typical": typical.points,
        "today": today.points,
        "request_id": today.request_id,
        "as_of": today.as_of.timestamp(),
    }


def _sound(client: Client, day: Day) -> Sequence[MetricPoint] | None:
    """Its `sound_minutes`. The next day is read, too, where it has to tell who was left over at the reset."""
    points = _whole(client, day)
    sound = sound_minutes(points, day.start)
    if sound is None or not needs_what_follows(points):
        return sound
    return sound_minutes(points, day.start, _whole(client, day.earlier(-1)))


def _whole(client: Client, day: Day) -> Sequence[MetricPoint]:
    end = min(day.end, day.start + _LONGEST_RANGE)
    span = (format_local(day.start, day.timezone), format_local(end, day.timezone))
    return client.metrics(_minutes(day, *span, *_COUNT)).points


def _minutes(day: Day, start: str, end: str, *metrics: MetricKey) -> MetricsQuery:
    return MetricsQuery(
        metrics=metrics,
        site_id=day.feed.site_id,
        from_=start,
        to=end,
        granularity=Granularity.MINUTE,
        timezone=day.timezone.key,
        filter=MetricsFilter(zone_ids=day.feed.zone_ids) if day.feed.zone_ids else None,
    )
