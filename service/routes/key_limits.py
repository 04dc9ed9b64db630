"""What a key may do at once: requests a second, and open live streams. Beyond it, 429 with `Retry-After`."""

from __future__ import annotations

from math import ceil
from typing import Final

from contract import ErrorCode
from service.application_state import ApplicationState
from service.exception_handlers import ServiceError, entry
from service.store.protocol import KeyRecord

_STREAM_SECONDS: Final = "10"
"""`Retry-After` of a stream: one of the others has to end first."""


def check_request_rate(state: ApplicationState, key: KeyRecord) -> None:
    """Raise ServiceError where the key asks too often; counts this request."""
    wait = state.request_rates.take(key.id)
    if not wait:
        return
    message = (
        f"The key {key.name!r} asks more often than the {state.settings.key_requests:g} times a second that a"
        " key may for long. Nothing was done; ask again later, and less often."
    )
    refused = entry(ErrorCode.TOO_MANY_REQUESTS, message)
    raise ServiceError([refused], {"Retry-After": str(ceil(wait))})


def check_open_streams(state: ApplicationState, key: KeyRecord) -> None:
    """Raise ServiceError where the key has as many streams open as it may."""
    most = state.settings.key_streams
    if state.broadcast.streams_of(key.id) < most:
        return
    message = (
        f"The key {key.name!r} has {most} live streams open, which is the most: close one, or ask for values"
        " instead."
    )
    raise ServiceError([entry(ErrorCode.TOO_MANY_STREAMS, message)], {"Retry-After": _STREAM_SECONDS})
