"""The watch: sees counts that other processes committed, and keys that were revoked or have expired."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress

import structlog

from service.application_state import ApplicationState
from service.store.errors import StoreError


class Watch:
    """A task that looks once in each `watch_interval` of the settings, and once the store hears of change."""

    name = "watch"
    unready = None

    async def start(self, state: ApplicationState) -> None:
        self._stop = threading.Event()
        self._task = asyncio.create_task(_watch(state, self._stop), name=self.name)

    async def stop(self) -> None:
        self._stop.set()
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task


async def _watch(state: ApplicationState, stop: threading.Event) -> None:
    broadcast, seconds = state.broadcast, state.settings.watch_interval.total_seconds()
    while True:
        try:
            await asyncio.to_thread(state.store.wait_for_changes, seconds, stop)
            await _look(state)
        except StoreError:
            # The store's own log line says why, once. A stream's values may be stored no more.
            for key_id in broadcast.key_ids:
                broadcast.end_streams_of(key_id)
        except Exception:  # noqa: BLE001 - the watch's edge: one failed look must not end all later ones
            structlog.get_logger().exception("watch failed")
            await asyncio.sleep(seconds)


async def _look(state: ApplicationState) -> None:
    """Publish other processes' commits, and end the streams of keys that are revoked, expired or gone."""
    await asyncio.to_thread(state.store.metrics.poll_changes)
    for key_id in state.broadcast.key_ids:
        key = await asyncio.to_thread(state.store.keys.find, key_id)
        if key is None or not key.opens(state.clock()):
            state.broadcast.end_streams_of(key_id)
