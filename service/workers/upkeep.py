"""The upkeep: ends imports whose process was killed, in small transactions beside sensors and readers."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from typing import Final

import structlog

from service.application_state import ApplicationState
from service.store.errors import StoreError
from service.store.protocol import Store

_INTERVAL_SECONDS: Final = 5.0


class Upkeep:
    """A task that looks every few seconds and works in a thread."""

    name = "upkeep"
    unready = None

    async def start(self, state: ApplicationState) -> None:
        self._stop = threading.Event()
        self._task = asyncio.create_task(self._keep_up(state.store), name=self.name)

    async def stop(self) -> None:
        self._stop.set()
        with suppress(asyncio.CancelledError):
            await self._task

    async def _keep_up(self, store: Store) -> None:
        while not await asyncio.to_thread(self._stop.wait, _INTERVAL_SECONDS):
            try:
                if await asyncio.to_thread(store.imports.take_up, self._stop):
                    structlog.get_logger().info("what a killed import left is stored or forgotten")
            except StoreError:
                # The store's own log line says why, once; it is tried again.
                continue
            except Exception:  # noqa: BLE001 - the upkeep's edge: one failure must not end all later tries
                structlog.get_logger().exception("upkeep failed")
