"""What the streams of one question have to send: the buckets that changed, each to be sent once.

All open streams that ask the same share one `LiveSeries`. It holds the recent buckets as printed events,
reads again from the first minute that changed, and counts a bucket as changed when it prints differently. A
stream remembers only up to which change it has sent: one that waits for its reader takes no memory meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime
from itertools import takewhile
from typing import Any, Final, NamedTuple
from weakref import WeakValueDictionary

from starlette.concurrency import run_in_threadpool

from service.broadcast import Broadcast, SiteChanges
from service.envelope import print_json
from service.query.metrics_question import MetricsQuestion
from service.query.points import RecentPoints, recent_points
from service.store.protocol import MetricStore

SHORTEST_INTERVAL: Final = 1.0
"""Seconds between two updates of one stream, at least."""

Point = dict[str, Any]


def event(point: Point) -> bytes:
    return b"data: " + print_json(point) + b"\n\n"


class LiveSeries:
    """The recent buckets of one question. `read` is given the first changed minute; it blocks."""

    def __init__(self, changes: SiteChanges, read: Callable[[int], RecentPoints]) -> None:
        self._changes = changes
        self._read = read
        self._reading = asyncio.Lock()
        self._read_at: float | None = None
        self._events: dict[datetime, bytes] = {}
        self._changed: dict[datetime, int] = {}
        """The number of the change that changed a bucket last, ascending; not of the first reading."""
        self.number = 0
        """Of changes so far."""
        changes.note(0)

    async def catch_up(self) -> None:
        """Read what changed since the last reading. What fails is tried again by the next call."""
        async with self._reading:
            first_minute = self._changes.take()
            if first_minute is None:
                return
            try:
                recent, events = await run_in_threadpool(self._recent_events, first_minute)
            except BaseException:
                self._changes.note(first_minute)
                raise
            self._merge(recent, events)
            self._read_at = asyncio.get_running_loop().time()

    def rest(self) -> float:
        """Seconds until it is time to read again: streams of the same question wait for the same reading."""
        if self._read_at is None:
            return 0.0
        return max(self._read_at + SHORTEST_INTERVAL - asyncio.get_running_loop().time(), 0.0)

    def changed_since(self, number: int) -> list[datetime]:
        """Buckets that changed after change `number`, in the order of their timestamps."""
        later = takewhile(lambda item: item[1] > number, reversed(self._changed.items()))
        return sorted(start for start, _ in later)

    def event(self, start: datetime) -> bytes:
        return self._events[start]

    def newest(self) -> datetime | None:
        return max(self._events, default=None)

    def _recent_events(self, first_minute: int) -> tuple[RecentPoints, dict[datetime, bytes]]:
        recent = self._read(first_minute)
        return recent, {point["timestamp"]: event(point) for point in recent.points}

    def _merge(self, recent: RecentPoints, events: dict[datetime, bytes]) -> None:
        first_reading, self.number = not self.number, self.number + 1
        for start in [start for start in self._events if recent.start <= start and start not in events]:
            self._forget(start)
        for start, printed in events.items():
            if self._events.get(start) != printed:
                self._forget(start)
                self._events[start] = printed
                if not first_reading:
                    self._changed[start] = self.number
        newest = self.newest()
        for start in [start for start in self._events if start < recent.oldest and start != newest]:
            self._forget(start)

    def _forget(self, start: datetime) -> None:
        self._events.pop(start, None)
        self._changed.pop(start, None)


class LiveReader:
    """One stream's place in a series. Made when the series has been read, before the history is."""

    def __init__(self, series: LiveSeries) -> None:
        self._series = series
        self._number = series.number
        self._last = b""
        """The event that was sent last."""

    async def news(self) -> bytes:
        """The events that changed since the last call, in the order of their timestamps, the newest last.

        The newest is sent again after older ones: who takes the last event for the present value is right.
        The first call gives the newest alone, unless something changed meanwhile; b"" when there is none.
        """
        series = self._series
        await series.catch_up()
        changed = [series.event(start) for start in series.changed_since(self._number)]
        self._number = series.number
        last = changed[-1] if changed else self._last
        if (newest := series.newest()) is not None and series.event(newest) != last:
            changed.append(series.event(newest))
        if changed:
            self._last = changed[-1]
        return b"".join(changed)

    def rest(self) -> float:
        return self._series.rest()


class _Asked(NamedTuple):
    """What makes two questions the same."""

    site_id: str
    metrics: tuple[str, ...]
    granularity: str
    timezone: str
    zone_ids: tuple[str, ...]
    passage_ids: tuple[str, ...]
    aggregation: str | None


class LiveSeriesPool:
    """The series that open streams share; one ends with the last stream that reads it."""

    def __init__(self, metrics: MetricStore, broadcast: Broadcast, clock: Callable[[], datetime]) -> None:
        self._metrics = metrics
        self._broadcast = broadcast
        self._clock = clock
        self._series: WeakValueDictionary[_Asked, LiveSeries] = WeakValueDictionary()

    async def reader(self, question: MetricsQuestion) -> LiveReader:
        """A reader that is told all that is committed from now on."""
        asked = _asked(question)
        series = self._series.get(asked)
        if series is None:
            changes = self._broadcast.watch(question.record.site.id)
            series = LiveSeries(
                changes, lambda first: recent_points(self._metrics, question, first, self._clock())
            )
            self._series[asked] = series
        await series.catch_up()
        return LiveReader(series)


def _asked(question: MetricsQuestion) -> _Asked:
    return _Asked(
        site_id=question.record.site.id,
        metrics=question.metrics,
        granularity=question.granularity,
        timezone=question.timezone.key,
        zone_ids=question.zone_ids,
        passage_ids=question.passage_ids,
        aggregation=question.aggregation,
    )
