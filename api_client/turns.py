"""Turns: long work of many streams in one event loop, one piece of it each time the loop goes round.

A loop that goes round runs all that is ready. Where hundreds of streams have a day of minutes to read, each
with a piece of a few milliseconds, one round takes seconds: nobody is listened to meanwhile, and questions
that were answered long ago count as unanswered.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Turns:
    """Of one event loop; first come, first served."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()

    @asynccontextmanager
    async def take(self) -> AsyncIterator[None]:
        """For a piece of work that does not wait; the next one begins when the loop has gone round."""
        async with self._lock:
            yield
            await asyncio.sleep(0)
