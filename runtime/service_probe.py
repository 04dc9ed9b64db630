"""Whether the service has ever been reached: one question at a time, for all who want to know."""

from __future__ import annotations

import asyncio
from typing import Final

from api_client import ApiClientError, AsyncClient
from runtime.upstream import Upstream

_PATIENCE: Final = 2.0
"""Seconds; whoever asks asks again soon."""


class ServiceProbe:
    """To be used within one event loop. However many wait, one question is under way."""

    def __init__(self) -> None:
        self._reached: tuple[str, str] | None = None
        """Base URL and key with which it was."""
        self._asking: asyncio.Task[str | None] | None = None

    async def trouble(self, upstream: Upstream) -> str | None:
        """Why the service cannot be reached; None: it was. Waits a short time for an answer, no longer."""
        if self._reached == (upstream.base_url, upstream.api_key):
            return None
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._ask(upstream), name="service probe")
        # Not awaited itself: whoever leaves must not end the question of the others.
        done, _ = await asyncio.wait({self._asking}, timeout=2 * _PATIENCE)
        return next(iter(done)).result() if done else "The service has not answered yet."

    async def _ask(self, upstream: Upstream) -> str | None:
        client = AsyncClient(
            upstream.base_url, upstream.api_key, timeout=_PATIENCE, deadline=_PATIENCE, attempts=1
        )
        try:
            await client.reach()
        except ApiClientError as error:
            return " ".join(filter(None, (upstream.notice, error.message)))
        finally:
            await client.close()
        self._reached = upstream.base_url, upstream.api_key
        return None
