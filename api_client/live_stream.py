"""An open live stream: points as they arrive, and what could not be read as one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from datetime import datetime
from typing import Final, NamedTuple

import httpx

from api_client.answers import FUTURE, header_request_id, json_of, wire_error
from api_client.body import unpacked
from api_client.errors import ApiClientError, BrokenAnswer
from api_client.event_stream import EventStreamDecoder, EventTooLargeError
from api_client.plausible import POINT, LeftOut
from contract import MetricPoint

_MOST_CONTAINERS: Final = 10_000
"""JSON objects and arrays in one event: a point has three or four."""


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
    ) -> None:
        """`latest`, UTC: a minute that begins after it cannot have been measured yet."""
        self._response = response
        self._remember = remember
        self._latest = latest
        self._decoder = EventStreamDecoder(last_event_id=last_event_id)

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
        """What to tell the service on a reconnect; empty: nothing."""
        return self._decoder.last_event_id

    async def __aiter__(self) -> AsyncIterator[tuple[MetricPoint | SkippedEvent, ...]]:
        try:
            async for chunk in unpacked(self._response):
                events = self._decoder.feed(chunk)
                if events:
                    latest = self._latest()
                    yield tuple(read_event(event.data, latest) for event in events)
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


def read_event(data: str, latest: datetime | None = None) -> MetricPoint | SkippedEvent:
    """The point in an event's data. Event names do not matter: the specification gives none.

    `latest`, UTC: a point that begins later cannot be right. None: any is taken.
    """
    try:
        raw = json_of(data.encode(), _MOST_CONTAINERS)
    except ValueError:
        return SkippedEvent("not JSON")
    point = POINT.read(raw, LeftOut())
    if point is None:
        return SkippedEvent("not a metric point")
    if latest is not None and point.timestamp > latest:
        return SkippedEvent(FUTURE)
    return point
