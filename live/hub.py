"""The hub: one background thread with one event loop that keeps every feed anybody looks at."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import SystemRandom
from threading import Event, Lock, Thread
from typing import Final, Self, overload

import structlog

from api_client import AsyncClient
from live.clock import Clock, Moment, SystemClock, local_zone
from live.crossings import Crossings
from live.crossings_reader import CrossingsReader, Pace
from live.deliveries import Deliveries
from live.feed import Feed
from live.feed_context import FeedContext, FeedLimits
from live.feed_memory import FeedMemory
from live.filling import Gate
from live.health import FeedCounters, FeedHealth, HubHealth, PassageCounters, ReaderHealth
from live.notifier import Notifier, Watcher
from live.snapshot import CrossingsKey, FeedKey, LiveKey, Snapshot

_START_DEADLINE: Final = 10.0
_CLOSE_DEADLINE: Final = 1.0
_BEATS_MISSED: Final = 10
_log = structlog.get_logger("live.hub")


class HubClosedError(RuntimeError):
    """The hub has been closed; ask for the current one."""


@dataclass(slots=True)
class _OpenFeed:
    """A feed and who holds it; touched only in the hub's loop, except for being read."""

    feed: Feed | CrossingsReader
    task: asyncio.Task[None] | None = None
    subscribers: int = 0
    restarts: int = 0
    last_defect: str = ""
    closing: asyncio.TimerHandle | None = None
    """Closes the feed; None while it has a subscriber."""

    @property
    def is_tended(self) -> bool:
        return self.task is None or not self.task.done()


class Subscription:
    """Keeps a feed open until it is closed, by whichever thread."""

    def __init__(self, hub: Hub, key: LiveKey) -> None:
        self._hub = hub
        self._lock = Lock()
        self._open = True
        self.key = key

    @property
    def snapshot(self) -> Snapshot:
        """Of a feed; what is known of passages is the hub's to tell."""
        if isinstance(self.key, CrossingsKey):
            raise TypeError("passages have no snapshot of a feed")
        return self._hub.snapshot(self.key)

    def close(self) -> None:
        """May be called more than once."""
        with self._lock:
            was_open, self._open = self._open, False
        if was_open:
            self._hub.release(self.key)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Hub:
    """One upstream stream per feed, and one reader per site's passages, however many look at it. Safe to use
    from any thread.

    Nothing is connected before the first subscription. A feed stays `limits.linger` seconds after its last
    subscriber left.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        limits: FeedLimits | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._limits = limits or FeedLimits()
        self._clock = clock or SystemClock()
        self._random = SystemRandom()
        self._client = AsyncClient(
            base_url,
            api_key,
            timeout=self._limits.answer,
            idle_limit=self._limits.idle,
            attempts=1,  # a feed has its own pauses, which its snapshot tells
            now=lambda: self._clock.now().wall,
            stalled=lambda: self._stalled,
        )
        self._lock = Lock()
        self._closed = False
        self._open_feeds: dict[LiveKey, _OpenFeed] = {}
        self._counters = FeedCounters()
        self._passage_counters = PassageCounters()
        self._memory = FeedMemory()
        self._stalled = 0.0
        self._gate = Gate()
        self._pace = Pace(lambda: self._clock.now().monotonic)
        self._notifiers: dict[asyncio.AbstractEventLoop, Notifier] = {}
        self._ready = Event()
        self._thread = Thread(target=self._run, name="headroom-hub", daemon=True)
        self._thread.start()
        if not self._ready.wait(_START_DEADLINE):
            raise RuntimeError("the hub's thread did not start")

    def subscribe(self, key: LiveKey, *, timezone: str = "Etc/UTC") -> Subscription:
        """Open the feed, or join it. `timezone` is the site's and decides how far back today goes.

        Raises HubClosedError.
        """
        with self._lock:
            if self._closed:
                raise HubClosedError("The hub is closed.")
            self._loop.call_soon_threadsafe(self._add_subscriber, key, local_zone(timezone).key)
        return Subscription(self, key)

    def release(self, key: LiveKey) -> None:
        """Undo one `subscribe`; subscriptions do this when they are closed."""
        with self._lock:
            if not self._closed:
                self._loop.call_soon_threadsafe(self._remove_subscriber, key)

    @overload
    def snapshot(self, key: FeedKey) -> Snapshot: ...

    @overload
    def snapshot(self, key: CrossingsKey) -> Crossings: ...

    @overload
    def snapshot(self, key: LiveKey) -> Snapshot | Crossings: ...

    def snapshot(self, key: LiveKey) -> Snapshot | Crossings:
        """What is known now; a feed that nobody has subscribed to is `connecting` and empty."""
        opened = self._open_feeds.get(key)
        if opened:
            return opened.feed.snapshot
        return Crossings(key) if isinstance(key, CrossingsKey) else Snapshot(key)

    def deliveries(self, key: FeedKey) -> Deliveries:
        """What was learned of a feed while it was open; of one that never was, nothing."""
        return self._memory.counters.deliveries.get(key, Deliveries())

    def now(self) -> Moment:
        """The clock that snapshots are measured on: the wall is the service's, by which its days begin."""
        return Moment(self._clock.now().monotonic, self._client.service_time)

    @contextmanager
    def watch(self, keys: Iterable[LiveKey]) -> Iterator[Watcher]:
        """Wait for changes of `keys` in the event loop that this is called in; a closed hub ends the wait.

        Changes count from the moment of entering, so enter first and read the snapshots then.
        """
        watcher = Watcher(keys)
        loop = asyncio.get_running_loop()
        with self._lock:
            notifier = self._notifiers.setdefault(loop, Notifier(loop))
            notifier.add(watcher)
            if self._closed:
                watcher.end()
        try:
            yield watcher
        finally:
            with self._lock:
                if notifier.remove(watcher):
                    self._notifiers.pop(loop, None)

    def health(self) -> HubHealth:
        opened = list(self._open_feeds.values())
        client = self._client
        running = self._thread.is_alive()
        is_stuck = self._clock.now().monotonic - self._beat_at > _BEATS_MISSED * self._limits.beat
        return HubHealth(
            running,
            is_stuck,
            tuple(_feed_health(one, one.feed) for one in opened if isinstance(one.feed, Feed)),
            tuple(_reader_health(one, one.feed) for one in opened if isinstance(one.feed, CrossingsReader)),
            client.server_tag,
            client.recent_errors,
            self._counters,
            self._passage_counters,
            client.service_time,
        )

    def close(self) -> None:
        """End every feed and watcher, and the thread. May be called more than once, from any thread."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._loop.call_soon_threadsafe(self._stop.set)
                for notifier in self._notifiers.values():
                    notifier.end()
        self._thread.join(_CLOSE_DEADLINE)

    def _run(self) -> None:
        asyncio.run(self._main())

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self._beat_at = self._clock.now().monotonic
        self._beat()
        self._ready.set()
        await self._stop.wait()
        tasks = [opened.task for opened in self._open_feeds.values() if opened.task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._client.close()

    def _beat(self) -> None:
        """Note that the loop turns, again and again for as long as it does, and that it did not in time."""
        before, self._beat_at = self._beat_at, self._clock.now().monotonic
        between = self._beat_at - before
        self._stalled += between if between > 2 * self._limits.beat else 0.0
        self._loop.call_later(self._limits.beat, self._beat)

    def _add_subscriber(self, key: LiveKey, timezone: str) -> None:
        opened = self._open_feeds.get(key)
        if opened is None:
            opened = self._open_feeds[key] = _OpenFeed(self._new_feed(key, timezone))
            opened.task = asyncio.create_task(self._supervise(opened), name=f"feed {key.name}")
        opened.subscribers += 1
        if opened.closing:
            opened.closing.cancel()
            opened.closing = None

    def _remove_subscriber(self, key: LiveKey) -> None:
        opened = self._open_feeds[key]
        opened.subscribers -= 1
        if not opened.subscribers:
            opened.closing = self._loop.call_later(self._limits.linger, self._close_feed, key)

    def _close_feed(self, key: LiveKey) -> None:
        opened = self._open_feeds.pop(key)
        if opened.task:
            opened.task.cancel()
        if not isinstance(key, CrossingsKey):
            self._memory.closed(key)

    def _new_feed(self, key: LiveKey, timezone: str) -> Feed | CrossingsReader:
        site = FeedKey(key.site_id) if isinstance(key, CrossingsKey) else key
        context = FeedContext(site, timezone, self._client, self._limits, self._clock, self._random)
        if isinstance(key, CrossingsKey):
            return CrossingsReader(
                key, context, pace=self._pace, publish=self._announce, counters=self._passage_counters
            )
        return Feed(
            context,
            memory=self._memory.counters,
            gate=self._gate,
            refusals=self._memory.refusals,
            log=self._memory.opened(key, context.now),
            publish=self._announce,
            counters=self._counters,
        )

    async def _supervise(self, opened: _OpenFeed) -> None:
        """Start the feed's consumer again whenever a defect ends it: one bad feed must not stay dark."""
        while True:
            try:
                await opened.feed.run()
            except Exception as error:  # noqa: BLE001 -- the edge: whatever it is, the feed must go on
                self._note_defect(opened, error)
                await self._pause_after(opened, error)

    async def _pause_after(self, opened: _OpenFeed, defect: Exception) -> None:
        try:
            await opened.feed.crashed(type(defect).__name__)
        except Exception as error:  # noqa: BLE001 -- a second defect must not end the supervision
            self._note_defect(opened, error)
            await asyncio.sleep(self._limits.longest_wait)

    def _note_defect(self, opened: _OpenFeed, error: Exception) -> None:
        opened.restarts += 1
        self._counters.restarts += 1
        opened.last_defect = repr(error)
        _log.exception("feed consumer failed", feed=opened.feed.snapshot.key.name)

    def _announce(self, snapshot: Snapshot | Crossings) -> None:
        for notifier in list(self._notifiers.values()):
            notifier.notify(snapshot.key)


def _feed_health(opened: _OpenFeed, feed: Feed) -> FeedHealth:
    return FeedHealth(
        feed.snapshot,
        feed.is_streaming,
        opened.subscribers,
        opened.restarts,
        opened.last_defect,
        opened.is_tended,
    )


def _reader_health(opened: _OpenFeed, reader: CrossingsReader) -> ReaderHealth:
    return ReaderHealth(
        reader.snapshot, opened.subscribers, opened.restarts, opened.last_defect, opened.is_tended
    )
