"""httpx's client, but that a request which is given up while it connects leaves no socket behind.

httpcore 1.0.9, the last one, keeps a connection for ever that is made when its request is cancelled: as not
used yet, by nobody (https://github.com/encode/httpcore/issues/1093).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

import httpx

_SENDING: Final = "http11.send_request_headers.started"
"""From here on httpcore closes what it cancels."""


class CarefulClient(httpx.AsyncClient):
    """A request that is cancelled before it is sent goes on connecting, for as long as that may take, and
    ends there: the service hears nothing of it.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._ending: set[asyncio.Task[None]] = set()
        """Of requests that were given up."""

    async def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        progress = _Progress()
        request.extensions["trace"] = progress
        sending = asyncio.create_task(super().send(request, **options))
        try:
            return await asyncio.shield(sending)
        except asyncio.CancelledError:
            progress.is_given_up = True
            ending = asyncio.create_task(_ended(sending))
            self._ending.add(ending)
            ending.add_done_callback(self._ending.discard)
            if progress.is_sending:
                sending.cancel()
                # Once this has ended it is closed, as where httpcore itself is cancelled.
                await asyncio.wait({ending})
            raise

    async def aclose(self) -> None:
        ending = tuple(self._ending)
        for one in ending:
            one.cancel()
        await asyncio.gather(*ending, return_exceptions=True)
        await super().aclose()


async def _ended(sending: asyncio.Task[httpx.Response]) -> None:
    with suppress(Exception):
        await (await sending).aclose()


class _Progress:
    """What httpcore tells of a request: https://www.encode.io/httpcore/extensions/#trace (by its events)."""

    def __init__(self) -> None:
        self.is_sending = False
        self.is_given_up = False

    async def __call__(self, event: str, _: Mapping[str, Any]) -> None:
        if event == _SENDING:
            self.is_sending = True
            if self.is_given_up:
                raise asyncio.CancelledError
