"""An open live stream: bytes become server-sent events, events become points, in turns with other streams."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Final, Generic, NamedTuple, TypeVar

import httpx
from httpx_sse import ServerSentEvent

from api_client.answers import FUTURE, header_request_id, json_of, wire_error
from api_client.errors import ApiClientError, BrokenAnswer
from api_client.plausible import LeftOut
from api_client.points import IMPOSSIBLE, POINT
from contract import MetricPoint

_MOST_CONTAINERS: Final = 10_000
"""JSON objects and arrays in one event: a point has three or four."""

_AT_ONCE: Final = 200
"""Events that are read before the loop's other work has its turn: other feeds live in the same loop."""

MAXIMUM_EVENT_SIZE: Final = 8 * 1024 * 1024
"""In bytes, of one line and of all data of one event."""
LONGEST_RECONNECTION_TIME: Final = 60_000
"""In milliseconds: a service cannot silence its readers for longer than this."""

LONGEST_EVENT_ID: Final = 1_000
"""In characters. A longer one, or one that no header can carry, is not sent back."""

Item = TypeVar("Item")
"""What an event is read as."""

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_DIGITS_THAT_MATTER: Final = 9


class SkippedEvent(NamedTuple):
    """An event that is no metric point; `reason` is one of few, to be counted."""

    reason: str


class OpenStream(Generic[Item]):
    """Iterate once: each step gives what arrived together, so that a burst costs one step.

    Ends when the service ends the stream. Raises Unreachable when the connection breaks or falls silent,
    BrokenAnswer for an event beyond all bounds.
    """

    def __init__(
        self,
        response: httpx.Response,
        remember: Callable[[ApiClientError], None],
        *,
        read: Callable[[str, datetime], Item],
        newest_possible: Callable[[], datetime],
        decoder: EventStreamDecoder,
        turns: Turns | None = None,
    ) -> None:
        """`read` makes an item of an event's data and of the latest time, UTC, at which a minute can have
        begun, which `newest_possible` gives. `turns` are those of all streams in the loop; None: there are no
        others.
        """
        self._response = response
        self._remember = remember
        self._read = read
        self._newest_possible = newest_possible
        self._decoder = decoder
        self._last_event_id = decoder.last_event_id
        self._turns = turns or Turns()

    @property
    def request_id(self) -> str:
        """Empty when the service does not tell it in a header."""
        return header_request_id(self._response)

    @property
    def reconnection_time(self) -> float | None:
        """Seconds that the service asks to wait before a reconnect, at most 60; None: it did not ask."""
        milliseconds = self._decoder.reconnection_time
        return None if milliseconds is None else milliseconds / 1000

    @property
    def last_event_id(self) -> str:
        """What to tell the service on a reconnect after what was given so far; empty: nothing."""
        return self._last_event_id

    async def __aiter__(self) -> AsyncIterator[tuple[Item, ...]]:
        try:
            async for chunk in self._response.aiter_raw():
                # What has arrived already comes without a pause: comments only, or in tiny pieces, for long.
                await asyncio.sleep(0)
                items: list[Item] = []
                newest_possible = self._newest_possible()
                for some in _in_turns(self._decoder.feed(chunk)):
                    async with self._turns.take():
                        items += (self._read(event.data, newest_possible) for event in some)
                self._last_event_id = self._decoder.last_event_id
                if items:
                    yield tuple(items)
        except (httpx.RequestError, EventTooLargeError) as error:
            failure = self._failure(error)
            self._remember(failure)
            raise failure from error
        except ApiClientError as error:
            self._remember(error)
            raise

    def _failure(self, error: httpx.RequestError | EventTooLargeError) -> ApiClientError:
        if isinstance(error, EventTooLargeError):
            sentence = f"The stream cannot be read: {error}. It is opened anew."
            return BrokenAnswer(sentence, code="EVENT_TOO_LARGE", request_id=self.request_id)
        return wire_error(error, str(self._response.url))


class LiveStream(OpenStream[MetricPoint | SkippedEvent]):
    """Of the points of one query. `last_event_id` is what an earlier stream of it ended with."""

    def __init__(
        self,
        response: httpx.Response,
        remember: Callable[[ApiClientError], None],
        newest_possible: Callable[[], datetime],
        last_event_id: str = "",
        turns: Turns | None = None,
    ) -> None:
        decoder = EventStreamDecoder(last_event_id=last_event_id)
        super().__init__(
            response,
            remember,
            read=read_event,
            newest_possible=newest_possible,
            decoder=decoder,
            turns=turns,
        )


def _in_turns(events: Sequence[ServerSentEvent]) -> Iterator[Sequence[ServerSentEvent]]:
    return (events[start : start + _AT_ONCE] for start in range(0, len(events), _AT_ONCE))


def read_event(data: str, newest_possible: datetime | None = None) -> MetricPoint | SkippedEvent:
    """The point in an event's data. Event names do not matter: the specification gives none.

    `newest_possible`, UTC: a point that begins later cannot be right. None: any is taken.
    """
    try:
        raw = json_of(data.encode(), _MOST_CONTAINERS)
    except ValueError:
        return SkippedEvent("not JSON")
    left = LeftOut()
    point = POINT.read(raw, left)
    if point is None:
        return SkippedEvent("not a metric point")
    if left[IMPOSSIBLE]:
        return SkippedEvent(IMPOSSIBLE)
    if newest_possible is not None and point.timestamp > newest_possible:
        return SkippedEvent(FUTURE)
    return point


class EventTooLargeError(ValueError):
    """A line or an event grew beyond the limit; the stream cannot be read on."""


class EventStreamDecoder:
    """Server-sent events out of bytes, by the letter of the WHATWG rules: bytes in, events out, however the
    network cut them. Feed it the bytes of one response, in order; a new connection needs a new decoder.

    https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation, numbers 9.2.5
    and 9.2.6. Lines are found in the bytes and decoded one by one: a line end is ASCII, so no line boundary
    can fall into a character. Three limits are ours, since the rules know none: the size of an event, the
    longest reconnection time, and what an id may be that is sent back.

    `last_event_id` is the one that the connection before ended with.
    """

    def __init__(self, maximum_event_size: int = MAXIMUM_EVENT_SIZE, *, last_event_id: str = "") -> None:
        self._maximum = maximum_event_size
        self._line = bytearray()
        self._ends_with_carriage_return = False
        self._at_start = True
        self._data: list[str] = []
        self._data_size = 0
        self._event_type = ""
        self._last_event_id = last_event_id
        self._reported_event_id = last_event_id
        self._reconnection_time: int | None = None

    @property
    def reconnection_time(self) -> int | None:
        """Milliseconds that the service asks to wait before a reconnect, capped; None: it did not ask."""
        return self._reconnection_time

    @property
    def last_event_id(self) -> str:
        """As of the last whole block; empty where there is none to send back."""
        id_ = self._reported_event_id
        return id_ if len(id_) <= LONGEST_EVENT_ID and id_.isprintable() and id_ == id_.strip() else ""

    def feed(self, chunk: bytes) -> list[ServerSentEvent]:
        """The events that `chunk` completes. What the stream's end leaves incomplete is never an event.

        Raises EventTooLargeError.
        """
        if not chunk:
            return []
        if self._ends_with_carriage_return:
            # A lone CR has ended its line already; the LF of a CRLF cut in two must not end another.
            chunk = chunk.removeprefix(b"\n")
        self._ends_with_carriage_return = chunk.endswith(b"\r")
        events = (self._take(piece) for piece in chunk.splitlines(keepends=True))
        return [event for event in events if event is not None]

    def _take(self, piece: bytes) -> ServerSentEvent | None:
        """One line, or the part of it that has arrived."""
        self._line += piece
        if self._data_size + len(self._line) > self._maximum:
            raise EventTooLargeError(f"an event is longer than {self._maximum} bytes")
        if not piece.endswith((b"\r", b"\n")):
            return None
        line = bytes(self._line).rstrip(b"\r\n")
        self._line.clear()
        if self._at_start:
            self._at_start = False
            line = line.removeprefix(_BYTE_ORDER_MARK)
        return self._interpret(line.decode("utf-8", errors="replace"))

    def _interpret(self, line: str) -> ServerSentEvent | None:
        if not line:
            return self._dispatch()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
            self._data_size += len(value) + 1
        elif name == "event":
            self._event_type = value
        elif name == "id" and "\0" not in value:
            self._last_event_id = value
        elif name == "retry" and value.isascii() and value.isdigit():
            self._reconnection_time = _capped(value)
        return None

    def _dispatch(self) -> ServerSentEvent | None:
        """The event that a blank line completes; None without a data field, whatever else was there."""
        event = None
        self._reported_event_id = self._last_event_id
        if self._data:
            event = ServerSentEvent(self._event_type, "\n".join(self._data), self._last_event_id)
        self._data.clear()
        self._data_size = 0
        self._event_type = ""
        return event


def _capped(digits: str) -> int:
    significant = digits.lstrip("0")[: _DIGITS_THAT_MATTER + 1]
    return min(int(significant or "0"), LONGEST_RECONNECTION_TIME)


class Turns:
    """Long work of many streams in one event loop, one piece each time the loop goes round; first come, first
    served.

    A loop that goes round runs all that is ready. Where hundreds of streams have a day of minutes to read,
    each with a piece of a few milliseconds, one round takes seconds: nobody is listened to meanwhile, and
    queries that were answered long ago count as unanswered.
    """

    def __init__(self) -> None:
        self._lock = asyncio.Lock()

    @asynccontextmanager
    async def take(self) -> AsyncIterator[None]:
        """For a piece of work that does not wait; the next one begins when the loop has gone round."""
        async with self._lock:
            yield
            await asyncio.sleep(0)
