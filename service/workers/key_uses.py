"""Stores when keys were used last: once a minute all of them together, and when the service ends."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Final

import structlog

from service.application_state import ApplicationState
from service.store.errors import StoreError

_LAST_SECONDS: Final = 1.0
"""How long the end of the service waits for the last of it, which another process may keep from the store."""


class KeyUseWorker:
    """A task that stores in each `key_use_interval` of the settings what was noted since."""

    name = "key uses"
    unready = None

    async def start(self, state: ApplicationState) -> None:
        self._state = state
        # Of its own: neither counts nor queries wait for it, nor does the end of the service.
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="key-uses")
        self._task = asyncio.create_task(self._store_regularly(), name=self.name)

    async def stop(self) -> None:
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        with suppress(TimeoutError):
            async with asyncio.timeout(_LAST_SECONDS):
                await self._store()
        self._executor.shutdown(wait=False)

    async def _store_regularly(self) -> None:
        state = self._state
        while True:
            await asyncio.sleep(state.settings.key_use_interval.total_seconds())
            state.key_uses.note_streams(state.broadcast.key_ids, state.clock())
            try:
                await self._store()
            except Exception:  # noqa: BLE001 - the worker's edge: one failure must not end all later ones
                structlog.get_logger().exception("last uses of keys not stored")

    async def _store(self) -> None:
        """What cannot be stored is tried again with the next."""
        uses, keys = self._state.key_uses.take(), self._state.store.keys
        if not uses:
            return
        try:
            await asyncio.get_running_loop().run_in_executor(self._executor, keys.note_uses, uses)
        except StoreError:
            # The store's own log line says why.
            self._state.key_uses.put_back(uses)
