"""The typed client of the v3 API: `Client` for pages, `AsyncClient` for streams, one tree of errors."""

from api_client.answers import FUTURE, MetricsAnswer
from api_client.async_client import AsyncClient
from api_client.client import CLIENT_ENDED, Client
from api_client.errors import (
    ApiClientError,
    BrokenAnswer,
    ErrorRecord,
    Forbidden,
    InvalidQuery,
    NotFound,
    Refused,
    ServiceFailure,
    StreamDeclined,
    Unauthorized,
    Unavailable,
    Unreachable,
)
from api_client.live_stream import LiveStream, SkippedEvent
from api_client.plausible import IMPOSSIBLE, has_refused_values

__all__ = [
    "CLIENT_ENDED",
    "FUTURE",
    "IMPOSSIBLE",
    "ApiClientError",
    "AsyncClient",
    "BrokenAnswer",
    "Client",
    "ErrorRecord",
    "Forbidden",
    "InvalidQuery",
    "LiveStream",
    "MetricsAnswer",
    "NotFound",
    "Refused",
    "ServiceFailure",
    "SkippedEvent",
    "StreamDeclined",
    "Unauthorized",
    "Unavailable",
    "Unreachable",
    "has_refused_values",
]
