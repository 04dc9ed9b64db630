"""Telling open streams that their screen shows something else now, or nothing any more.

Screens, and the floor plans that some are drawn on, are changed by this process or by another that shares
what holds them. So that is asked, every other second, once for all streams and only while there are any.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import Lock
from typing import Final, NamedTuple

import structlog
from starlette.concurrency import run_in_threadpool

from live import FeedStream
from screens.remembered import UNCONFIRMED
from screens.store import LinkedRevision, ScreenStoreError

CHANGED: Final = b'event: screen\ndata: {"status":"changed"}\n\n'
REVOKED: Final = b'event: screen\ndata: {"status":"revoked"}\n\n'
UNSURE: Final = b'event: screen\ndata: {"status":"unsure"}\n\n'
"""Nobody has been able to learn for too long whether it is still in use."""
_EVERY: Final = 2.0
"""Seconds between two looks; a revoked screen goes dark within 10."""
_log = structlog.get_logger("screens.outage")


class Shown(NamedTuple):
    """What a stream was opened for."""

    screen_id: str
    revision: int
    link: str | None
    """Digest of the link that it was opened by; None: by a preview's ticket."""
    until: float | None
    """In monotonic seconds, when it ends unless its store answers until then; None: never for that."""
    plans: Mapping[str, str]
    """By the ids of sites that are drawn on a floor plan: what tells it from another; empty: none is kept."""


class ChangeWatch:
    """Ends the streams of screens that were changed or revoked. To be used within one event loop.

    Where nothing was learned of them for `unconfirmed` seconds, streams end, too.

    Both may block; they are called in a worker thread. `read_revisions` logs why it fails; `read_plans` gives
    what tells floor plans from others, by site id, of sites that have one.
    """

    def __init__(
        self,
        read_revisions: Callable[[], Mapping[str, LinkedRevision]],
        read_plans: Callable[[], Mapping[str, str]],
        unconfirmed: float = UNCONFIRMED,
    ) -> None:
        self._read_revisions = read_revisions
        self._read_plans = read_plans
        self._unconfirmed = unconfirmed
        self._confirmed_until = 0.0
        self._open: dict[FeedStream, Shown] = {}
        self._task: asyncio.Task[None] | None = None

    @contextmanager
    def watching(self, stream: FeedStream, shown: Shown) -> Iterator[None]:
        """End `stream` with a last word as soon as its screen is not what it was."""
        self._open[stream] = shown
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._watch(), name="screen changes")
        try:
            yield
        finally:
            del self._open[stream]

    async def _watch(self) -> None:
        while self._open:
            await asyncio.sleep(_EVERY)
            try:
                revisions = await run_in_threadpool(self._read_revisions)
            except Exception:  # noqa: BLE001 - nothing is known to have changed; whoever reads logs it
                self._end_unsure()
                continue
            self._confirmed_until = time.monotonic() + self._unconfirmed
            self._compare(revisions)
            await self._compare_plans()

    def _end_unsure(self) -> None:
        now = time.monotonic()
        for stream, shown in self._open.items():
            if shown.until is not None and now >= max(shown.until, self._confirmed_until):
                stream.end(UNSURE)

    async def _compare_plans(self) -> None:
        if not any(shown.plans for shown in self._open.values()):
            return
        with suppress(Exception):  # as above: the walls return in a few minutes anyway
            plans = await run_in_threadpool(self._read_plans)
            for stream, shown in self._open.items():
                if any(plans.get(site_id, "") != mark for site_id, mark in shown.plans.items()):
                    stream.end(CHANGED)

    def _compare(self, revisions: Mapping[str, LinkedRevision]) -> None:
        for stream, shown in self._open.items():
            found = revisions.get(shown.screen_id)
            if found is None or (shown.link is not None and found.link != shown.link):
                stream.end(REVOKED)
            elif found.revision != shown.revision:
                stream.end(CHANGED)


class StoreOutage:
    """Logs that the saved screens cannot be read: one line when it begins, one when it is over.

    Safe to share between threads.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._lasts = False

    @contextmanager
    def noticed(self) -> Iterator[None]:
        """Note whether the read in the block fails, and let its error pass. Defects come with a traceback."""
        try:
            yield
        except Exception as error:
            if self._turns(lasts=True):
                is_defect = not isinstance(error, ScreenStoreError)
                _log.error("screens cannot be shown", reason=str(error), exc_info=is_defect)
            raise
        if self._turns(lasts=False):
            _log.info("screens can be shown again")

    def _turns(self, *, lasts: bool) -> bool:
        with self._lock:
            turned, self._lasts = self._lasts != lasts, lasts
        return turned
