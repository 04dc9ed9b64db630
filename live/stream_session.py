"""One connection to the service's stream, from the request to its end: what it brought and why it ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final, TypeVar

from api_client import ApiClientError, LiveStream
from live import queries
from live.events import EventsSkipped, ReadingsReceived
from live.feed_context import FeedContext
from live.filling import Replay, Slot
from live.freshness import FreshnessCheck
from live.health import FeedCounters
from live.past import Past
from live.reconnect import StreamEnd
from live.snapshot import Reading
from live.status import FeedStatus

_MOMENT: Final = 0.1
"""Seconds from one step to the next, at least, while `is_replay`."""
_MOST: Final = 5_000
"""Events that wait to be taken before no more are read; three days of minutes."""

Item = TypeVar("Item")


class StreamSession:
    """Applies what a stream brings to `status`. `slot` is the feed's, see `live/filling.py`."""

    def __init__(
        self,
        context: FeedContext,
        *,
        status: FeedStatus,
        check: FreshnessCheck,
        past: Past,
        slot: Slot,
        counters: FeedCounters,
        last_event_id: str = "",
    ) -> None:
        self._context = context
        self._status = status
        self._check = check
        self._past = past
        self._slot = slot
        self._counters = counters
        self._opened_at: float | None = None
        self.replay = Replay()
        self.last_event_id = last_event_id
        """Id of the last event that was applied, of this stream or one before."""

    def opened(self) -> None:
        """The service has accepted the stream."""
        self._slot.answered(stays=self._context.limits.first_check)
        self._opened_at = self._context.now()
        self._check.connected()

    async def read(self, stream: LiveStream) -> None:
        """Apply what comes, until the stream ends. Raises ApiClientError."""
        async with gathered(stream, lambda: bool(self._status.known.reported_until)) as pieces:
            async for items in pieces:
                event_id = stream.last_event_id
                readings, reasons = queries.usable(items)
                if reasons:
                    self._counters.skipped.update(reasons)
                    self._status.apply(EventsSkipped(reasons))
                if readings:
                    async with self._context.client.turns.take():
                        self._received(readings)
                    self._past.hurry_if_back(readings[-1])
                self.last_event_id = event_id

    async def follow_replay(self) -> None:
        """Apply the end of the replay to the status, each time it is through."""
        while True:
            self._status.apply(await self.replay.through())
            self._check.replayed()

    def end(self, error: ApiClientError) -> StreamEnd:
        """How the stream has ended; called once, after its end."""
        opened_at, self._opened_at = self._opened_at, None
        lasted = None if opened_at is None else self._context.now() - opened_at
        return StreamEnd(error, lasted, self._check.stream.has_recent)

    def _received(self, readings: tuple[Reading, ...]) -> None:
        self._counters.readings += len(readings)
        self._status.heard()
        newest, is_first = max(one.measured_at for one in readings), not self._check.stream.pieces
        known, present = len(self._status.known.readings), self._context.client.service_time
        self._check.received(newest, present)
        self._status.apply(ReadingsReceived(readings, is_first))
        self.replay.came(newest, present, is_more=len(self._status.known.readings) > known)
        self._slot.came(newest, present)


@asynccontextmanager
async def gathered(
    stream: AsyncIterable[Sequence[Item]], is_replay: Callable[[], bool]
) -> AsyncIterator[AsyncIterator[tuple[Item, ...]]]:
    """The items of `stream` in steps: the first at once, and while `is_replay` no more than ten a second.

    Otherwise nothing waits. Ends and raises as `stream` does, after the last item. A service may write each
    minute of a day as a piece of its own: to apply a minute costs as much as to apply the day.
    """
    arrived: list[Item] = []
    news, room = asyncio.Event(), asyncio.Event()

    async def collect() -> None:
        try:
            async for items in stream:
                arrived.extend(items)
                news.set()
                while len(arrived) >= _MOST:
                    room.clear()
                    await room.wait()
        finally:
            news.set()

    async def steps() -> AsyncIterator[tuple[Item, ...]]:
        while await news.wait():
            news.clear()
            items = tuple(arrived)
            arrived.clear()
            room.set()
            if items:
                yield items
            if reading.done() and not arrived:
                reading.result()
                return
            if is_replay():
                await asyncio.wait({reading}, timeout=_MOMENT)
            if reading.done():
                news.set()

    reading = asyncio.create_task(collect())
    try:
        yield steps()
    finally:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
