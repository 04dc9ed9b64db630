"""The watch: sees counts that other processes committed, and keys that were revoked or have expired."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import suppress
from typing import Final

import structlog

from service.application_state import ApplicationState
from service.store.errors import StoreError

_SHORTEST_REST: Final = 0.05
"""Seconds after a look."""
_REST: Final = 4
"""Times what the look took, up to the interval: of thousands of sites one takes tens of milliseconds, and
others may store, or call, without end. A stream sends once a second at most.
"""


class Watch:
    """A task that looks once in each `watch_interval` of the settings, and once a change is heard of: by the
    store, or from others (`ApplicationState.heard`).
    """

    name = "watch"
    unready = None

    async def start(self, state: ApplicationState) -> None:
        self._stop = threading.Event()
        self._waiting: asyncio.Task[None] | None = None
        self._task = asyncio.create_task(self._watch(state), name=self.name)

    async def stop(self) -> None:
        self._stop.set()
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    async def _watch(self, state: ApplicationState) -> None:
        broadcast, seconds = state.broadcast, state.settings.watch_interval.total_seconds()
        rest = _SHORTEST_REST
        while True:
            try:
                await self._news(state, max(0.0, seconds - rest))
                started = time.monotonic()
                await _look(state)
                rest = max(_SHORTEST_REST, min(_REST * (time.monotonic() - started), seconds))
            except StoreError:
                # The store's own log line says why, once. A stream's values may be stored no more.
                for key_id in broadcast.key_ids:
                    broadcast.end_streams_of(key_id)
            except Exception:  # noqa: BLE001 - the watch's edge: one failed look must not end all later ones
                structlog.get_logger().exception("watch failed")
                rest = max(rest, seconds)
            await asyncio.sleep(rest)

    async def _news(self, state: ApplicationState, seconds: float) -> None:
        """Return when there may be some, or after so many seconds."""
        if self._waiting is None:
            # Goes on, in its thread, where others were heard sooner.
            waiting = asyncio.to_thread(state.store.wait_for_changes, seconds, self._stop)
            self._waiting = asyncio.create_task(waiting)
        heard = asyncio.create_task(state.heard.wait())
        try:
            await asyncio.wait({self._waiting, heard}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            heard.cancel()
        state.heard.clear()
        if self._waiting.done():
            waited, self._waiting = self._waiting, None
            waited.result()


async def _look(state: ApplicationState) -> None:
    """Publish other processes' commits, and end the streams of keys that are revoked, expired or gone."""
    await asyncio.to_thread(state.store.metrics.poll_changes)
    for key_id in state.broadcast.key_ids:
        key = await asyncio.to_thread(state.store.keys.find, key_id)
        if key is None or not key.opens(state.clock()):
            state.broadcast.end_streams_of(key_id)
