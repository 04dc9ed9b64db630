"""Server-sent events out of bytes, by the letter of the WHATWG rules.

https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation, numbers 9.2.5
and 9.2.6. Pure: bytes in, events out, however the network cut them. Lines are found in the bytes and decoded
one by one: a line end is ASCII, so no line boundary can fall into a character.

Three limits are ours, since the rules know none: the size of an event, the longest reconnection time, and
what an id may be that is sent back.
"""

from __future__ import annotations

from typing import Final

from httpx_sse import ServerSentEvent

MAXIMUM_EVENT_SIZE: Final = 8 * 1024 * 1024
"""In bytes, of one line and of all data of one event."""
LONGEST_RECONNECTION_TIME: Final = 60_000
"""In milliseconds: a service cannot silence its readers for longer than this."""

LONGEST_EVENT_ID: Final = 1_000
"""In characters. A longer one, or one that no header can carry, is not sent back."""

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_DIGITS_THAT_MATTER: Final = 9


class EventTooLargeError(ValueError):
    """A line or an event grew beyond the limit; the stream cannot be read on."""


class EventStreamDecoder:
    """Feed it the bytes of one response, in order; a new connection needs a new decoder.

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
        self._told_event_id = last_event_id
        self._reconnection_time: int | None = None

    @property
    def reconnection_time(self) -> int | None:
        """Milliseconds that the service asks to wait before a reconnect, capped; None: it did not ask."""
        return self._reconnection_time

    @property
    def last_event_id(self) -> str:
        """As of the last whole block; empty where there is none to send back."""
        told = self._told_event_id
        return told if len(told) <= LONGEST_EVENT_ID and told.isprintable() and told == told.strip() else ""

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
        self._told_event_id = self._last_event_id
        if self._data:
            event = ServerSentEvent(self._event_type, "\n".join(self._data), self._last_event_id)
        self._data.clear()
        self._data_size = 0
        self._event_type = ""
        return event


def _capped(digits: str) -> int:
    significant = digits.lstrip("0")[: _DIGITS_THAT_MATTER + 1]
    return min(int(significant or "0"), LONGEST_RECONNECTION_TIME)
