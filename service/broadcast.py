"""Who wants to hear that a site has news: a fan-out from any thread to the streams of one event loop.

A message carries nothing but "look again": however many commits happen while a stream is busy, it looks
once, so a slow reader never has a queue.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress


class Subscription:
    """One open stream: what it watches, whether there is news, whether it has to end."""

    def __init__(self, site_id: str, key_id: str) -> None:
        self.site_id = site_id
        self.key_id = key_id
        self._stirred = asyncio.Event()
        self._news = False
        self.ended = False

    def tell(self) -> None:
        self._news = True
        self._stirred.set()

    def end(self) -> None:
        self.ended = True
        self._stirred.set()

    async def news(self, patience: float) -> bool:
        """Wait until there is news, at most `patience` seconds; False after that, and when it has ended."""
        if not self._news:
            await self._wait(patience)
        news, self._news = self._news, False
        if not self.ended:
            self._stirred.clear()
        return news and not self.ended

    async def pause(self, seconds: float) -> None:
        """Let time pass whatever the news; cut short when the stream has to end."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        while not self.ended and (left := deadline - loop.time()) > 0:
            self._stirred.clear()
            await self._wait(left)

    async def _wait(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stirred.wait()


class Broadcast:
    """Belongs to the event loop in which it was made; `publish` and `close_soon` may be called elsewhere."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._subscriptions: set[Subscription] = set()
        self._closed = False

    @property
    def subscriber_count(self) -> int:
        return len(self._subscriptions)

    @property
    def key_ids(self) -> set[str]:
        """Keys that have a stream open."""
        return {subscription.key_id for subscription in self._subscriptions}

    @contextmanager
    def subscribe(self, site_id: str, key_id: str) -> Iterator[Subscription]:
        subscription = Subscription(site_id, key_id)
        if self._closed:
            subscription.end()
        self._subscriptions.add(subscription)
        try:
            yield subscription
        finally:
            self._subscriptions.discard(subscription)

    def publish(self, site_ids: Collection[str]) -> None:
        """From any thread: these sites have news."""
        self._loop.call_soon_threadsafe(self._deliver, frozenset(site_ids))

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

    def _deliver(self, site_ids: frozenset[str]) -> None:
        for subscription in self._subscriptions:
            if subscription.site_id in site_ids:
                subscription.tell()
