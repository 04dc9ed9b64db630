"""Asking in a stream's place: how the newest value is kept true while no stream brings it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from math import inf
from random import Random

from api_client import ApiClientError, Refused
from live.clock import Clock
from live.limits import FeedLimits
from live.reconnect import asked_pause


class StandIn:
    """`ask` asks and takes the answer in; `failed` gets why that failed, and when the next is due.

    Times in monotonic seconds, pauses in seconds.
    """

    def __init__(
        self,
        *,
        limits: FeedLimits,
        clock: Clock,
        random: Random,
        ask: Callable[[], Awaitable[None]],
        failed: Callable[[ApiClientError, float], None],
    ) -> None:
        self._limits = limits
        self._clock = clock
        self._random = random
        self._ask = ask
        self._failed = failed
        self._due = inf
        self._let_alone_until = 0.0
        self._failures = 0
        self._was_moved, self._was_tried = asyncio.Event(), asyncio.Event()
        self._answers, self._rests = asyncio.Event(), asyncio.Event()

    @property
    def is_asking(self) -> bool:
        """Whether there is no stream, and a query may be answered all the same."""
        return self._due != inf

    async def answers(self) -> None:
        """Return when a query in the stream's place has been answered."""
        await self._answers.wait()

    async def rests(self) -> None:
        """Return when a stream is open, or nothing is asked because nothing would answer."""
        await self._rests.wait()

    def connecting(self) -> None:
        """A stream has been asked for."""
        if self._due == inf:
            self._move(self._now() + self._spread(self._limits.unheard))

    def connected(self) -> None:
        self._rest()

    def lost(self, asked: float) -> None:
        """There is no stream. The service asks to be let alone for so long."""
        self._let_alone(asked)
        self.connecting()

    def unreachable(self) -> None:
        """There is no stream, and a query would not be answered either."""
        self._rest()

    async def answered(self) -> bool:
        """Ask now, unless an answer is as new as polling has it; whether the service answers."""
        if not self._answers.is_set() and self._now() >= self._let_alone_until:
            self._was_tried.clear()
            self._move(self._now())
            await self._was_tried.wait()
        return self._answers.is_set()

    async def keep(self) -> None:
        """Ask whenever it is due; further and further apart while nothing answers. Raises Refused.

        To be begun before a stream is.
        """
        self._rest()
        while True:
            await self._until_due()
            try:
                await self._ask()
            except Refused:
                raise
            except ApiClientError as error:
                if self.is_asking:
                    self._bear(error)
            else:
                if self.is_asking:
                    self._failures = 0
                    self._move(self._now() + self._spread(self._limits.poll))
                    self._answers.set()
                    self._rests.clear()
            self._was_tried.set()

    def _bear(self, error: ApiClientError) -> None:
        longest = max(self._limits.longest_wait, self._limits.poll)
        pause = min(self._limits.poll * 2**self._failures, longest)
        self._failures = min(self._failures + 1, 30)
        self._let_alone(asked_pause(error, self._limits.probe))
        self._move(self._now() + self._spread(pause))
        self._answers.clear()
        self._failed(error, max(self._due, self._let_alone_until))

    async def _until_due(self) -> None:
        while (wait := max(self._due, self._let_alone_until) - self._now()) > 0:
            self._was_moved.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(None if wait == inf else wait):
                    await self._was_moved.wait()

    def _rest(self) -> None:
        self._answers.clear()
        self._rests.set()
        self._failures = 0
        self._move(inf)

    def _let_alone(self, pause: float) -> None:
        self._let_alone_until = max(self._let_alone_until, self._now() + pause)

    def _move(self, due: float) -> None:
        self._due = due
        self._was_moved.set()

    def _spread(self, seconds: float) -> float:
        """So that feeds which were cut off together do not ask together."""
        return seconds * self._random.uniform(0.8, 1.2)

    def _now(self) -> float:
        return self._clock.now().monotonic
