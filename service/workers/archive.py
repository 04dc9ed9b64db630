"""The archive's worker: brings days of long ago there, and counts what came late of them."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import Final

import structlog

from service.application_state import ApplicationState
from service.archive_feed import ArchiveFeed
from service.clock import present
from service.store.errors import StoreError
from service.store.protocol import Store

_INTERVAL_SECONDS: Final = 5.0
_SHIP_SECONDS: Final = 600.0
"""Between two looks for days that are to be brought there."""
_AGAIN_SECONDS: Final = 30.0
"""Likewise, where not all of it could be done."""


class ArchiveWorker:
    """A task that looks every few seconds and works in a thread. `clock` gives the present, aware."""

    name = "archive"
    unready = None

    def __init__(self, clock: Callable[[], datetime] = present) -> None:
        self._clock = clock
        self._task: asyncio.Task[None] | None = None

    async def start(self, state: ApplicationState) -> None:
        self._stop = threading.Event()
        if state.store.archiving.is_set:
            self._feed = ArchiveFeed(state.store)
            state.feeds[self.name] = self._feed
            self._task = asyncio.create_task(
                self._keep_up(state.store, state.settings.archive_days), name=self.name
            )

    async def stop(self) -> None:
        self._stop.set()
        if self._task:
            with suppress(asyncio.CancelledError):
                await self._task

    async def _keep_up(self, store: Store, days: int) -> None:
        log = structlog.get_logger("service.workers.archive")
        ship_at = time.monotonic()
        while not await asyncio.to_thread(self._stop.wait, _INTERVAL_SECONDS):
            try:
                is_due = time.monotonic() >= ship_at
                is_well = await asyncio.to_thread(self._look, store, days if is_due else None)
                if is_due:
                    ship_at = time.monotonic() + (_SHIP_SECONDS if is_well else _AGAIN_SECONDS)
            except StoreError:
                # The store's own log line says why, once; it is tried again.
                continue
            except Exception:
                log.exception("archiving failed")

    def _look(self, store: Store, days: int | None) -> bool:
        """What is due; whether all of it could be done."""
        archiving = store.archiving
        if archiving.look():
            archiving.take_late(self._stop)
            # As the upkeep notes it: a clock that is years ahead for a day brings nothing there.
            believed = store.retention.believed_time()
            if days is not None and believed is not None:
                archiving.ship(days, min(believed, self._clock()), self._stop)
        self._feed.late_minutes = archiving.late_minutes()
        if archiving.trouble() is None:
            self._feed.trouble_since = None
        elif self._feed.trouble_since is None:
            self._feed.trouble_since = self._clock()
        return archiving.trouble() is None
