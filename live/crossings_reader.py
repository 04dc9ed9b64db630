"""Reads who crosses the passages of a site, one after another, for as long as somebody looks.

The API sums what one question names, so each passage is a question of its own; a stream for each would be a
hundred of them for one site. A round asks each passage for its newest minute; when that is another one, the
next round asks for the last minutes, and all of the last hour is read at first and again every ten minutes,
for counts that come late. All sites that are looked at share the same few questions a second; a reader asks
one at a time, and rests as long as its answer took.

A failure is the passage's own where the one that was answered before it still is: then it waits by itself,
and the others are read on. Where that one fails, too, it is the service's, which is let alone longer and
longer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from api_client import ApiClientError, InvalidQuery, NotFound
from live.crossings import (
    OLD_CROSSINGS,
    CountedPassage,
    Crossings,
    counted_passages,
    too_many_passages,
)
from live.feed_context import FeedContext
from live.health import PassageCounters
from live.passage_reading import PassageReading
from live.reconnect import Backoff, asked_pause
from live.snapshot import CrossingsKey

_LASTING: Final = 3
"""Failures of a service in a row after which one that lasts is believed."""
_SLOW_ROUND: Final = 60.0
"""Seconds of a round that is worth telling."""
_LONGEST_OLD: Final = 1800.0
"""Seconds: half of the hour that the numbers are of, however long a round takes."""
_SMOOTHED: Final = 0.2
"""Weight of the newest question in how long one takes."""


class Pace:
    """So many seconds at least between two questions of all who share it; lives in one event loop."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._free_at = 0.0

    async def turn(self, seconds: float) -> None:
        due = max(self._free_at, self._now())
        self._free_at = due + seconds
        await asyncio.sleep(due - self._now())


class CrossingsReader:
    """`run()` until it is cancelled; each new snapshot goes to `publish`, in the loop that runs it."""

    is_streaming: Final = False

    def __init__(
        self,
        key: CrossingsKey,
        context: FeedContext,
        *,
        pace: Pace,
        publish: Callable[[Crossings], None],
        counters: PassageCounters,
    ) -> None:
        """`context` is that of the whole site's feed."""
        self.snapshot = Crossings(key)
        self._context = context
        self._pace = pace
        self._publish = publish
        self._counters = counters
        self._readings: dict[CountedPassage, PassageReading] = {}
        self._listed_until = 0.0
        self._answered: PassageReading | None = None
        """The one that was answered last."""
        self._backoff = self._new_backoff()
        """Of the service."""
        self._takes: float | None = None
        """Seconds that a question takes with its turn and the rest after it; None: none was answered yet."""
        self._listed: int | None = None
        self._trouble = ""
        """Of the service or of this reader; a sentence for everybody."""

    async def run(self) -> None:
        """Raises only what is a defect."""
        limits = self._context.limits
        while True:
            begun = self._context.now()
            if begun >= self._listed_until:
                await self._list()
            for reading in list(self._readings.values()):
                if reading.seconds_to_due <= 0:
                    await self._read(reading)
            self._tell()
            rest = limits.round if self._readings or self._trouble else limits.refill
            await asyncio.sleep(max(begun + rest - self._context.now(), limits.question))

    async def crashed(self, reason: str) -> None:
        """Wait before another `run()` after a defect."""
        self._trouble = f"What reads the passages failed ({reason})."
        self._tell()
        await asyncio.sleep(self._context.limits.longest_wait)

    async def _list(self) -> None:
        """Which passages there are now; what is known of those that are as they were is kept."""
        if error := await self._failure_of(self._list_passages):
            await self._rest_after(error)

    async def _list_passages(self) -> None:
        site = await self._context.client.site(self._context.key.site_id)
        self._listed_until = self._context.now() + self._context.limits.refill
        passages = counted_passages(site)
        self._listed = len(passages)
        if too_many_passages(len(passages)):
            passages = []
        if not passages:
            self._is_answered()
        self._readings = {
            one: self._readings.get(one) or PassageReading(one, self._context, self._new_backoff())
            for one in passages
        }
        if self._answered and self._answered.passage not in self._readings:
            self._answered = None

    async def _read(self, reading: PassageReading) -> None:
        error = await self._failure_of(lambda: self._ask(reading))
        if error is None:
            return
        if isinstance(error, InvalidQuery | NotFound):
            self._listed_until = 0.0  # the site may have other passages now
        elif not await self._is_its_own(error, reading):
            await self._rest_after(error)
            return
        reading.failed(error)
        self._tell()

    async def _ask(self, reading: PassageReading) -> None:
        is_news = await reading.read()
        self._answered = reading
        self._is_answered()
        if is_news:
            self._tell()  # who crosses now is told at once

    async def _is_its_own(self, error: ApiClientError, reading: PassageReading) -> bool:
        """Whether the passage that was answered last still is. A pause that is asked for is kept by all."""
        other = self._answered
        if other is None or other is reading or asked_pause(error, self._context.limits.probe):
            return False
        return await self._failure_of(lambda: self._ask(other)) is None

    async def _failure_of(self, ask: Callable[[], Awaitable[None]]) -> ApiClientError | None:
        """Ask in turn, and rest as long as the answer took; None: there was one."""
        waiting = self._context.now()
        await self._pace.turn(self._context.limits.question)
        begun = self._context.now()
        self._counters.questions += 1
        try:
            await ask()
        except ApiClientError as error:
            self._counters.failure(error.code)
            return error
        await asyncio.sleep(self._context.now() - begun)
        took = self._context.now() - waiting
        self._takes = took if self._takes is None else self._takes + _SMOOTHED * (took - self._takes)
        return None

    def _is_answered(self) -> None:
        self._trouble, self._backoff.failures = "", 0

    async def _rest_after(self, error: ApiClientError) -> None:
        limits = self._context.limits
        self._trouble = error.brief
        self._tell()
        wait = self._backoff.next_wait()
        if self._answered is None and not all(one.is_tried for one in self._readings.values()):
            wait = min(wait, limits.recheck)  # the next may be answered
        elif error.is_lasting and self._backoff.failures >= _LASTING:
            wait = self._context.spread(limits.probe)
        await asyncio.sleep(max(wait, asked_pause(error, limits.probe)))

    def _new_backoff(self) -> Backoff:
        limits = self._context.limits
        return Backoff(self._context.random, limits.recheck, limits.longest_wait)

    def _tell(self) -> None:
        now = self._context.client.service_time
        lately = [one for one in self._readings.values() if self._is_known(one)]
        self.snapshot = Crossings(
            self.snapshot.key,
            {one.passage.passage_id: one.log.crossings(now) for one in lately},
            min((one.read_at or 0.0 for one in lately), default=None),
            self._reason(),
            old_after=min(OLD_CROSSINGS + 2 * self._round, _LONGEST_OLD),
            listed=self._listed,
        )
        self._publish(self.snapshot)

    def _is_known(self, reading: PassageReading) -> bool:
        """One that fails again and again must not make the others look old, nor look as new as they are."""
        if reading.read_at is None:
            return False
        newest = max(one.read_at or 0.0 for one in self._readings.values())
        return not reading.reason or reading.read_at >= newest - OLD_CROSSINGS - self._round

    @property
    def _round(self) -> float:
        """Seconds that a round through all passages takes, about."""
        return max(len(self._readings) * (self._takes or 0.0), self._context.limits.round)

    def _reason(self) -> str:
        """Why passages are not read, or are old; empty: all are, and none is."""
        if too_many := too_many_passages(self._listed or 0):
            return too_many
        if self._trouble:
            return self._trouble
        readings = list(self._readings.values())
        failing = [one for one in readings if one.reason]
        read = sum(one.read_at is not None for one in readings)
        said = []
        if failing:
            said.append(f"{len(failing)} of {len(readings)} passages cannot be read: {failing[0].reason}")
        if read < len(readings) - len(failing):
            said.append(f"{read} of {len(readings)} passages are read so far.")
        if self._round > _SLOW_ROUND:
            minutes = max(round(self._round / 60), 1)
            said.append(f"To read all {len(readings)} takes about {minutes} min.")
        return " ".join(said)
