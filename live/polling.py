"""Asking for the newest value while no stream brings it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf

from api_client import ApiClientError, Refused
from live.feed_context import FeedContext, FeedLimits
from live.reconnect import asked_pause


@dataclass(frozen=True, slots=True)
class PollSchedule:
    """When the newest value is asked for next. Pure; moments in monotonic seconds, pauses in seconds."""

    due: float = inf
    """inf: not at all."""
    not_before: float = 0.0
    """End of the pause that the service asks for."""
    failures: int = 0
    """In a row."""

    @property
    def next_at(self) -> float:
        return max(self.due, self.not_before)

    def at(self, due: float) -> PollSchedule:
        return replace(self, due=due)

    def let_alone(self, until: float) -> PollSchedule:
        return replace(self, not_before=max(self.not_before, until))

    def stopped(self) -> PollSchedule:
        return replace(self, due=inf, failures=0)

    def answered(self, now: float, pause: float) -> PollSchedule:
        return replace(self, due=now + pause, failures=0)

    def failed(
        self, error: ApiClientError, now: float, limits: FeedLimits, spread: Callable[[float], float]
    ) -> PollSchedule:
        """Further and further apart, and not before the service allows it."""
        pause = min(limits.poll * 2**self.failures, max(limits.longest_wait, limits.poll))
        failed = replace(self, due=now + spread(pause), failures=min(self.failures + 1, 30))
        return failed.let_alone(now + asked_pause(error, limits.probe))


class Polling:
    """Polls for one feed. `ask` queries and applies the answer; `failed` gets why that failed, and when the
    next query is due, in monotonic seconds.
    """

    def __init__(
        self,
        context: FeedContext,
        *,
        ask: Callable[[], Awaitable[None]],
        failed: Callable[[ApiClientError, float], None],
    ) -> None:
        self._context = context
        self._ask = ask
        self._failed = failed
        self._schedule = PollSchedule()
        self._was_moved, self._was_tried = asyncio.Event(), asyncio.Event()
        self._answers, self._rests = asyncio.Event(), asyncio.Event()

    @property
    def is_asking(self) -> bool:
        """Whether there is no stream, and a query may be answered all the same."""
        return self._schedule.due != inf

    async def wait_for_answer(self) -> None:
        """Return when a query has been answered, while there is no stream."""
        await self._answers.wait()

    async def wait_for_rest(self) -> None:
        """Return when a stream is open, or nothing is asked because nothing would answer."""
        await self._rests.wait()

    def connecting(self) -> None:
        """A stream has been asked for."""
        if not self.is_asking:
            unheard = self._context.spread(self._context.limits.unheard)
            self._move(self._schedule.at(self._context.now() + unheard))

    def lost(self, pause: float) -> None:
        """There is no stream, and the service asks for a pause of so many seconds."""
        self._schedule = self._schedule.let_alone(self._context.now() + pause)
        self.connecting()

    def rest(self) -> None:
        """A stream is open, or a query would not be answered either."""
        self._answers.clear()
        self._rests.set()
        self._move(self._schedule.stopped())

    async def answered(self) -> bool:
        """Query now, unless the last answer is still fresh; whether the service answers."""
        now = self._context.now()
        if not self._answers.is_set() and now >= self._schedule.not_before:
            self._was_tried.clear()
            self._move(self._schedule.at(now))
            await self._was_tried.wait()
        return self._answers.is_set()

    async def keep(self) -> None:
        """Ask whenever it is due; further and further apart while nothing answers. Raises Refused.

        To be begun before a stream is.
        """
        self.rest()
        while True:
            await self._until_due()
            try:
                await self._ask()
            except Refused:
                raise
            except ApiClientError as error:
                if self.is_asking:
                    self._note_failure(error)
            else:
                if self.is_asking:
                    pause = self._context.spread(self._context.limits.poll)
                    self._move(self._schedule.answered(self._context.now(), pause))
                    self._answers.set()
                    self._rests.clear()
            self._was_tried.set()

    def _note_failure(self, error: ApiClientError) -> None:
        context = self._context
        self._move(self._schedule.failed(error, context.now(), context.limits, context.spread))
        self._answers.clear()
        self._failed(error, self._schedule.next_at)

    async def _until_due(self) -> None:
        while (wait := self._schedule.next_at - self._context.now()) > 0:
            self._was_moved.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(None if wait == inf else wait):
                    await self._was_moved.wait()

    def _move(self, schedule: PollSchedule) -> None:
        self._schedule = schedule
        self._was_moved.set()
