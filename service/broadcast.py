"""Broadcast: notifies the open streams of a site that its counts changed, from any thread.

A notification carries nothing but the first minute that changed: however many commits happen while a stream
is busy, it looks once, from the earliest of them on, so a slow reader never has a queue.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from weakref import WeakSet


class SiteChanges:
    """The first minute of a site that changed since `take` was last called, over all commits."""

    def __init__(self, site_id: str) -> None:
        self.site_id = site_id
        self._first_minute: int | None = None

    def note(self, first_minute: int) -> None:
        if self._first_minute is None or first_minute < self._first_minute:
            self._first_minute = first_minute

    def take(self) -> int | None:
        """The first changed minute, which is forgotten; None when nothing changed."""
        first_minute, self._first_minute = self._first_minute, None
        return first_minute


class ChangedSites:
    """The sites that changed since `take` was last called, over all commits: never more than there are."""

    def __init__(self) -> None:
        self._site_ids: set[str] = set()

    def note(self, site_ids: Iterable[str]) -> None:
        self._site_ids.update(site_ids)

    def take(self) -> set[str]:
        """The ids of changed sites, of whichever organization, which are forgotten."""
        site_ids, self._site_ids = self._site_ids, set()
        return site_ids


class Subscription:
    """One open stream: what it watches, whether there is news, whether it has to end."""

    def __init__(self, site_id: str | None, key_id: str) -> None:
        """Without `site_id`, of every site."""
        self.site_id = site_id
        self.key_id = key_id
        self._woken = asyncio.Event()
        self._news = False
        self.ended = False

    def notify(self) -> None:
        self._news = True
        self._woken.set()

    def end(self) -> None:
        self.ended = True
        self._woken.set()

    async def news(self, patience: float) -> bool:
        """Wait until there is news, at most `patience` seconds; False after that, and when it has ended."""
        if not self._news:
            await self._wait(patience)
        news, self._news = self._news, False
        if not self.ended:
            self._woken.clear()
        return news and not self.ended

    async def pause(self, seconds: float) -> None:
        """Let time pass whatever the news; cut short when the stream has to end."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        while not self.ended and (left := deadline - loop.time()) > 0:
            self._woken.clear()
            await self._wait(left)

    async def _wait(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._woken.wait()


class Broadcast:
    """Belongs to the event loop in which it was made; `publish` and `close_soon` may be called elsewhere."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._subscriptions: set[Subscription] = set()
        self._of_keys: Counter[str] = Counter()
        self._watched: WeakSet[SiteChanges] = WeakSet()
        self._watched_together: WeakSet[ChangedSites] = WeakSet()
        self._closed = False

    @property
    def subscriber_count(self) -> int:
        return len(self._subscriptions)

    def streams_of(self, key_id: str) -> int:
        """How many streams this key has open."""
        return self._of_keys[key_id]

    @property
    def key_ids(self) -> set[str]:
        """Keys that have a stream open."""
        return {subscription.key_id for subscription in self._subscriptions}

    @contextmanager
    def subscribe(self, site_id: str | None, key_id: str) -> Iterator[Subscription]:
        subscription = Subscription(site_id, key_id)
        if self._closed:
            subscription.end()
        self._subscriptions.add(subscription)
        self._of_keys[key_id] += 1
        try:
            yield subscription
        finally:
            self._subscriptions.discard(subscription)
            self._of_keys[key_id] -= 1
            if not self._of_keys[key_id]:
                del self._of_keys[key_id]

    def watch(self, site_id: str) -> SiteChanges:
        """A site's changes from now on, noted before its streams are notified, while somebody holds them."""
        changes = SiteChanges(site_id)
        self._watched.add(changes)
        return changes

    def watch_all(self) -> ChangedSites:
        """`watch` of every site, those to come, too."""
        changes = ChangedSites()
        self._watched_together.add(changes)
        return changes

    def publish(self, first_minutes: Mapping[str, int]) -> None:
        """Notify the streams of these sites, each changed from the given minute on. From any thread."""
        self._loop.call_soon_threadsafe(self._deliver, dict(first_minutes))

    def end_streams_of(self, key_id: str) -> None:
        for subscription in self._subscriptions:
            if subscription.key_id == key_id:
                subscription.end()

    def close_soon(self) -> None:
        """`close`, from a signal handler or another thread."""
        self._loop.call_soon_threadsafe(self.close)

    def close(self) -> None:
        """End every stream, and every one that is opened from now on."""
        self._closed = True
        for subscription in self._subscriptions:
            subscription.end()

    def _deliver(self, first_minutes: Mapping[str, int]) -> None:
        for changes in self._watched:
            if changes.site_id in first_minutes:
                changes.note(first_minutes[changes.site_id])
        for together in self._watched_together:
            together.note(first_minutes)
        for subscription in self._subscriptions:
            if subscription.site_id is None or subscription.site_id in first_minutes:
                subscription.notify()
