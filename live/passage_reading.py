"""One passage as its reader knows it: its minutes, when it is asked for again, and what keeps it unread."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from api_client import ApiClientError, AsyncClient
from contract.minutes import MINUTE, minute_floor
from live.crossings import HOUR, CountedPassage, PassageLog
from live.feed_context import FeedContext
from live.reconnect import Backoff

_LAST_MINUTES: Final = timedelta(minutes=5)


@dataclass(slots=True)
class PassageReading:
    passage: CountedPassage
    context: FeedContext
    backoff: Backoff
    """Of its own failures, beside which others are answered."""
    log: PassageLog = field(default_factory=PassageLog)
    read_at: float | None = None
    """Monotonic seconds, as all times here."""
    due: float = 0.0
    """When it is asked for again."""
    reason: str = ""
    """Why it was not answered the last time; a sentence for everybody. Empty: it was, or never asked for."""
    hour_due: float = 0.0
    """When its last hour is read again."""
    lacks_minutes: bool = False
    """Whether a minute has ended of which only a part may be known."""

    @property
    def is_tried(self) -> bool:
        return self.read_at is not None or bool(self.reason)

    @property
    def seconds_to_due(self) -> float:
        return self.due - self.context.now()

    async def read(self) -> bool:
        """Whether somebody was seen to cross, or this is its first answer. Raises ApiClientError."""
        before, begun = self.log, self.context.now()
        await self._ask(self.context.client, begun)
        self.read_at = begun
        self.backoff.failures, self.due, self.reason = 0, 0.0, ""
        return self.log.seen != before.seen or not before.is_read

    def failed(self, error: ApiClientError) -> None:
        """Others were answered, so that this is its own: it is let alone longer and longer."""
        limits = self.context.limits
        longest = limits.probe if error.is_lasting else limits.longest_wait
        self.backoff = replace(self.backoff, longest=longest)
        self.due = self.context.now() + self.backoff.next_wait()
        self.reason = error.brief

    async def _ask(self, client: AsyncClient, begun: float) -> None:
        before, limits = self.log, self.context.limits
        span = HOUR + MINUTE if begun >= self.hour_due else _LAST_MINUTES
        query = self.passage.query(self.context.key.site_id, self.context.timezone, span)
        if begun < self.hour_due and not self.lacks_minutes:
            counts = self.passage.counts((await client.newest(query)).points)
            self.log = before.after_newest(counts, client.service_time)
            self.lacks_minutes = bool(counts) and max(counts) != before.newest
            return
        start: datetime = minute_floor(client.service_time - span) + MINUTE
        answer = await client.metrics(query)
        self.log = before.after_range(self.passage.counts(answer.points), start, client.service_time)
        self.lacks_minutes = False
        self.hour_due = begun + limits.refill_day if span > HOUR else self.hour_due
