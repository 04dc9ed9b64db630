"""Reads who crosses the passages of a site, one after another, for as long as somebody looks.

The API sums what one question names, so each passage is a question of its own; a stream for each would be a
hundred of them for one site. A round asks each passage for its newest minute; when that is another one, the
next round asks for the last minutes, and all of the last hour is read at first and again every ten minutes,
for counts that come late. All sites that are looked at share the same few questions a second; a reader asks
one at a time, and rests as long as its answer took.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Final

from api_client import ApiClientError
from contract.minutes import MINUTE, minute_floor
from live.crossings import (
    HOUR,
    MOST_PASSAGES,
    CountedPassage,
    Crossings,
    PassageLog,
    counted_passages,
)
from live.feed_context import FeedContext
from live.reconnect import asked_pause
from live.snapshot import CrossingsKey

_LAST_MINUTES: Final = timedelta(minutes=5)
_LATELY: Final = 300.0
"""Seconds for which others hold beside the newest answer: a hundred of a slow service take their time."""
_LASTING: Final = 3
"""Failures in a row after which one that lasts is believed: a single passage may be unknown."""


class Pace:
    """So many seconds at least between two questions of all who share it; lives in one event loop."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._free_at = 0.0

    async def turn(self, seconds: float) -> None:
        due = max(self._free_at, self._now())
        self._free_at = due + seconds
        await asyncio.sleep(due - self._now())


@dataclass(slots=True)
class _Known:
    log: PassageLog = field(default_factory=PassageLog)
    read_at: float | None = None
    """Monotonic seconds."""
    hour_due: float = 0.0
    """When its last hour is read again, monotonic seconds."""
    lacks_minutes: bool = False
    """Whether a minute has ended of which only a part may be known."""


class CrossingsReader:
    """`run()` until it is cancelled; each new snapshot goes to `publish`, in the loop that runs it."""

    is_streaming: Final = False

    def __init__(
        self, key: CrossingsKey, context: FeedContext, *, pace: Pace, publish: Callable[[Crossings], None]
    ) -> None:
        """`context` is that of the whole site's feed."""
        self.snapshot = Crossings(key)
        self._context = context
        self._pace = pace
        self._publish = publish
        self._passages: list[CountedPassage] = []
        self._known: dict[str, _Known] = {}
        self._listed_until = 0.0
        self._failures = 0
        """In a row."""
        self._reason = ""

    async def run(self) -> None:
        """Raises only what is a defect."""
        limits = self._context.limits
        while True:
            begun = self._context.now()
            if begun >= self._listed_until:
                await self._attempt(self._list_passages)
            for passage in self._passages:
                await self._attempt(partial(self._read, passage))
            self._tell()
            rest = limits.round if self._passages else limits.refill
            await asyncio.sleep(max(begun + rest - self._context.now(), limits.question))

    async def crashed(self, reason: str) -> None:
        """Wait before another `run()` after a defect."""
        self._reason = f"What reads the passages failed ({reason})."
        self._tell()
        await asyncio.sleep(self._context.limits.longest_wait)

    async def _attempt(self, ask: Callable[[], Awaitable[None]]) -> None:
        """Ask in turn, and rest as long as that took; after a failure longer, and longer each time."""
        limits = self._context.limits
        await self._pace.turn(limits.question)
        begun = self._context.now()
        try:
            await ask()
        except ApiClientError as error:
            await self._pause_after(error)
        else:
            self._failures = 0
            await asyncio.sleep(self._context.now() - begun)

    async def _pause_after(self, error: ApiClientError) -> None:
        limits = self._context.limits
        pause = min(limits.recheck * 2.0 ** min(self._failures, 30), limits.longest_wait)
        self._failures += 1
        self._reason = error.summary
        self._tell()
        if error.is_lasting and self._failures >= _LASTING:
            pause = limits.probe
        await asyncio.sleep(self._context.spread(max(pause, asked_pause(error, limits.probe))))

    async def _list_passages(self) -> None:
        site = await self._context.client.site(self.snapshot.key.site_id)
        self._listed_until = self._context.now() + self._context.limits.refill_day
        passages = counted_passages(site)
        self._reason = ""
        if len(passages) > MOST_PASSAGES:
            self._reason = (
                f"This site has {len(passages)} passages. Of more than {MOST_PASSAGES} none is read."
            )
            passages = []
        if passages != self._passages:  # each may be counted from elsewhere now
            self._passages, self._known = passages, {one.passage_id: _Known() for one in passages}

    async def _read(self, passage: CountedPassage) -> None:
        known, client, limits = self._known[passage.passage_id], self._context.client, self._context.limits
        before, begun = known.log, self._context.now()
        span = HOUR + MINUTE if begun >= known.hour_due else _LAST_MINUTES
        query = passage.query(self.snapshot.key.site_id, self._context.timezone, span)
        if begun >= known.hour_due or known.lacks_minutes:
            start = minute_floor(client.service_time - span) + MINUTE
            answer = await client.metrics(query)
            known.log = before.after_range(passage.counts(answer.points), start, client.service_time)
            known.lacks_minutes = False
            known.hour_due = begun + limits.refill_day if span > HOUR else known.hour_due
        else:
            answer = await client.newest(query)
            counts = passage.counts(answer.points)
            known.log = before.after_newest(counts, client.service_time)
            known.lacks_minutes = bool(counts) and max(counts) != before.newest
        known.read_at = begun
        self._reason = ""
        if known.log.seen != before.seen or not before.is_read:
            self._tell()  # who crosses now is told at once

    def _tell(self) -> None:
        now = self._context.client.service_time
        read = {id_: known for id_, known in self._known.items() if known.read_at is not None}
        newest = max((known.read_at or 0.0 for known in read.values()), default=0.0)
        # One that fails again and again must not make the others look old, nor look as new as they are.
        lately = {id_: known for id_, known in read.items() if (known.read_at or 0.0) >= newest - _LATELY}
        self.snapshot = Crossings(
            self.snapshot.key,
            {id_: known.log.crossings(now) for id_, known in lately.items()},
            min((known.read_at or 0.0 for known in lately.values()), default=None),
            self._reason,
        )
        self._publish(self.snapshot)
