"""Waiting for change from another event loop than the one that makes it.

However many watchers a loop has, a change costs one call into that loop; however many changes happen before
the loop gets to run, they cost one. A watcher that is busy is woken once for all it missed: nothing queues.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from threading import Lock

from live.snapshot import LiveKey


class Watcher:
    """Wakes one reader in its event loop when a feed has changed; it compares snapshots to see what."""

    def __init__(self, keys: Iterable[LiveKey]) -> None:
        self.keys = frozenset(keys)
        self._wake = asyncio.Event()
        self._ended = False
        self._marks = 0

    def mark(self) -> None:
        self._marks += 1
        self._wake.set()

    def take_marks(self) -> int:
        """How many changes came since this was last asked."""
        marks, self._marks = self._marks, 0
        return marks

    def end(self) -> None:
        self._ended = True
        self._wake.set()

    async def changed(self) -> bool:
        """Return when at least one feed changed since the last return; False: there is no more to come."""
        await self._wake.wait()
        self._wake.clear()
        return not self._ended


class Notifier:
    """Carries changes into one event loop, to the watchers there."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._lock = Lock()
        self._pending: set[LiveKey] = set()
        self._watchers: defaultdict[LiveKey, set[Watcher]] = defaultdict(set)

    def add(self, watcher: Watcher) -> None:
        for key in watcher.keys:
            self._watchers[key].add(watcher)

    def remove(self, watcher: Watcher) -> bool:
        """Whether the notifier has no watcher left."""
        for key in watcher.keys:
            self._watchers[key].discard(watcher)
            if not self._watchers[key]:
                del self._watchers[key]
        return not self._watchers

    def notify(self, key: LiveKey) -> None:
        """Wake the watchers of a feed; from any thread. Nothing happens where the loop has ended."""
        with self._lock:
            first = not self._pending
            self._pending.add(key)
        if first:
            self._call(self._deliver)

    def end(self) -> None:
        """End all watchers; from any thread."""
        self._call(self._end)

    def _call(self, work: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(work)

    def _deliver(self) -> None:
        with self._lock:
            pending, self._pending = self._pending, set()
        for key in pending:
            for watcher in self._watchers.get(key, ()):
                watcher.mark()

    def _end(self) -> None:
        for watchers in self._watchers.values():
            for watcher in watchers:
                watcher.end()
