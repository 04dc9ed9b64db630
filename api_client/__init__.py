"""The typed client of the v3 API: `Client` for pages, `AsyncClient` for streams, one tree of errors; and
`AdministratorClient` for what is set up.
"""

from api_client.administrator import AdministratorClient
from api_client.answers import FUTURE, MetricsAnswer
from api_client.asked_range import within_range
from api_client.async_client import AsyncClient
from api_client.client import CLIENT_ENDED, Client, LoopClient
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
from api_client.latest_stream import LatestStream, SiteGone, SiteLatest, SitesComplete
from api_client.live_stream import LiveStream, SkippedEvent
from api_client.points import IMPOSSIBLE, has_refused_values

__all__ = [
    "CLIENT_ENDED",
    "FUTURE",
    "IMPOSSIBLE",
    "AdministratorClient",
    "ApiClientError",
    "AsyncClient",
    "BrokenAnswer",
    "Client",
    "ErrorRecord",
    "Forbidden",
    "InvalidQuery",
    "LatestStream",
    "LiveStream",
    "LoopClient",
    "MetricsAnswer",
    "NotFound",
    "Refused",
    "ServiceFailure",
    "SiteGone",
    "SiteLatest",
    "SitesComplete",
    "SkippedEvent",
    "StreamDeclined",
    "Unauthorized",
    "Unavailable",
    "Unreachable",
    "has_refused_values",
    "within_range",
]
