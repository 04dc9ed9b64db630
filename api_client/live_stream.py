"""An open live stream: points as they arrive, and what could not be read as one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import NamedTuple

import httpx
from pydantic import ValidationError

from api_client.answers import wire_error
from api_client.errors import ApiClientError, BrokenAnswer
from api_client.event_stream import EventStreamDecoder, EventTooLargeError
from contract import MetricPoint


class SkippedEvent(NamedTuple):
    """An event that is no metric point; `reason` is one of few, to be counted."""

    reason: str


class LiveStream:
    """Iterate once: each step gives what arrived together, so that a burst costs one step.

    Ends when the service ends the stream. Raises Unreachable when the connection breaks or falls silent,
    BrokenAnswer for an event beyond all bounds.
    """

    def __init__(self, response: httpx.Response, remember: Callable[[ApiClientError], None]) -> None:
        self._response = response
        self._remember = remember
        self._decoder = EventStreamDecoder()

    @property
    def request_id(self) -> str:
        """Empty when the service does not tell it in a header."""
        return str(self._response.headers.get("x-request-id", ""))

    @property
    def reconnection_time(self) -> float | None:
        """Seconds that the service asks to wait before a reconnect, at most 60; None: it did not ask."""
        milliseconds = self._decoder.reconnection_time
        return None if milliseconds is None else milliseconds / 1000

    async def __aiter__(self) -> AsyncIterator[tuple[MetricPoint | SkippedEvent, ...]]:
        try:
            async for chunk in self._response.aiter_bytes():
                events = self._decoder.feed(chunk)
                if events:
                    yield tuple(read_event(event.data) for event in events)
        except (httpx.RequestError, EventTooLargeError) as error:
            failure = self._failure(error)
            self._remember(failure)
            raise failure from error

    def _failure(self, error: httpx.RequestError | EventTooLargeError) -> ApiClientError:
        if isinstance(error, EventTooLargeError):
            sentence = f"The stream cannot be read: {error}. It is opened anew."
            return BrokenAnswer(sentence, code="EVENT_TOO_LARGE", request_id=self.request_id)
        return wire_error(error, str(self._response.url))


def read_event(data: str) -> MetricPoint | SkippedEvent:
    """The point in an event's data. Event names do not matter: the specification gives none."""
    try:
        return MetricPoint.model_validate_json(data)
    except ValidationError as error:
        malformed = error.errors(include_url=False)[0]["type"] == "json_invalid"
        return SkippedEvent("not JSON" if malformed else "not a metric point")
