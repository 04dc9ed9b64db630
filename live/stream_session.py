"""One connection to the service's stream, from the request to its end: what it brought and why it ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final, TypeVar

from api_client import LiveStream
from live import queries
from live.feed_context import FeedContext
from live.filling import Slot
from live.freshness import FreshnessCheck
from live.health import FeedCounters
from live.past import Past
from live.session import Session
from live.snapshot import Reading
from live.status import FeedStatus

_MOMENT: Final = 0.1
"""Seconds from one step to the next, at least, while `is_replay`."""
_MOST: Final = 5_000
"""Events that wait to be taken before no more are read; three days of minutes."""

Item = TypeVar("Item")


class StreamSession(Session):
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
        super().__init__(
            context, status=status, check=check, past=past, counters=counters, last_event_id=last_event_id
        )
        self._slot = slot

    def opened(self) -> None:
        self._slot.answered(stays=self._context.limits.first_check)
        super().opened()

    async def read(self, stream: LiveStream) -> None:
        """Apply what comes, until the stream ends. Raises ApiClientError."""
        async with gathered(stream, lambda: bool(self._status.known.reported_until)) as pieces:
            async for items in pieces:
                event_id = stream.last_event_id
                await self._apply(*queries.usable(items))
                self.last_event_id = event_id

    async def follow_replay(self) -> None:
        """Apply the end of the replay to the status, each time it is through."""
        while True:
            self._status.apply(await self.replay.through())
            self._check.replayed()

    def _received(self, readings: tuple[Reading, ...], *, is_first: bool = False) -> None:
        newest, is_first = max(one.measured_at for one in readings), not self._check.stream.pieces
        known, present = len(self._status.known.readings), self._context.client.service_time
        super()._received(readings, is_first=is_first)
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
