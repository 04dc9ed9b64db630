"""What a feed gets of the stream of all sites: what that tells of its site."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

from api_client import ApiClientError, MetricsAnswer

_MOST_WAITING: Final = 60
"""Values that wait for the feed; the oldest go, as the past is read again all the same."""


class LatestView:
    """One site of one connection. Lives in one event loop."""

    def __init__(self, first: MetricsAnswer) -> None:
        self.first = first
        """The newest value when the feed joined."""
        self._waiting: deque[MetricsAnswer] = deque(maxlen=_MOST_WAITING)
        self._error: ApiClientError | None = None
        self._moved = asyncio.Event()

    def push(self, answer: MetricsAnswer) -> None:
        self._waiting.append(answer)
        self._moved.set()

    def fail(self, error: ApiClientError) -> None:
        """Nothing more comes over this connection."""
        self._error = self._error or error
        self._moved.set()

    async def next(self) -> tuple[MetricsAnswer, ...]:
        """What has come since the last call, at least one. Raises ApiClientError after the last."""
        await self._moved.wait()
        if self._waiting:
            came = tuple(self._waiting)
            self._waiting.clear()
            if self._error is None:
                self._moved.clear()
            return came
        assert self._error
        raise self._error
