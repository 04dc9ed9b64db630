"""The past of one feed: the minutes of today, read beside the stream, and read again for what came late."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from random import Random
from typing import Final

from api_client import ApiClientError, AsyncClient, Refused
from live import questions
from live.clock import Clock, local_zone
from live.limits import FeedLimits
from live.snapshot import Reading, Snapshot

_RECENT: Final = timedelta(minutes=15)


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
        take: Callable[[tuple[Reading, ...]], None],
    ) -> None:
        self._timezone = timezone
        self._client = client
        self._limits = limits
        self._clock = clock
        self._random = random
        self._snapshot = snapshot
        self._take = take
        self._day_due: float | None = None

    @property
    def today(self) -> timedelta:
        return questions.span_of_today(self._clock.now().wall, local_zone(self._timezone))

    async def read_today(self) -> None:
        self._day_due = self._clock.now().monotonic + self._spread(self._limits.refill_day)
        await self._read(self.today)

    async def keep(self) -> None:
        """Again and again: the last minutes often, all of today from time to time."""
        if self._day_due is None:
            self._day_due = self._clock.now().monotonic + self._spread(self._limits.refill_day)
        while True:
            await asyncio.sleep(self._spread(self._limits.refill))
            if self._clock.now().monotonic >= self._day_due:
                await self.read_today()
            else:
                await self._read(_RECENT)

    async def _read(self, span: timedelta) -> None:
        before = self._snapshot()
        try:
            answer = await self._client.metrics(questions.since(before.key, self._timezone, span))
        except Refused:
            raise
        except ApiClientError:
            return
        readings, _ = questions.usable(answer.points)
        self._take(questions.unchanged_since(readings, before.readings, self._snapshot().readings))

    def _spread(self, seconds: float) -> float:
        """So that feeds which were opened together do not ask together for ever."""
        return seconds * self._random.uniform(0.8, 1.2)
