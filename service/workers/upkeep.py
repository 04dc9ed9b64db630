"""The upkeep: ends imports whose process was killed, and folds minutes, beside sensors and readers."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import structlog

from service.application_state import ApplicationState
from service.store.errors import StoreError
from service.store.protocol import Store

_INTERVAL_SECONDS: Final = 5.0
_FOLD_SECONDS: Final = 600.0
"""Between two looks for minutes that are to be folded."""
_JUMP_SECONDS: Final = 3600.0
_DOUBT_SECONDS: Final = 86_400.0
"""In which nothing is folded after the clock went ahead: it may be wrong, and what is folded stays so."""


class Upkeep:
    """A task that looks every few seconds and works in a thread. `clock` gives seconds of Unix time."""

    name = "upkeep"
    unready = None

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._apart = 0.0
        """Seconds between the clock and the one that only passes, at the last look."""

    async def start(self, state: ApplicationState) -> None:
        self._stop = threading.Event()
        self._went_ahead()
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
            if self._went_ahead() and retention_days:
                structlog.get_logger().warning("the clock went ahead, no minute is folded for a day")
                fold_at = time.monotonic() + _DOUBT_SECONDS
            try:
                if await asyncio.to_thread(store.imports.take_up, self._stop):
                    structlog.get_logger().info("what a killed import left is stored or forgotten")
                if retention_days and time.monotonic() >= fold_at:
                    if await asyncio.to_thread(store.retention.fold, retention_days, self._stop):
                        structlog.get_logger().info("minutes folded", kept_days=retention_days)
                    fold_at = time.monotonic() + _FOLD_SECONDS
            except StoreError:
                # The store's own log line says why, once; it is tried again.
                continue
            except Exception:  # noqa: BLE001 - the upkeep's edge: one failure must not end all later tries
                structlog.get_logger().exception("upkeep failed")

    def _went_ahead(self) -> bool:
        """Whether the clock went ahead since this was asked last."""
        before, self._apart = self._apart, self._clock() - time.monotonic()
        return self._apart - before > _JUMP_SECONDS
