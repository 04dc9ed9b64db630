"""The sending side of one open response."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator
from typing import Any

from starlette.types import Send

from live.snapshot import Snapshot


class Reader:
    """Takes messages one at a time; lives in one event loop.

    What the network takes at once costs no task and no timer, and most sends are of that kind. Only one that
    has to wait gets a task, and `patience` seconds.
    """

    __slots__ = ("_free", "_patience", "_send", "_stuck", "_waiting", "known")

    def __init__(
        self, send: Send, patience: float, *, free: Callable[[Reader], None], stuck: Callable[[], None]
    ) -> None:
        """`free` is called when a message that had to wait was taken, `stuck` when one was not in time."""
        self._send = send
        self._patience = patience
        self._free = free
        self._stuck = stuck
        self._waiting: asyncio.Task[None] | None = None
        self.known: tuple[Snapshot, ...] = ()
        """What it was sent last, feed by feed."""

    @property
    def busy(self) -> bool:
        return self._waiting is not None

    def offer(self, body: bytes) -> None:
        """Send `body`; not to be called while busy."""
        steps = self._send({"type": "http.response.body", "body": body, "more_body": True}).__await__()
        try:
            first = next(steps)
        except StopIteration:
            return
        self._waiting = asyncio.create_task(self._wait_for(_Rest(first, steps)))

    def close(self) -> None:
        """Give up what still waits."""
        if self._waiting:
            self._waiting.cancel()

    async def _wait_for(self, rest: Awaitable[None]) -> None:
        try:
            async with asyncio.timeout(self._patience):
                await rest
        except TimeoutError:
            self._stuck()
        else:
            self._waiting = None
            self._free(self)


class _Rest:
    """What is left of an awaitable whose first step has been taken; Python 3.12 has eager tasks for this."""

    def __init__(self, first: Any, steps: Generator[Any, Any, None]) -> None:
        self._first = first
        self._steps = steps

    def __await__(self) -> Generator[Any, Any, None]:
        yield self._first
        yield from self._steps
