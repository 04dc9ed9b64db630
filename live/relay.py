"""`GET /live/stream`: the hub's snapshots, pushed to every open browser as server-sent events.

A reader gets the whole state on connect and changes after that, merged over a short time, always against what
it was sent last: one that is slow skips what lies between. Nothing is queued. A reader that takes nothing for
`send` seconds is cut, and every response ends after an hour or two, so that none outlives its network unseen;
browsers come back by themselves.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from random import SystemRandom
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from live.hub import Hub, HubClosedError
from live.relay_messages import FeedChange, FeedEncoder, beat_message, change_message, state_message
from live.snapshot import Snapshot
from live.tally import RelayTally
from live.tokens import GrantedFeed, StreamGrant, StreamSigner, TokenError, TokenExpiredError
from live.watch import Watcher

PATH: Final = "/live/stream"
_HEADERS: Final = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]
_random: Final = SystemRandom()


@dataclass(frozen=True, slots=True)
class RelayLimits:
    """All times in seconds."""

    heartbeat: float = 15.0
    merge: float = 0.2
    """Changes that come within this time travel in one message; also the shortest time between two."""
    send: float = 20.0
    """A reader that takes no byte for this long is cut."""
    lifetime: tuple[float, float] = (3600.0, 7200.0)
    """Each response ends after a time drawn from this span, so that their returns are spread."""
    retry: tuple[int, int] = (2000, 4000)
    """Milliseconds after which a browser comes back, drawn anew for each, for the same reason."""


class FeedStream(Response):
    """One open response. Starlette's own streaming response has no send timeout and cannot be told to end."""

    def __init__(self, hub: Hub, grant: StreamGrant, members: Mapping[str, str], limits: RelayLimits):
        """`members` are told in the first message beside the feeds."""
        super().__init__()
        self._hub = hub
        self._grant = grant
        self._members = members
        self._encoder = _encoder
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self._last_words = b""

    def end(self, last_words: bytes = b"") -> None:
        """From any thread or signal handler. `last_words` is a whole event that the reader still gets."""
        self._last_words = last_words
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._stop.set)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 -- ASGI
        _open_streams.add(self)
        try:
            await self._send(send, {"type": "http.response.start", "status": 200, "headers": _HEADERS})
            await self._run(receive, send)
            await self._send(send, self._last())
        except TimeoutError:
            relay_tally.cut += 1  # A response without its end makes the server close the connection.
        except HubClosedError:
            return  # A response without its end makes the server close the connection.
        finally:
            _open_streams.discard(self)

    async def _run(self, receive: Receive, send: Send) -> None:
        """Until the reader leaves, the time is over, the hub ends or `end` is called."""
        works = (self._relay(send), _disconnected(receive), self._stop.wait())
        tasks = [asyncio.ensure_future(work) for work in works]
        try:
            done, _ = await asyncio.wait(
                tasks,
                timeout=_random.uniform(*self._limits.lifetime),
                return_when=asyncio.FIRST_COMPLETED,
            )
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _last(self) -> Message:
        return {"type": "http.response.body", "body": self._last_words, "more_body": False}

    async def _relay(self, send: Send) -> None:
        keys = {feed.key for feed in self._grant.feeds}
        with ExitStack() as stack:
            for feed in self._grant.feeds:
                stack.enter_context(self._hub.subscribe(feed.key, timezone=feed.timezone))
            watcher = stack.enter_context(self._hub.watch(keys))
            known = {feed: self._hub.snapshot(feed.key) for feed in self._grant.feeds}
            first = [FeedChange(feed, snapshot, None) for feed, snapshot in known.items()]
            retry = _random.randint(*self._limits.retry)
            await self._push(
                send, state_message(self._encoder, first, self._hub.now(), self._members, retry=retry)
            )
            beat_at = self._loop.time() + self._limits.heartbeat
            while (changed := await _changed_before(watcher, beat_at)) is not False:
                if changed:
                    await asyncio.sleep(self._limits.merge)
                    await self._push_changes(send, known)
                    relay_tally.merged += max(watcher.take_marks() - 1, 0)
                if self._loop.time() >= beat_at:
                    await self._push(send, beat_message(self._hub.now()))
                    beat_at = self._loop.time() + self._limits.heartbeat

    async def _push_changes(self, send: Send, known: dict[GrantedFeed, Snapshot]) -> None:
        now = {feed: self._hub.snapshot(feed.key) for feed in known}
        changes = [FeedChange(feed, now[feed], known[feed]) for feed in known if now[feed] != known[feed]]
        known.update(now)
        if changes:
            await self._push(send, change_message(self._encoder, changes, self._hub.now()))
            self._count_lag(changes)

    def _count_lag(self, changes: list[FeedChange]) -> None:
        heard = [
            change.snapshot.confirmed_at
            for change in changes
            if change.known and change.snapshot.confirmed_at not in (None, change.known.confirmed_at)
        ]
        if heard:
            relay_tally.lag.add(self._hub.now().monotonic - min(filter(None, heard)))

    async def _push(self, send: Send, message: bytes) -> None:
        await self._send(send, {"type": "http.response.body", "body": message, "more_body": True})
        relay_tally.messages += 1

    async def _send(self, send: Send, message: Message) -> None:
        """Raises TimeoutError when the reader takes nothing."""
        async with asyncio.timeout(self._limits.send):
            await send(message)


_encoder: Final = FeedEncoder()
"""Shared: the relay and the screens send the same changes."""
_open_streams: Final[set[FeedStream]] = set()
relay_tally: Final = RelayTally()
"""Of all responses of this process; written in the server's event loop."""


def viewer_count() -> int:
    """How many responses are open now."""
    return len(_open_streams)


def close_streams() -> None:
    """End every open response at once; a server that is told to stop waits for them otherwise.

    May be called from a signal handler.
    """
    for stream in list(_open_streams):
        stream.end()


def relay_routes(
    get_hub: Callable[[], Hub], get_signer: Callable[[], StreamSigner], *, limits: RelayLimits | None = None
) -> list[Route]:
    """The route of the relay. Hub and signer are asked for at each connection, in a worker thread."""

    async def stream(request: Request) -> Response:
        signer = await run_in_threadpool(get_signer)
        try:
            grant = signer.read(request.query_params.get("token", ""))
        except TokenExpiredError as error:
            return JSONResponse({"error": str(error)}, status_code=401)
        except TokenError as error:
            return JSONResponse({"error": str(error)}, status_code=403)
        hub = await run_in_threadpool(get_hub)
        return FeedStream(hub, grant, {"token": signer.sign(grant)}, limits or RelayLimits())

    return [Route(PATH, stream, methods=["GET"])]


async def _changed_before(watcher: Watcher, deadline: float) -> bool | None:
    """True: something changed; False: nothing will any more; None: the deadline, in loop time, came first."""
    try:
        async with asyncio.timeout_at(deadline):
            return await watcher.changed()
    except TimeoutError:
        return None


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
