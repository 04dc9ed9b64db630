"""Today's curve beside that of a typical day: the median of the same weekday over six weeks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from statistics import fmean, median
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

from api_client import Client, MetricsAnswer
from contract import (
    NOW,
    Granularity,
    MetricKey,
    MetricPoint,
    MetricsFilter,
    MetricsQuery,
    Number,
    format_local,
)
from live.snapshot import FeedKey

_WEEKS: Final = 6
_FEWEST_DAYS: Final = 3
"""Fewer days than this make no typical day."""
_QUARTER: Final = 15
"""Minutes of a step of the typical day."""
_STEP: Final = 300
"""Seconds of a step of today's curve: finer than a wall can show."""
_LONGEST_RANGE: Final = timedelta(days=1)
"""Of minutes; what a day of 25 hours has beyond it is left out."""


class Day(NamedTuple):
    """One local day of one feed."""

    feed: FeedKey
    timezone: ZoneInfo
    date: date

    @property
    def start(self) -> datetime:
        """Local midnight, in UTC."""
        return datetime.combine(self.date, time(), self.timezone).astimezone(UTC)

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
    """UTC."""


class TypicalDay(NamedTuple):
    points: tuple[tuple[int, float], ...]
    """(minutes after midnight by the local clock, people inside), ascending."""


def read_today(client: Client, day: Day) -> TodaySoFar:
    """Raises ApiClientError."""
    now = datetime.now(UTC)
    start = max(day.start, now - _LONGEST_RANGE)
    answer = client.metrics(_minutes_inside(day, format_local(start, day.timezone), NOW))
    return TodaySoFar(means_by_step(answer.points), answer.request_id, now)


def read_typical_day(client: Client, day: Day) -> TypicalDay:
    """Raises ApiClientError."""
    days = [day.earlier(7 * week) for week in range(1, _WEEKS + 1)]
    return typical_day([means_by_quarter(_whole(client, one).points, day.timezone) for one in days])


def means_by_step(points: Iterable[MetricPoint]) -> tuple[tuple[int, float], ...]:
    """The mean of each step of five minutes that has a value."""
    steps: defaultdict[int, list[Number]] = defaultdict(list)
    for point in points:
        if (inside := point.metrics.get(MetricKey.VISITORS_INSIDE)) is not None:
            steps[int(point.timestamp.timestamp()) // _STEP * _STEP].append(inside)
    return tuple((start, round(fmean(values), 1)) for start, values in sorted(steps.items()))


def means_by_quarter(points: Iterable[MetricPoint], timezone: ZoneInfo) -> dict[int, float]:
    """Minutes after midnight by the local clock -> the mean of that quarter of an hour."""
    quarters: defaultdict[int, list[Number]] = defaultdict(list)
    for point in points:
        if (inside := point.metrics.get(MetricKey.VISITORS_INSIDE)) is not None:
            local = point.timestamp.astimezone(timezone)
            quarters[(local.hour * 60 + local.minute) // _QUARTER * _QUARTER].append(inside)
    return {minute: fmean(values) for minute, values in quarters.items()}


def typical_day(days: Sequence[Mapping[int, float]]) -> TypicalDay:
    """The median by quarter of an hour; none where too few days have a value."""
    minutes = sorted({minute for day in days for minute in day})
    found = {minute: [day[minute] for day in days if minute in day] for minute in minutes}
    return TypicalDay(
        tuple(
            (minute, round(median(values), 1))
            for minute, values in found.items()
            if len(values) >= _FEWEST_DAYS
        )
    )


def day_body(day: Day, today: TodaySoFar, typical: TypicalDay) -> dict[str, Any]:
    """As the browser gets it; times are epoch seconds."""
    return {
        "timezone": day.timezone.key,
        "day_start": int(day.start.timestamp()),
        "typical": typical.points,
        "today": today.points,
        "request_id": today.request_id,
        "as_of": today.as_of.timestamp(),
    }


def _whole(client: Client, day: Day) -> MetricsAnswer:
    end = min(day.end, day.start + _LONGEST_RANGE)
    return client.metrics(
        _minutes_inside(day, format_local(day.start, day.timezone), format_local(end, day.timezone))
    )


def _minutes_inside(day: Day, start: str, end: str) -> MetricsQuery:
    return MetricsQuery(
        metrics=(MetricKey.VISITORS_INSIDE,),
        site_id=day.feed.site_id,
        from_=start,
        to=end,
        granularity=Granularity.MINUTE,
        timezone=day.timezone.key,
        filter=MetricsFilter(zone_ids=day.feed.zone_ids) if day.feed.zone_ids else None,
    )
