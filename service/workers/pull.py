"""Pulls from sources that cannot push, each by its own schedule.

What is read goes the way of what was pushed: the same twice counts once, whether it was asked for again, a
file was dropped again, or the process was killed between the store and the move of a file.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, nullcontext, suppress
from datetime import timedelta
from typing import Final
from zlib import crc32

import structlog

from service.application_state import ApplicationState
from service.pull_feed import PullFeed
from service.pull_settings import FolderSource, PullSettings, Source
from service.store.errors import StoreError
from service.workers.pulled_folder import PulledFolder
from service.workers.pulled_url import PulledUrl

_AT_ONCE: Final = 3
"""Addresses, and folders, that are read at the same time: each may have its largest body in memory."""
_JITTER: Final = 0.1
"""Part of a pause by which it differs from source to source: they are not to ask all at once."""
_LATEST_BEGIN: Final = 10.0
"""Seconds after the start within which all are asked for the first time."""
_PAUSE: Final = 5.0
"""Seconds between two looks for the organization."""

Pull = Callable[[], Awaitable[timedelta]]
"""Reads a source once, and says after how long to do so again."""


class PullWorker:
    name = "pull"
    unready = None

    def __init__(self, settings: PullSettings) -> None:
        self._settings = settings
        self._log = structlog.get_logger("service.workers.pull")

    async def start(self, state: ApplicationState) -> None:
        self._state = state
        self._turn = asyncio.Semaphore(_AT_ONCE)
        # Of their own: a folder of another machine may hang for as long as it likes.
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="pull")
        self._feeds = {one.name: PullFeed(since=state.clock()) for one in self._settings.source}
        state.feeds.update({f"{self.name}/{name}": feed for name, feed in self._feeds.items()})
        self._task = asyncio.create_task(self._run(), name=self.name)

    async def stop(self) -> None:
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _run(self) -> None:
        await self._find_organization()
        async with asyncio.TaskGroup() as tasks:
            for source in self._settings.source:
                tasks.create_task(self._keep_pulling(source), name=f"{self.name}/{source.name}")

    async def _find_organization(self) -> None:
        """Return when the store has it: what came before could be kept for nobody."""
        own = self._settings.organization
        while True:
            with suppress(StoreError):  # the store's own log line says why, once
                known = await asyncio.to_thread(self._state.store.catalogue.organizations)
                if own in {one.id for one in known}:
                    return
                for feed in self._feeds.values():
                    feed.trouble = f"there is no organization {own!r} yet: import its sites"
            await asyncio.sleep(_PAUSE)

    async def _keep_pulling(self, source: Source) -> None:
        try:
            await self._pull_for_ever(source, self._feeds[source.name])
        except Exception:  # noqa: BLE001 - the edge of one source: all others are pulled on
            self._log.exception("source has ended", source=source.name)
            trouble = "reading it has ended; the log says why"
            self._feeds[source.name].not_read(self._state.clock(), trouble)

    async def _pull_for_ever(self, source: Source, feed: PullFeed) -> None:
        attempt = 0
        await asyncio.sleep(min(source.interval.total_seconds(), _LATEST_BEGIN) * _share(source.name))
        async with self._puller(source, feed) as pull:
            while True:
                # Folders wait for a thread: one that hangs must not keep out addresses.
                async with nullcontext() if isinstance(source, FolderSource) else self._turn:
                    pause = await self._pulled(source, feed, pull)
                attempt += 1
                pause *= 1 + _JITTER * _share(f"{source.name} {attempt}")
                feed.next_try = self._state.clock() + pause
                await asyncio.sleep(pause.total_seconds())

    async def _pulled(self, source: Source, feed: PullFeed, pull: Pull) -> timedelta:
        """Once; how long to wait then."""
        try:
            return await pull()
        except Exception:  # noqa: BLE001 - the edge of one source: all others are pulled on
            self._log.exception("source failed", source=source.name)
            feed.not_read(self._state.clock(), "it failed in an unforeseen way; the log says where")
            return source.interval

    @asynccontextmanager
    async def _puller(self, source: Source, feed: PullFeed) -> AsyncIterator[Pull]:
        state, own = self._state, self._settings.organization
        if isinstance(source, FolderSource):
            yield PulledFolder(state, own, source, feed, self._threads).pull
            return
        asked = PulledUrl(state, own, source, feed)
        try:
            yield asked.pull
        finally:
            await asked.close()


def _share(text: str) -> float:
    """From 0 to 1, always the same of a text."""
    return crc32(text.encode()) / 2**32
