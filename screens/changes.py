"""Telling open streams that their screen shows something else now, or nothing any more.

Screens are changed by this process or by another that shares the store's file, so the file is asked, every
other second, once for all streams and only while there are any.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final, NamedTuple

import structlog
from starlette.concurrency import run_in_threadpool

from live import FeedStream
from screens.store import ScreenStoreError

CHANGED: Final = b'event: screen\ndata: {"status":"changed"}\n\n'
REVOKED: Final = b'event: screen\ndata: {"status":"revoked"}\n\n'
_EVERY: Final = 2.0
"""Seconds between two looks; a revoked screen goes dark within 10."""
_log = structlog.get_logger("screens.changes")


class Shown(NamedTuple):
    """What a stream was opened for."""

    token: str
    revision: int


class ChangeWatch:
    """To be used within one event loop. `read_revisions` may block; it is called in a worker thread."""

    def __init__(self, read_revisions: Callable[[], Mapping[str, int]], *, every: float = _EVERY) -> None:
        self._read_revisions = read_revisions
        self._every = every
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
            await asyncio.sleep(self._every)
            try:
                revisions = await run_in_threadpool(self._read_revisions)
            except ScreenStoreError as error:
                _log.warning("the saved screens cannot be read", reason=str(error))
                continue
            self._compare(revisions)

    def _compare(self, revisions: Mapping[str, int]) -> None:
        for stream, shown in self._open.items():
            revision = revisions.get(shown.token)
            if revision is None:
                stream.end(REVOKED)
            elif revision != shown.revision:
                stream.end(CHANGED)
