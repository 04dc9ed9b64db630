"""The hub: one background thread with one event loop that keeps every feed anybody looks at."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
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
from live.health import FeedCounters, HubHealth, PassageCounters
from live.latest_part import LatestPart
from live.latest_sites import LatestSites, ToldSite
from live.notifier import Notifier, Watcher
from live.open_feed import OpenFeed, feed_health, reader_health
from live.snapshot import CrossingsKey, FeedKey, LiveKey, Snapshot

_START_DEADLINE: Final = 10.0
_CLOSE_DEADLINE: Final = 1.0
_BEATS_MISSED: Final = 10
_log = structlog.get_logger("live.hub")


class HubClosedError(RuntimeError):
    """The hub has been closed; ask for the current one."""


class Subscription:
    """Keeps a feed open until it is closed, by whichever thread."""

    __slots__ = ("_hub", "_is_listed", "_lock", "_open", "key")

    def __init__(self, hub: Hub, key: LiveKey, *, is_listed: bool = False) -> None:
        self._hub = hub
        self._is_listed = is_listed
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
            self._hub.release(self.key, is_listed=self._is_listed)

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
        self._open_feeds: dict[LiveKey, OpenFeed] = {}
        self._counters = FeedCounters()
        self._passage_counters = PassageCounters()
        self._memory = FeedMemory()
        self._stalled = 0.0
        self._gate = Gate()
        self._latest = LatestSites(self._client, self._limits, self._clock, self._random)
        self._pace = Pace(lambda: self._clock.now().monotonic)
        self._notifiers: dict[asyncio.AbstractEventLoop, Notifier] = {}
        self._ready = Event()
        self._thread = Thread(target=self._run, name="headroom-hub", daemon=True)
        self._thread.start()
        if not self._ready.wait(_START_DEADLINE):
            raise RuntimeError("the hub's thread did not start")

    def subscribe(self, key: LiveKey, *, timezone: str = "Etc/UTC", is_listed: bool = False) -> Subscription:
        """Open the feed, or join it. `timezone` is the site's and decides how far back today goes.

        `is_listed`: it is seen in a list of sites, for which the stream of all sites is enough, where the
        service has one. Raises HubClosedError.
        """
        with self._lock:
            if self._closed:
                raise HubClosedError("The hub is closed.")
            self._loop.call_soon_threadsafe(self._add_subscriber, key, local_zone(timezone).key, is_listed)
        return Subscription(self, key, is_listed=is_listed)

    def release(self, key: LiveKey, *, is_listed: bool = False) -> None:
        """Undo one `subscribe`; subscriptions do this when they are closed."""
        with self._lock:
            if not self._closed:
                self._loop.call_soon_threadsafe(self._remove_subscriber, key, is_listed)

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

    def look_at_sites(self) -> None:
        """Keep the stream of all sites for some minutes, where the service has one."""
        with self._lock:
            if not self._closed:
                self._loop.call_soon_threadsafe(self._latest.look)

    def latest(self, site_id: str, patience: float = 0.0) -> ToldSite | None:
        """What the stream of all sites has told of a site; None: there is none, or it has not told it.

        Blocks `patience` seconds at most, while it is about to tell.
        """
        if patience:
            self._latest.decided(patience)
        return self._latest.told(site_id)

    @property
    def has_latest(self) -> bool:
        """Whether the stream of all sites is open and has told all of them."""
        return self._latest.is_flowing

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
            tuple(feed_health(one, one.feed) for one in opened if isinstance(one.feed, Feed)),
            tuple(reader_health(one, one.feed) for one in opened if isinstance(one.feed, CrossingsReader)),
            client.server_tag,
            client.recent_errors,
            self._counters,
            self._passage_counters,
            client.service_time,
            self._latest.is_flowing,
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
        self._latest.close()
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

    def _add_subscriber(self, key: LiveKey, timezone: str, is_listed: bool) -> None:
        opened = self._open_feeds.get(key)
        if opened is None:
            opened = self._open_feeds[key] = self._opened(key, timezone, is_listed=is_listed)
            opened.task = asyncio.create_task(self._supervise(opened), name=f"feed {key.name}")
        opened.add(is_listed=is_listed)

    def _remove_subscriber(self, key: LiveKey, is_listed: bool) -> None:
        opened = self._open_feeds[key]
        if opened.remove(is_listed=is_listed):
            opened.closing = self._loop.call_later(self._limits.linger, self._close_feed, key)

    def _close_feed(self, key: LiveKey) -> None:
        self._open_feeds.pop(key).close()
        if not isinstance(key, CrossingsKey):
            self._memory.closed(key)

    def _opened(self, key: LiveKey, timezone: str, *, is_listed: bool) -> OpenFeed:
        site = FeedKey(key.site_id) if isinstance(key, CrossingsKey) else key
        context = FeedContext(site, timezone, self._client, self._limits, self._clock, self._random)
        if isinstance(key, CrossingsKey):
            counters = self._passage_counters
            reader = CrossingsReader(key, context, pace=self._pace, publish=self._announce, counters=counters)
            return OpenFeed(reader)
        part = LatestPart(key, self._latest, is_listed=is_listed)
        feed = Feed(
            context,
            memory=self._memory.counters,
            gate=self._gate,
            refusals=self._memory.refusals,
            log=self._memory.opened(key, context.now),
            publish=self._announce,
            counters=self._counters,
            latest=part,
        )
        return OpenFeed(feed, part)

    async def _supervise(self, opened: OpenFeed) -> None:
        """Start the feed's consumer again whenever a defect ends it: one bad feed must not stay dark."""
        while True:
            try:
                await opened.feed.run()
            except Exception as error:  # noqa: BLE001 -- the edge: whatever it is, the feed must go on
                self._note_defect(opened, error)
                await self._pause_after(opened, error)

    async def _pause_after(self, opened: OpenFeed, defect: Exception) -> None:
        try:
            await opened.feed.crashed(type(defect).__name__)
        except Exception as error:  # noqa: BLE001 -- a second defect must not end the supervision
            self._note_defect(opened, error)
            await asyncio.sleep(self._limits.longest_wait)

    def _note_defect(self, opened: OpenFeed, error: Exception) -> None:
        opened.restarts += 1
        self._counters.restarts += 1
        opened.last_defect = repr(error)
        _log.exception("feed consumer failed", feed=opened.feed.snapshot.key.name)

    def _announce(self, snapshot: Snapshot | Crossings) -> None:
        for notifier in list(self._notifiers.values()):
            notifier.notify(snapshot.key)
