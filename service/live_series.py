"""Live series: the recent buckets of one query, and which of them changed, for the streams that send them.

All open streams that ask the same share one `LiveSeries`. It remembers the recent buckets by a fingerprint of
their events, reads again from the first minute that changed, and hands every stream the events that differ.
A stream that waits for its reader keeps the last event of each bucket: never more than are recent.
"""

from __future__ import annotations

import asyncio
from array import array
from bisect import bisect_left
from collections.abc import Awaitable, Callable, Hashable, Mapping
from datetime import datetime
from functools import partial
from operator import attrgetter
from typing import Any, Final
from weakref import WeakSet, WeakValueDictionary

from service.broadcast import Broadcast, SiteChanges
from service.envelope import print_json
from service.query.checked_query import CheckedQuery
from service.query.points import RecentPoints, recent_points, remembered_points
from service.store.protocol import MetricStore

SHORTEST_INTERVAL: Final = 1.0
"""Seconds between two updates of one stream, at least."""


Point = dict[str, Any]

Reading = tuple[RecentPoints, dict[int, bytes]]
"""What was read, and its events by the start of their buckets, in seconds since the epoch."""

InThread = Callable[[Callable[[int], Reading], int], Awaitable[Reading]]
"""Runs blocking work in a thread."""

InPool = Callable[[str, Callable[[int], Reading], int], Awaitable[Reading]]
"""The same for an owner, as `BoundedThreadPool.run_patiently` does."""


def event(point: Point) -> bytes:
    return b"data: " + print_json(point) + b"\n\n"


class LiveSeries:
    """The recent buckets of one query.

    `read` is given the first changed minute; it blocks, and runs `in_thread`. `recall` is the same without
    blocking; it may answer None, and is not asked for the first reading.
    """

    def __init__(
        self,
        changes: SiteChanges,
        read: Callable[[int], RecentPoints],
        *,
        recall: Callable[[int], RecentPoints | None],
        in_thread: InThread,
    ) -> None:
        self._changes = changes
        self._read = read
        self._recall = recall
        self._in_thread = in_thread
        self._reading = asyncio.Lock()
        self._read_at: float | None = None
        # Parallel and ascending. Not a dict: a day of minutes would take twenty times the memory.
        self._starts = array("q")
        self._fingerprints = array("q")
        self._readers: WeakSet[LiveReader] = WeakSet()
        self.newest: bytes | None = None
        """The event of the newest bucket; None when nothing is stored."""
        self.is_due = False
        """Whether something could not be read, and is to be read again without a change of the store."""
        changes.note(0)

    def add(self, reader: LiveReader) -> None:
        """Hand this reader all that changes from now on."""
        self._readers.add(reader)

    async def catch_up(self) -> None:
        """Read what changed since the last reading. What fails is tried again by the next call."""
        async with self._reading:
            first_minute = self._changes.take()
            if first_minute is None:
                return
            try:
                recent, events = await self._recent_events(first_minute)
            except BaseException:
                self._changes.note(first_minute)
                raise
            self.is_due = not recent.is_whole
            if self.is_due:
                self._changes.note(first_minute)
            changed = self._merge(recent, events)
            for reader in self._readers:
                reader.take(changed)
            self._read_at = asyncio.get_running_loop().time()

    def rest(self) -> float:
        """Seconds until it is time to read again: streams of the same query wait for the same reading."""
        if self._read_at is None:
            return 0.0
        return max(self._read_at + SHORTEST_INTERVAL - asyncio.get_running_loop().time(), 0.0)

    async def _recent_events(self, first_minute: int) -> Reading:
        if self._read_at is not None and (recalled := self._recall(first_minute)) is not None:
            return _printed(recalled)
        return await self._in_thread(self._read_events, first_minute)

    def _read_events(self, first_minute: int) -> Reading:
        return _printed(self._read(first_minute))

    def _merge(self, recent: RecentPoints, events: dict[int, bytes]) -> dict[int, bytes]:
        """Take in what was read; the events that differ from what is known of their buckets."""
        start = min(_seconds(recent.start), next(iter(events), _seconds(recent.start)))
        tail = bisect_left(self._starts, start)
        known = dict(zip(self._starts[tail:], self._fingerprints[tail:], strict=True))
        fingerprints = array("q", map(hash, events.values()))
        self._starts[tail:] = array("q", events)
        self._fingerprints[tail:] = fingerprints
        past = min(bisect_left(self._starts, _seconds(recent.oldest)), max(len(self._starts) - 1, 0))
        del self._starts[:past], self._fingerprints[:past]
        if events:
            self.newest = events[next(reversed(events))]
        elif not self._starts:
            self.newest = None
        return {
            start: printed
            for (start, printed), fingerprint in zip(events.items(), fingerprints, strict=True)
            if known.get(start) != fingerprint
        }


class LiveReader:
    """What one stream still has to send of a series."""

    def __init__(self, series: LiveSeries) -> None:
        self._series = series
        self._changed: dict[int, bytes] = {}
        """Events by the start of their buckets, in seconds since the epoch."""
        self._last: bytes | None = None
        """The event that was sent last."""
        series.add(self)

    @property
    def is_due(self) -> bool:
        """See `LiveSeries`."""
        return self._series.is_due

    def take(self, changed: Mapping[int, bytes]) -> None:
        """Keep these for the next `news`, instead of earlier events of the same buckets."""
        self._changed.update(changed)

    async def news(self) -> bytes:
        """The events that changed since the last call, in the order of their timestamps, the newest last.

        The newest is sent again after older ones: who takes the last event for the present value is right.
        The first call gives the newest alone, unless something changed meanwhile; b"" when there is none.
        """
        await self._series.catch_up()
        changed, self._changed = self._changed, {}
        events = [changed[start] for start in sorted(changed)]
        newest = self._series.newest
        if newest is not None and newest != (events[-1] if events else self._last):
            events.append(newest)
        if events:
            self._last = events[-1]
        return b"".join(events)

    def rest(self) -> float:
        """Seconds to wait before `news`: 0 when another stream's reading has brought some."""
        return 0.0 if self._changed else self._series.rest()


_same_query: Final = attrgetter(
    "record.site.id", "metrics", "granularity", "timezone.key", "zone_ids", "passage_ids", "aggregation"
)
"""What two queries have in common that are answered by the same series."""


class LiveSeriesPool:
    """The series that open streams share; one ends with the last stream that reads it."""

    def __init__(
        self,
        metrics: MetricStore,
        broadcast: Broadcast,
        clock: Callable[[], datetime],
        in_pool: InPool,
    ) -> None:
        self._metrics = metrics
        self._broadcast = broadcast
        self._clock = clock
        self._in_pool = in_pool
        self._series: WeakValueDictionary[Hashable, LiveSeries] = WeakValueDictionary()

    async def reader(self, query: CheckedQuery) -> LiveReader:
        """A reader of all that is committed from now on."""
        key = _same_query(query)
        series = self._series.get(key)
        if series is None:
            changes = self._broadcast.watch(query.record.site.id)
            series = LiveSeries(
                changes,
                lambda first: recent_points(self._metrics, query, first, self._clock()),
                recall=lambda first: remembered_points(self._metrics, query, first, self._clock()),
                in_thread=partial(self._in_pool, query.record.site.organization_id),
            )
            self._series[key] = series
        await series.catch_up()
        return LiveReader(series)


def _printed(recent: RecentPoints) -> Reading:
    return recent, {_seconds(point["timestamp"]): event(point) for point in recent.points}


def _seconds(instant: datetime) -> int:
    """Since the epoch."""
    return int(instant.timestamp())
