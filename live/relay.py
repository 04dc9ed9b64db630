"""`GET /live/stream`: the hub's snapshots, pushed to every open browser as server-sent events.

A reader gets the whole state on connect and changes after that, merged over a short time, always against what
it was sent last: one that is slow skips what lies between. Nothing is queued. A reader that takes nothing for
`send` seconds is cut, and every response ends after an hour or two, so that none outlives its network unseen;
browsers come back by themselves.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from random import SystemRandom
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from live._compat import abort_connection, responding_in_chunks
from live.audience import Message, Reader, RelayLimits, encoder, joined
from live.browser_messages import FeedChange, state_message
from live.health import relay_counters
from live.hub import Hub, HubClosedError
from live.tokens import StreamGrant, StreamSigner, TokenError, TokenExpiredError, TokenForeignError

PATH: Final = "/live/stream"
STREAM: Final = "stream"
"""The name of each route whose answer is a stream of feeds."""
_FOREIGN: Final = {"headroom-refusal": "foreign"}
"""Header of a refusal that another secret causes: a browser that reads it need not take the body."""
_HEADERS: Final = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]
_random: Final = SystemRandom()


class FeedStream(Response):
    """One open response. Starlette's own streaming response has no send timeout and cannot be told to end."""

    def __init__(self, hub: Hub, grant: StreamGrant, members: Mapping[str, str], limits: RelayLimits):
        """`members` are sent in the first message beside the feeds."""
        super().__init__()
        self._hub = hub
        self._grant = grant
        self._members = members
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._span = asyncio.timeout(_random.uniform(*limits.lifetime))
        self._ended = False
        self._last_words = b""

    def end(self, last_words: bytes = b"") -> None:
        """End the response, from any thread or signal handler; `last_words` is an event sent before that."""
        self._last_words = last_words
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._end)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        _open_streams.add(self)
        self._ended = self._ended or _process.ends
        try:
            await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
            # To HEAD that is the whole answer: nothing follows by which its end could be told.
            if scope["method"] == "HEAD" or await self._relay(receive, send):
                await send({"type": "http.response.body", "body": self._last_words, "more_body": False})
        finally:
            _open_streams.discard(self)

    async def _relay(self, receive: Receive, send: Send) -> bool:
        """Send until the reader leaves, the time is over, the hub ends or `end` is called.

        False: the reader takes nothing, or nothing can be sent to it.
        """
        if self._ended:
            return True
        with suppress(HubClosedError), self._joined(receive, send) as (reader, first):
            self._begin(reader, first)
            del first  # would be kept for hours
            await self._until_over(receive)
            if reader.busy:
                abort_connection(receive)
                return False
        return True

    def _joined(
        self, receive: Receive, send: Send
    ) -> AbstractContextManager[tuple[Reader, list[FeedChange]]]:
        return joined(
            self._hub,
            self._grant,
            self._limits,
            send,
            stuck=self._cut,
            end=self._end,
            response=responding_in_chunks(receive),
        )

    def _begin(self, reader: Reader, first: list[FeedChange]) -> None:
        retry = _random.randint(*self._limits.retry)
        reader.offer(Message(state_message(encoder, first, self._hub.now(), self._members, retry=retry)))
        relay_counters.messages += 1

    async def _until_over(self, receive: Receive) -> None:
        with suppress(TimeoutError):
            async with self._span:
                if not self._ended:
                    await _disconnected(receive)

    def _end(self) -> None:
        self._ended = True
        with suppress(RuntimeError):  # not begun, or over already
            self._span.reschedule(self._loop.time())

    def _cut(self) -> None:
        relay_counters.cut += 1
        self._end()


_open_streams: Final[set[FeedStream]] = set()


class _Process:
    ends = False
    """A response that begins ends at once. Not an Event: for its lock a second signal within the first would
    wait for ever.
    """


_process: Final = _Process()


def viewer_count() -> int:
    """How many responses are open now."""
    return len(_open_streams)


def close_streams(*, for_good: bool = False) -> None:
    """End every open response at once, and `for_good` those that begin from now on, too; a server that is
    told to stop waits for them otherwise.

    May be called from a signal handler.
    """
    if for_good:
        _process.ends = True
    for stream in list(_open_streams):
        stream.end()


def relay_routes(
    get_hub: Callable[[], Hub], get_signer: Callable[[], StreamSigner], *, limits: RelayLimits | None = None
) -> list[Route]:
    """The route of the relay. Hub and signer are asked for at each connection, in a worker thread."""

    def opened(token: str) -> tuple[Hub, StreamGrant, str]:
        grant, fresh = get_signer().renewed(token)
        return get_hub(), grant, fresh

    async def stream(request: Request) -> Response:
        try:
            hub, grant, token = await run_in_threadpool(opened, request.query_params.get("token", ""))
        except TokenExpiredError as error:
            return JSONResponse({"error": str(error)}, status_code=401)
        except TokenError as error:
            why = _FOREIGN if isinstance(error, TokenForeignError) else None
            return JSONResponse({"error": str(error)}, status_code=403, headers=why)
        return FeedStream(hub, grant, {"token": token}, limits or RelayLimits())

    return [Route(PATH, stream, methods=["GET"], name=STREAM)]


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
