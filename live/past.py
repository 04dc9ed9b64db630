"""The past of one feed: the minutes of a day, read beside the stream, and read again for what came late."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from random import Random
from typing import Final

from api_client import ApiClientError, AsyncClient, Refused
from api_client.site_now import newest_query
from contract import MetricsQuery
from live import queries
from live.clock import Clock
from live.events import HistoryReceived
from live.filling import Gate, Place
from live.limits import FeedLimits
from live.proof import REREAD
from live.snapshot import FeedState, Snapshot

_DAY: Final = queries.LONGEST_MINUTE_RANGE
"""More than today so far: the present count may have begun before midnight."""


class Past:
    """`take` gets what is read, `snapshot` gives what is known.

    Every method raises Refused, and nothing else: the newest value does not depend on the past, and the
    client's log keeps the error.
    """

    def __init__(
        self,
        timezone: str,
        client: AsyncClient,
        *,
        limits: FeedLimits,
        clock: Clock,
        random: Random,
        snapshot: Callable[[], Snapshot],
        take: Callable[[HistoryReceived], None],
        gate: Gate,
    ) -> None:
        self._timezone = timezone
        self._client = client
        self._limits = limits
        self._clock = clock
        self._random = random
        self._snapshot = snapshot
        self._take = take
        self._gate = gate
        self.is_streamed = True
        """Whether a stream brings what is `missing`; otherwise it has to be read beside it."""
        self._due: float | None = None
        self._day_due: float | None = None
        self._hurry = asyncio.Event()

    def missing(self) -> MetricsQuery:
        """The query of a stream: all of a day, and once that has come, what may have come since."""
        key, span, newest = self._snapshot().key, _DAY, self._snapshot().newest
        if not self.is_streamed:
            return newest_query(key.site_id, self._timezone, key.zone_ids)
        if newest and not self._snapshot().awaits_past:
            span = min(span, max(self._client.service_time - newest.measured_at, timedelta()) + REREAD)
        return queries.since(key, self._timezone, span)

    async def read_today(self) -> None:
        self._day_due = self._clock.now().monotonic + self._spread(self._limits.refill_day)
        async with Place(self._gate) as place:
            if await self._read(_DAY, is_today=True):
                place.answered()

    async def keep(self) -> None:
        """The last minutes often, all of a day from time to time and while it is awaited."""
        if self._day_due is None:
            self._day_due = self._clock.now().monotonic + self._spread(self._limits.refill_day)
        while True:
            await self._wait()
            if self._clock.now().monotonic >= self._day_due or self._snapshot().awaits_past:
                await self.read_today()
            else:
                await self._read(REREAD)

    def hurry(self) -> None:
        """Let the last minutes be read now."""
        self._hurry.set()

    def look(self, before: Snapshot, after: Snapshot) -> None:
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
        """Until the next reading is due, over streams that end sooner, too."""
        if self._due is None:
            self._due = self._clock.now().monotonic + self._spread(self._limits.refill)
        with suppress(TimeoutError):
            async with asyncio.timeout(max(self._due - self._clock.now().monotonic, 0.0)):
                await self._hurry.wait()
        self._hurry.clear()
        self._due = None

    async def _read(self, span: timedelta, *, is_today: bool = False) -> bool:
        """Whether the service answered."""
        before = self._snapshot()
        try:
            answer = await self._client.metrics(queries.since(before.key, self._timezone, span))
        except Refused:
            raise
        except ApiClientError:
            return False
        readings, _ = queries.usable(answer.points)
        async with self._client.turns.take():
            news = queries.unchanged_since(readings, before.readings, self._snapshot().readings)
            self._take(HistoryReceived(news, is_today))
        return True

    def _spread(self, seconds: float) -> float:
        """So that feeds which were opened together do not ask together for ever."""
        return seconds * self._random.uniform(0.8, 1.2)
