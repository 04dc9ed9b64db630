"""The past of one feed: the minutes of a day, read beside the stream, and read again for what came late."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import timedelta
from http import HTTPStatus
from math import inf
from typing import Final

from api_client import ApiClientError, Refused, Unauthorized
from contract import ErrorCode, MetricsQuery
from live import queries
from live.events import HistoryReceived
from live.feed_context import FeedContext
from live.filling import Gate, Slot
from live.proof import REREAD
from live.reconnect import asked_pause
from live.refusals import Refusals
from live.snapshot import FeedState, Reading, Snapshot
from live.status import FeedStatus

_DAY: Final = queries.LONGEST_MINUTE_RANGE
"""More than today so far: the present count may have begun before midnight."""


class Past:
    """Reads a feed's past minutes and applies them to `status`.

    Every method raises Refused, and nothing else, where the newest value is refused, too: otherwise that does
    not depend on the past, and the client's log keeps the error. What is refused for good is asked about as
    seldom as all of a day is read again, what fails otherwise further and further apart: streams that a
    service ends every few seconds would each begin with the same question.
    """

    def __init__(self, context: FeedContext, status: FeedStatus, gate: Gate, refusals: Refusals) -> None:
        self._context = context
        self._status = status
        self._gate = gate
        self._refusals = refusals
        self.is_streamed = True
        """Whether a stream brings what is `missing`; otherwise it has to be read beside it."""
        self._due: float | None = None
        self._day_due: float | None = None
        self._hurry = asyncio.Event()
        self._failures = 0
        """Questions in a row without an answer."""
        self._not_before = 0.0
        """When the next may be put."""
        self._empty_at = -inf
        """When all of a day was told last, and no minute was in it."""

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
        if not self._may_ask() or self._is_known_empty():
            return
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
            now = self._context.now()
            usual = now + self._context.spread(self._context.limits.refill)
            self._due = self._not_before if self._not_before > now else usual
        with suppress(TimeoutError):
            async with asyncio.timeout(max(self._due - self._context.now(), 0.0)):
                await self._hurry.wait()
        self._hurry.clear()
        self._due = None

    def _may_ask(self) -> bool:
        now = self._context.now()
        return self._not_before <= now and self._refusals.may_ask(self._context.key, now)

    def _is_known_empty(self) -> bool:
        """Whether all of a day was read a moment ago, and nothing was or is known of the place."""
        is_lately = self._context.now() - self._empty_at < self._context.limits.refill
        return is_lately and self._status.known.newest is None

    async def _read(self, span: timedelta, *, is_today: bool = False) -> bool:
        """Whether the service answered."""
        context = self._context
        if not self._may_ask():
            return False
        self._refusals.asks(context.key, context.now() + context.limits.refill_day)
        # Until it is answered: a stream that ends meanwhile takes the question with it.
        self._note_failure()
        before = self._status.known
        try:
            answer = await context.client.metrics(context.minutes_query(span))
        except ApiClientError as error:
            await self._note_reason(error)
            return False
        self._failures, self._not_before = 0, 0.0
        self._refusals.answered(context.key)
        readings, _ = queries.usable(answer.points)
        self._empty_at = context.now() if is_today and not readings else -inf
        async with context.client.turns.take():
            news = queries.unchanged_since(readings, before.readings, self._status.known.readings)
            self._status.drop_future()
            self._status.apply(HistoryReceived(news, is_today))
        return True

    def _note_failure(self) -> None:
        context, limits = self._context, self._context.limits
        pause = min(limits.refill / 4 * 2**self._failures, limits.probe)
        self._failures = min(self._failures + 1, 30)
        self._not_before = context.now() + context.spread(pause)

    async def _note_reason(self, error: ApiClientError) -> None:
        """Raises Refused where not the past alone is refused."""
        context, limits = self._context, self._context.limits
        if error.is_lasting or error.status == HTTPStatus.NOT_IMPLEMENTED:
            self._refusals.refused(context.key, context.now() + context.spread(limits.refill_day))
            if isinstance(error, Refused):
                await self._ask_for_newest(error)
        pause = asked_pause(error, limits.probe)
        self._not_before = max(self._not_before, context.now() + pause)

    async def _ask_for_newest(self, refusal: Refused) -> None:
        """A key may be one for the present alone: the newest value is asked for, too. Raises Refused."""
        try:
            if isinstance(refusal, Unauthorized) or refusal.code == ErrorCode.SITE_NOT_FOUND:
                raise refusal
            await self._context.client.newest(self._context.newest_query())
        except Refused:
            # The past is asked for as soon as the newest value is given again.
            self._refusals.forget(self._context.key)
            self._failures, self._not_before = 0, 0.0
            raise
        except ApiClientError:
            return  # whoever keeps the newest value finds out
