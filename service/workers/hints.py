"""Hints between services with one store, by way of NATS: what one has stored the others look for at once.

A hint has no content, and none is needed: the store is looked at in each `watch_interval` all the same, and
when the connection comes back. One that is lost costs that interval, one too many a look. While there is no
connection the store tells in its own way, if it has one.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import Final

import structlog

from service.application_state import ApplicationState
from service.hint_feed import HintFeed
from service.nats_settings import NatsSettings
from service.workers.nats_link import LOST, NatsLink

_TELL_PAUSE: Final = 0.02
"""Seconds in which all that is stored is told once."""
_SETTLED: Final = 10.0
"""Seconds that a connection has lasted when the log says that it is there again."""
_STOP_DEADLINE: Final = 5.0


class HintWorker:
    """Tells what this service stores, and has the watch look when others tell."""

    name = "nats"
    unready = None

    def __init__(self, settings: NatsSettings) -> None:
        self._settings = settings
        self._log = structlog.get_logger("service.workers.hints")
        self._is_told_away = False
        """Whether the log has said that it is not connected, and not yet that it is. Reasons change, as a
        server that refuses a password may just close the connection: `/readyz` has the present one.
        """
        self._connected_at: float | None = None

    async def start(self, state: ApplicationState) -> None:
        self._state, self._loop = state, asyncio.get_running_loop()
        self._feed = HintFeed(since=state.clock())
        state.feeds[self.name] = self._feed
        self._due = asyncio.Event()
        self._link = NatsLink(self._settings, self)
        self._tasks = [
            asyncio.create_task(work, name=self.name)
            for work in (self._link.last(), self._tell(), self._settle())
        ]

    async def stop(self) -> None:
        self._state.store.announce_by(None)
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks, timeout=_STOP_DEADLINE)

    def connected(self) -> None:
        self._feed.connected(self._state.clock())
        self._feed.not_allowed = ""
        self._connected_at = time.monotonic()
        self._state.store.announce_by(self._announce)
        # What was told before was not heard.
        self._state.heard.set()

    def disconnected(self, reason: str) -> None:
        self._feed.disconnected(reason, self._state.clock())
        self._connected_at = None
        # By what the store has for that, if it has something.
        self._state.store.announce_by(None)
        if reason != LOST and not self._is_told_away:
            self._is_told_away = True
            self._log.warning(
                "hints not connected, trying again: the store is looked at in each watch interval",
                servers=self._settings.told,
                reason=reason,
            )

    def refused(self, reason: str) -> None:
        if reason != self._feed.not_allowed:
            self._log.error("hints refused", servers=self._settings.told, reason=reason)
        self._feed.not_allowed = reason

    def heard(self) -> None:
        self._feed.hints_heard += 1
        self._state.heard.set()

    def _announce(self) -> None:
        """In the thread that has stored."""
        with suppress(RuntimeError):  # the event loop has ended
            self._loop.call_soon_threadsafe(self._due.set)

    async def _tell(self) -> None:
        while True:
            await self._due.wait()
            self._due.clear()
            if await self._link.publish():
                self._feed.hints_told += 1
            await asyncio.sleep(_TELL_PAUSE)

    async def _settle(self) -> None:
        """Say in the log that it is connected once that lasts: else it would say so with each attempt."""
        is_told = False
        while True:
            await asyncio.sleep(1.0)
            since = self._connected_at
            if since is None or (self._is_told_away and time.monotonic() - since < _SETTLED):
                continue
            if self._is_told_away or not is_told:
                self._log.info("hints connected", servers=self._settings.told)
                is_told, self._is_told_away = True, False
