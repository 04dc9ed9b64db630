"""The past of one feed: the minutes of a day, read beside the stream, and read again for what came late."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import timedelta
from typing import Final

from api_client import ApiClientError, Refused
from contract import MetricsQuery
from live import queries
from live.events import HistoryReceived
from live.feed_context import FeedContext
from live.filling import Gate, Slot
from live.proof import REREAD
from live.snapshot import FeedState, Reading, Snapshot
from live.status import FeedStatus

_DAY: Final = queries.LONGEST_MINUTE_RANGE
"""More than today so far: the present count may have begun before midnight."""


class Past:
    """Reads a feed's past minutes and applies them to `status`.

    Every method raises Refused, and nothing else: the newest value does not depend on the past, and the
    client's log keeps the error.
    """

    def __init__(self, context: FeedContext, status: FeedStatus, gate: Gate) -> None:
        self._context = context
        self._status = status
        self._gate = gate
        self.is_streamed = True
        """Whether a stream brings what is `missing`; otherwise it has to be read beside it."""
        self._due: float | None = None
        self._day_due: float | None = None
        self._hurry = asyncio.Event()

    def missing(self) -> MetricsQuery:
        """The query of a stream: all of a day, and once that has come, what may have come since."""
        if not self.is_streamed:
            return self._context.newest_query()
        span, newest = _DAY, self._status.known.newest
        if newest and not self._status.known.awaits_past:
            passed = self._context.client.service_time - newest.measured_at
            span = min(span, max(passed, timedelta()) + REREAD)
        return self._context.minutes_query(span)

    async def read_today(self) -> None:
        self._day_due = self._context.now() + self._context.spread(self._context.limits.refill_day)
        async with Slot(self._gate) as slot:
            if await self._read(_DAY, is_today=True):
                slot.answered()

    async def keep(self) -> None:
        """For ever: read the last minutes often, all of a day from time to time and while it is awaited."""
        if self._day_due is None:
            self._day_due = self._context.now() + self._context.spread(self._context.limits.refill_day)
        while True:
            await self._wait()
            if self._context.now() >= self._day_due or self._status.known.awaits_past:
                await self.read_today()
            else:
                await self._read(REREAD)

    def hurry_if_back(self, reading: Reading | None) -> None:
        """Let the last minutes be read now where a silent counter may be back: `reading`, pushed or answered,
        is no proof of it.
        """
        status = self._status
        if reading and reading != status.known.newest and status.shown.state is FeedState.SILENT:
            self._hurry.set()

    def note_change(self, before: Snapshot, after: Snapshot) -> None:
        """Let all of a day be read next when newer minutes came after a gap: a backlog may lie in it.

        At once where a counter is back from silence, or the sums of today have to wait for it; else in its
        turn, as hundreds of places open at nine. The last minutes are read at once where the newest one was
        taken for one before, dated anew: they tell whether it was counted.
        """
        if before.newest is None or after.newest is None:
            return
        gap = after.newest.measured_at - before.newest.measured_at
        is_back = before.state is FeedState.SILENT and after.state is not FeedState.SILENT and bool(gap)
        if is_back or gap > REREAD:
            self._day_due = 0.0
        if is_back or gap < timedelta() or (after.awaits_past and not before.awaits_past):
            self._hurry.set()

    async def _wait(self) -> None:
        """Wait until the next reading is due, over streams that end sooner, too."""
        if self._due is None:
            self._due = self._context.now() + self._context.spread(self._context.limits.refill)
        with suppress(TimeoutError):
            async with asyncio.timeout(max(self._due - self._context.now(), 0.0)):
                await self._hurry.wait()
        self._hurry.clear()
        self._due = None

    async def _read(self, span: timedelta, *, is_today: bool = False) -> bool:
        """Whether the service answered."""
        before = self._status.known
        try:
            answer = await self._context.client.metrics(self._context.minutes_query(span))
        except Refused:
            raise
        except ApiClientError:
            return False
        readings, _ = queries.usable(answer.points)
        async with self._context.client.turns.take():
            news = queries.unchanged_since(readings, before.readings, self._status.known.readings)
            self._status.drop_future()
            self._status.apply(HistoryReceived(news, is_today))
        return True
