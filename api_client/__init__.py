"""The typed client of the v3 API: `Client` for pages, `AsyncClient` for streams, one tree of errors."""

from api_client.answers import MetricsAnswer
from api_client.client import Client
from api_client.error_log import ErrorRecord
from api_client.errors import (
    ApiClientError,
    BrokenAnswer,
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

__all__ = [
    "ApiClientError",
    "BrokenAnswer",
    "Client",
    "ErrorRecord",
    "Forbidden",
    "InvalidQuery",
    "MetricsAnswer",
    "NotFound",
    "Refused",
    "ServiceFailure",
    "StreamDeclined",
    "Unauthorized",
    "Unavailable",
    "Unreachable",
]
