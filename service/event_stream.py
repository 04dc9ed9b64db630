"""A live query as Server-Sent Events (WHATWG HTML, section 9.2).

Each event is one `data:` line with a Metric point; an event with the timestamp of an earlier one replaces
it, and the last of those that are sent together is the newest. Without news a comment goes out as a
heartbeat. Nothing else is sent: the specification shows no event names, no ids and no retry hints.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator
from contextlib import AbstractContextManager, aclosing
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Protocol

import structlog
from starlette.responses import StreamingResponse
from starlette.types import Send

from service.broadcast import Subscription
from service.live_series import SHORTEST_INTERVAL
from service.store.errors import StoreError

MEDIA_TYPE: Final = "text/event-stream"
HEARTBEAT: Final = b": heartbeat\n\n"

_UNWANTED: Final = re.compile(r"q=0(\.0*)?")
_HEADERS: Final = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}


@dataclass(frozen=True, slots=True)
class StreamLimits:
    heartbeat: timedelta
    send_timeout: timedelta
    lifetime: timedelta


class NewsReader(Protocol):
    """What one stream still has to send."""

    async def news(self) -> bytes:
        """What changed since the last call, printed; b"" when nothing did."""

    def rest(self) -> float:
        """Seconds to wait before `news`, so that streams wait for the same reading."""

    @property
    def is_due(self) -> bool:
        """Whether there may be news that no commit tells of."""


class EventStream(StreamingResponse):
    """Sends what a generator yields, and lets go of a reader that takes too long to take it."""

    def __init__(
        self, events: AsyncGenerator[bytes], send_timeout: timedelta, media_type: str = MEDIA_TYPE
    ) -> None:
        super().__init__(events, media_type=media_type, headers=_HEADERS)
        self._events = events
        self._send_timeout = send_timeout.total_seconds()

    async def stream_response(self, send: Send) -> None:
        start = {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        # Closing the generator here and now, not when it is collected, gives its subscription back at once.
        async with aclosing(self._events) as events:
            await send(start)
            async for event in events:
                try:
                    async with asyncio.timeout(self._send_timeout):
                        await send({"type": "http.response.body", "body": event, "more_body": True})
                except TimeoutError:
                    structlog.get_logger().warning("stream cut", reason="its reader took nothing in time")
                    return
            await send({"type": "http.response.body", "body": b"", "more_body": False})


def headers_alone(media_type: str) -> StreamingResponse:
    """The answer to HEAD: a body that nobody gets must not be endless."""
    return StreamingResponse((), media_type=media_type, headers=_HEADERS)


def accepts_events(accept: str) -> bool:
    """Whether an Accept header names text/event-stream; a wildcard does not ask for a stream."""
    ranges = (part.lower().replace(" ", "").split(";") for part in accept.split(","))
    return any(
        name == MEDIA_TYPE and not any(map(_UNWANTED.fullmatch, parameters)) for name, *parameters in ranges
    )


async def live_events(
    subscription: AbstractContextManager[Subscription],
    opening: bytes,
    reader: NewsReader,
    limits: StreamLimits,
    beat: bytes = HEARTBEAT,
) -> AsyncGenerator[bytes]:
    """`opening` first, then what `reader` has, then what changes, until the stream has to end.

    `opening` are the events of the history, printed; they are let go of when they are sent. `beat` is sent
    when there was no news for a while.
    """
    loop = asyncio.get_running_loop()
    end = loop.time() + limits.lifetime.total_seconds()
    heartbeat = limits.heartbeat.total_seconds()
    with subscription as subscribed:
        # At once, so that a reader knows that it is connected even when nothing was ever counted.
        yield beat + opening
        del opening
        quiet_since = loop.time()
        look = True
        while not subscribed.ended and loop.time() < end:
            try:
                news = await reader.news() if look else b""
            except StoreError:
                # The store's own log line says why, once for all streams.
                return
            if news:
                yield news
                quiet_since = loop.time()
            elif loop.time() >= quiet_since + heartbeat:
                yield beat
                quiet_since = loop.time()
            if look:
                await subscribed.pause(SHORTEST_INTERVAL)
            look = await subscribed.news(max(min(quiet_since + heartbeat, end) - loop.time(), 0.0))
            look = look or reader.is_due
            if look:
                await subscribed.pause(reader.rest())
