"""The upkeep: ends imports whose process was killed, makes ahead what the next weeks are stored in, and folds
minutes, beside sensors and readers.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

import structlog

from service.application_state import ApplicationState
from service.believed_time import BelievedTime
from service.clock import present
from service.store.errors import StoreError
from service.store.protocol import Store

_INTERVAL_SECONDS: Final = 5.0
_FOLD_SECONDS: Final = 600.0
"""Between two looks for minutes that are to be folded, each by what is believed of the time."""
_TOLD: Final = timedelta(days=1)
"""A clock that is so far ahead of what is believed is told of."""


class Upkeep:
    """A task that looks every few seconds and works in a thread. `clock` gives the present, aware; `passing`
    gives seconds of a time that only passes.
    """

    name = "upkeep"
    unready = None

    def __init__(
        self, clock: Callable[[], datetime] = present, passing: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        self._passing = passing
        self._believed: BelievedTime | None = None
        self._is_told = False

    async def start(self, state: ApplicationState) -> None:
        self._stop = threading.Event()
        self._passed = self._passing()
        self._log = structlog.get_logger("service.workers.upkeep")
        self._task = asyncio.create_task(
            self._keep_up(state.store, state.settings.retention_days), name=self.name
        )

    async def stop(self) -> None:
        self._stop.set()
        with suppress(asyncio.CancelledError):
            await self._task

    async def _keep_up(self, store: Store, retention_days: int | None) -> None:
        fold_at = time.monotonic()
        while not await asyncio.to_thread(self._stop.wait, _INTERVAL_SECONDS):
            try:
                if await asyncio.to_thread(store.imports.take_up, self._stop):
                    self._log.info("what a killed import left is stored or forgotten")
                if time.monotonic() >= fold_at:
                    await asyncio.to_thread(store.make_ready)
                    await asyncio.to_thread(self._fold, store, retention_days)
                    fold_at = time.monotonic() + _FOLD_SECONDS
            except StoreError:
                # The store's own log line says why, once; it is tried again.
                continue
            except Exception:  # noqa: BLE001 - the upkeep's edge: one failure must not end all later tries
                self._log.exception("upkeep failed")

    def _fold(self, store: Store, retention_days: int | None) -> None:
        """What is due. The time is kept also where nothing is ever folded: it may be, one day."""
        clock, now = self._clock(), self._passing()
        if self._believed is None:
            noted = store.retention.believed_time()
            if noted is None:
                return  # there is nothing to fold
            # Of the time in which the service did not run nothing is known.
            self._believed = BelievedTime(noted)
        passed, self._passed = timedelta(seconds=now - self._passed), now
        self._believed = self._believed.after(passed, clock)
        store.retention.note_believed_time(self._believed.at)
        if not retention_days:
            return
        self._tell(clock)
        if store.retention.fold(retention_days, self._stop, present=self._believed.present(clock)):
            self._log.info("minutes folded", kept_days=retention_days)

    def _tell(self, clock: datetime) -> None:
        assert self._believed
        is_ahead = clock - self._believed.at > _TOLD
        if is_ahead and not self._is_told:
            self._log.warning(
                "the clock is ahead of when this service ran last: minutes are folded later",
                clock=clock.isoformat(timespec="seconds"),
                believed=self._believed.at.isoformat(timespec="seconds"),
            )
        self._is_told = is_ahead
