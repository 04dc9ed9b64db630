"""An open live stream: points as they arrive, and what could not be read as one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from datetime import datetime
from typing import Final, NamedTuple

import httpx
from httpx_sse import ServerSentEvent

from api_client.answers import FUTURE, header_request_id, json_of, wire_error
from api_client.errors import ApiClientError, BrokenAnswer
from api_client.event_stream import EventStreamDecoder, EventTooLargeError
from api_client.plausible import IMPOSSIBLE, POINT, LeftOut
from api_client.turns import Turns
from contract import MetricPoint

_MOST_CONTAINERS: Final = 10_000
"""JSON objects and arrays in one event: a point has three or four."""

_AT_ONCE: Final = 200
"""Events that are read before the loop's other work has its turn: other feeds live in the same loop."""


class SkippedEvent(NamedTuple):
    """An event that is no metric point; `reason` is one of few, to be counted."""

    reason: str


class LiveStream:
    """Iterate once: each step gives what arrived together, so that a burst costs one step.

    Ends when the service ends the stream. Raises Unreachable when the connection breaks or falls silent,
    BrokenAnswer for an event beyond all bounds.
    """

    def __init__(
        self,
        response: httpx.Response,
        remember: Callable[[ApiClientError], None],
        latest: Callable[[], datetime],
        last_event_id: str = "",
        turns: Turns | None = None,
    ) -> None:
        """`latest`, UTC: a minute that begins after it cannot have been measured yet.

        `turns` are those of all streams in the loop; None: there are no others.
        """
        self._response = response
        self._remember = remember
        self._latest = latest
        self._decoder = EventStreamDecoder(last_event_id=last_event_id)
        self._last_event_id = self._decoder.last_event_id
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

    async def __aiter__(self) -> AsyncIterator[tuple[MetricPoint | SkippedEvent, ...]]:
        try:
            async for chunk in self._response.aiter_raw():
                # What has arrived already comes without a pause: comments only, or in tiny pieces, for long.
                await asyncio.sleep(0)
                items: list[MetricPoint | SkippedEvent] = []
                latest = self._latest()
                for some in _in_turns(self._decoder.feed(chunk)):
                    async with self._turns.take():
                        items += (read_event(event.data, latest) for event in some)
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


def _in_turns(events: Sequence[ServerSentEvent]) -> Iterator[Sequence[ServerSentEvent]]:
    return (events[start : start + _AT_ONCE] for start in range(0, len(events), _AT_ONCE))


def read_event(data: str, latest: datetime | None = None) -> MetricPoint | SkippedEvent:
    """The point in an event's data. Event names do not matter: the specification gives none.

    `latest`, UTC: a point that begins later cannot be right. None: any is taken.
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
    if latest is not None and point.timestamp > latest:
        return SkippedEvent(FUTURE)
    return point
