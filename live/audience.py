"""The readers of the same feeds, who share each encoded message.

A change is encoded once and handed to each reader in one go. Nothing is queued: a reader that is still busy
with an earlier message is passed over, and gets in one message what it missed as soon as it is free.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import structlog
from starlette.types import Send

from live._compat import chunk, write_chunk
from live.browser_messages import FeedChange, FeedEncoder, Known, beat_message, change_message
from live.health import relay_counters
from live.hub import Hub
from live.notifier import Watcher
from live.tokens import StreamGrant


@dataclass(frozen=True, slots=True)
class RelayLimits:
    """The times by which the relay judges its readers; tests compress them. All times in seconds."""

    heartbeat: float = 15.0
    gather: float = 0.02
    """Changes that come within this time of the first travel with it: one count changes several feeds."""
    merge: float = 0.2
    """Shortest time between two messages; changes in between travel in the next."""
    send: float = 20.0
    """A reader that takes no byte for this long is cut."""
    lifetime: tuple[float, float] = (3600.0, 7200.0)
    """Each response ends after a time drawn from this span, so that their returns are spread."""
    retry: tuple[int, int] = (2000, 4000)
    """Milliseconds after which a browser comes back, drawn anew for each, for the same reason."""


class Message:
    """What many readers are sent, framed once."""

    __slots__ = ("body", "framed")

    def __init__(self, body: bytes) -> None:
        self.body = body
        self.framed = chunk(body)


class Reader:
    """Takes messages one at a time; lives in one event loop.

    What the network takes at once costs no task and no timer, and most sends are of that kind. Only one that
    has to wait gets a task, and `patience` seconds.
    """

    __slots__ = ("_free", "_is_lost", "_patience", "_response", "_send", "_stuck", "_waiting", "known")

    def __init__(
        self,
        send: Send,
        patience: float,
        *,
        free: Callable[[Reader], None],
        stuck: Callable[[], None],
        response: Any = None,
    ) -> None:
        """`free` is called when a message that had to wait was taken, `stuck` when one was not in time, or
        cannot be: what fails in sending to one reader is no matter of the others.

        `response` is written to, where `responding_in_chunks` found it; what it does not take is sent.
        """
        self._response = response
        self._send = send
        self._patience = patience
        self._free = free
        self._stuck = stuck
        self._waiting: asyncio.Task[None] | None = None
        self._is_lost = False
        self.known: tuple[Known, ...] = ()
        """What it was sent last, feed by feed."""

    @property
    def busy(self) -> bool:
        return self._is_lost or self._waiting is not None

    def offer(self, message: Message) -> None:
        """Send `message` without waiting; not to be called while busy."""
        try:
            if self._response is not None and write_chunk(self._response, message.framed):
                return
            steps = self._send(
                {"type": "http.response.body", "body": message.body, "more_body": True}
            ).__await__()
            first = next(steps)
        except StopIteration:
            return
        except Exception:  # noqa: BLE001 -- servers say in many ways that a connection is gone
            self._lose()
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
        except Exception:  # noqa: BLE001 -- as in `offer`, or it takes nothing
            self._lose()
        else:
            self._waiting = None
            self._free(self)

    def _lose(self) -> None:
        self._is_lost = True
        self._stuck()


class _Rest:
    """What is left of an awaitable whose first step has been taken; Python 3.12 has eager tasks for this."""

    def __init__(self, first: Any, steps: Generator[Any, Any, None]) -> None:
        self._first = first
        self._steps = steps

    def __await__(self) -> Generator[Any, Any, None]:
        yield self._first
        yield from self._steps


_AT_ONCE: Final = 100
"""Readers served in one go, some milliseconds long, before others in the event loop have their turn."""
_log = structlog.get_logger("live.audience")

encoder: Final = FeedEncoder()
"""One for all: different audiences have feeds in common."""


class Audience:
    """Sends each change to its readers. Lives in one event loop, from its first reader to its last."""

    def __init__(self, hub: Hub, grant: StreamGrant, limits: RelayLimits) -> None:
        self._hub = hub
        self._grant = grant
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._readers: dict[Reader, Callable[[], None]] = {}
        self._known = self._snapshots()
        """What every reader was sent last, except the busy ones."""
        self.task = asyncio.create_task(self._serve(), name="relay audience")

    def add(self, reader: Reader, end: Callable[[], None]) -> list[FeedChange]:
        """What to send the reader first; changes from then on are sent by the audience.

        `end` is called when there is no more to come.
        """
        self._readers[reader] = end
        reader.known = self._known
        return self._changes_from(None)

    def remove(self, reader: Reader) -> bool:
        """Take the reader away; whether the audience is empty now, and so has ended."""
        del self._readers[reader]
        if not self._readers:
            self.task.cancel()
        return not self._readers

    def catch_up(self, reader: Reader) -> None:
        """Send the reader, free again, what it has missed."""
        if reader in self._readers and reader.known is not self._known:
            changes = self._changes_from(reader.known)
            self._offer(reader, Message(change_message(encoder, changes, self._hub.now())))

    async def _serve(self) -> None:
        try:
            with self._hub.watch(feed.key for feed in self._grant.everything) as watcher:
                await self._send_changes()  # what happened before the watch began
                await self._follow(watcher)
        except Exception:  # noqa: BLE001 -- the edge: its screens come back by themselves, to a new audience
            _log.exception("relay audience failed")
        for end in list(self._readers.values()):
            end()

    async def _follow(self, watcher: Watcher) -> None:
        """Until the hub is closed."""
        beat_at = self._loop.time() + self._limits.heartbeat
        while (changed := await _changed_before(watcher, beat_at)) is not False:
            if changed:
                await asyncio.sleep(self._limits.gather)
                relay_counters.merged += max(watcher.take_marks() - 1, 0) * len(self._readers)
                await self._send_changes()
                await asyncio.sleep(self._limits.merge)
            if self._loop.time() >= beat_at:
                await self._send_beats()
                beat_at = self._loop.time() + self._limits.heartbeat

    async def _send_changes(self) -> None:
        before, now = self._known, self._snapshots()
        if now == before:
            return
        self._known = now
        message, taken = Message(change_message(encoder, self._changes_from(before), self._hub.now())), 0
        async for readers in self._free_readers():
            for reader in readers:
                if reader.known is before:
                    self._offer(reader, message)
                    taken += 1
        if heard_at := _heard_at(before, now):
            relay_counters.lag.add(self._hub.now().monotonic - heard_at, taken)

    async def _send_beats(self) -> None:
        message = Message(beat_message(self._hub.now()))
        async for readers in self._free_readers():
            for reader in readers:
                self._offer(reader, message)

    async def _free_readers(self) -> AsyncIterator[list[Reader]]:
        """Some at a time, and between them others in the event loop have their turn."""
        everyone = list(self._readers)
        for begin in range(0, len(everyone), _AT_ONCE):
            yield [one for one in everyone[begin : begin + _AT_ONCE] if one in self._readers and not one.busy]
            await asyncio.sleep(0)

    def _offer(self, reader: Reader, message: Message) -> None:
        reader.known = self._known
        reader.offer(message)
        relay_counters.messages += 1

    def _snapshots(self) -> tuple[Known, ...]:
        return tuple(self._hub.snapshot(feed.key) for feed in self._grant.everything)

    def _changes_from(self, known: tuple[Known, ...] | None) -> list[FeedChange]:
        """What differs between `known` and what readers are sent now; None: everything."""
        if known is None:
            return [
                FeedChange(feed, now, None)
                for feed, now in zip(self._grant.everything, self._known, strict=True)
            ]
        pairs = zip(self._grant.everything, self._known, known, strict=True)
        return [FeedChange(feed, now, then) for feed, now, then in pairs if now != then]


_audiences: Final[dict[tuple[object, ...], Audience]] = {}


@contextmanager
def joined(
    hub: Hub,
    grant: StreamGrant,
    limits: RelayLimits,
    send: Send,
    *,
    stuck: Callable[[], None],
    end: Callable[[], None],
    response: Any = None,
) -> Iterator[tuple[Reader, list[FeedChange]]]:
    """A reader among those who look at the same, and all that it needs to be sent first.

    `stuck` is called when it takes nothing in time, `end` when there is no more to come; `response` is as a
    Reader's. Raises HubClosedError.
    """
    # Each for itself, as viewers of a feed are counted; what is closed has nothing to undo.
    feeds = [
        hub.subscribe(feed.key, timezone=feed.timezone, is_listed=grant.is_listed)
        for feed in grant.everything
    ]
    key = (asyncio.get_running_loop(), hub, grant, limits)
    audience = _audiences.get(key)
    if audience is None or audience.task.done():
        audience = _audiences[key] = Audience(hub, grant, limits)
    reader = Reader(send, limits.send, free=audience.catch_up, stuck=stuck, response=response)
    try:
        yield reader, audience.add(reader, end)
    finally:
        reader.close()
        for feed in feeds:
            feed.close()
        if audience.remove(reader) and _audiences.get(key) is audience:
            del _audiences[key]


def _heard_at(before: tuple[Known, ...], now: tuple[Known, ...]) -> float | None:
    """When the earliest of the new values came, in monotonic seconds; None: no value is new."""
    news = [
        new.confirmed_at for old, new in zip(before, now, strict=True) if new.confirmed_at != old.confirmed_at
    ]
    return min(filter(None, news), default=None)


async def _changed_before(watcher: Watcher, deadline: float) -> bool | None:
    """True: something changed; False: nothing will any more; None: the deadline, in loop time, came first."""
    try:
        async with asyncio.timeout_at(deadline):
            return await watcher.changed()
    except TimeoutError:
        return None
