"""Gathering: what a stream brings within a moment, taken together.

A service may write each minute of a day as a piece of its own. To take in a minute costs as much as to take
in the day, so a day of pieces would be taken in a thousand times.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final, TypeVar

_MOMENT: Final = 0.1
"""Seconds from one step to the next, at least, while `is_replay`."""
_MOST: Final = 5_000
"""Events that wait to be taken before no more are read; three days of minutes."""

Item = TypeVar("Item")


@asynccontextmanager
async def gathered(
    stream: AsyncIterable[Sequence[Item]], is_replay: Callable[[], bool]
) -> AsyncIterator[AsyncIterator[tuple[Item, ...]]]:
    """The items of `stream` in steps: the first at once, and while `is_replay` no more than ten a second.

    Otherwise nothing waits. Ends and raises as `stream` does, after the last item.
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
