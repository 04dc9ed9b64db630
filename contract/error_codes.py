"""Machine-readable error codes, the HTTP status each one carries, how a message quotes what was sent.

The specification fixes four codes and the statuses 401, 403 and 404; it leaves the rest open.
Codes marked "ours" fill that gap. A client switches on the code, never on the message.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum
from itertools import islice
from types import MappingProxyType
from typing import Final

LONGEST_QUOTATION: Final = 80
"""Characters of a text that a message repeats; the rest is left out."""
MAXIMUM_NAMED: Final = 100
"""Wrong things that one message names; the others are counted."""


class ErrorCode(StrEnum):
    """Value of `code` in an element of `meta.errors`."""

    INVALID_PAGINATION_PARAMS = "INVALID_PAGINATION_PARAMS"
    """`limit` or `offset` has a wrong type or is out of range."""
    INVALID_TIME_FILTER = "INVALID_TIME_FILTER"
    """`from` or `to` is missing or not in an accepted form."""
    SITE_NOT_FOUND = "SITE_NOT_FOUND"
    """No such site in the caller's scope."""
    FORBIDDEN_ACCESS = "FORBIDDEN_ACCESS"
    """The key is valid but may not read (or write) this."""

    INVALID_API_KEY = "INVALID_API_KEY"
    """Ours. The key is missing, malformed or revoked."""
    MALFORMED_JSON = "MALFORMED_JSON"
    """Ours. The body is not JSON."""
    MALFORMED_REQUEST = "MALFORMED_REQUEST"
    """Ours. What came is not HTTP/1.1; the connection is closed."""
    HEADERS_TOO_LARGE = "HEADERS_TOO_LARGE"
    """Ours. Request line and headers together are too long; the connection is closed."""
    UNSUPPORTED_MEDIA_TYPE = "UNSUPPORTED_MEDIA_TYPE"
    """Ours. The Content-Type of the body is not JSON's."""
    UNSUPPORTED_ENCODING = "UNSUPPORTED_ENCODING"
    """Ours. The Content-Encoding of the body is neither gzip nor identity."""
    INVALID_ENCODING = "INVALID_ENCODING"
    """Ours. The body is not what its Content-Encoding says."""
    REQUEST_TIMEOUT = "REQUEST_TIMEOUT"
    """Ours. The request took too long to arrive; the connection is closed."""
    INVALID_BODY = "INVALID_BODY"
    """Ours. A field is missing, unknown to the resource, of a wrong type or a longer list than is taken."""
    UNKNOWN_METRIC = "UNKNOWN_METRIC"
    """Ours. A metric key that does not exist; version 2 names are answered with today's key."""
    UNKNOWN_ZONE = "UNKNOWN_ZONE"
    """Ours. A zone that the site does not have."""
    UNKNOWN_PASSAGE = "UNKNOWN_PASSAGE"
    """Ours. A passage that the site does not have."""
    UNKNOWN_TIMEZONE = "UNKNOWN_TIMEZONE"
    """Ours. `timezone` is no IANA name."""
    INVALID_TIME_RANGE = "INVALID_TIME_RANGE"
    """Ours. `from` lies after `to`."""
    RANGE_TOO_LONG = "RANGE_TOO_LONG"
    """Ours. The range is longer than the granularity allows, or than can be read of so many zones at once."""
    METRIC_NOT_BY_PASSAGE = "METRIC_NOT_BY_PASSAGE"
    """Ours. visitorsInside and timeSpent belong to zones, not to passages."""
    IDEMPOTENCY_KEY_REUSED = "IDEMPOTENCY_KEY_REUSED"
    """Ours. The same Idempotency-Key came with a different body."""
    BODY_TOO_LARGE = "BODY_TOO_LARGE"
    """Ours. The body is over the limit that the message names."""
    TOO_MANY_COUNTS = "TOO_MANY_COUNTS"
    """Ours. The body has more counts, or counts of more days, than the message allows in one request."""
    COUNTS_FOLDED = "COUNTS_FOLDED"
    """Ours. Counts, levels or a correction are of minutes that are kept as quarters of an hour by now."""
    INVALID_REPORT = "INVALID_REPORT"
    """Ours. The body is not what counters of this maker send."""
    WAITING_LIST_FULL = "WAITING_LIST_FULL"
    """Ours. So many reports of a counter that nobody has placed wait that no more are taken."""
    TOO_MANY_REQUESTS = "TOO_MANY_REQUESTS"
    """Ours. The key asks more often than it may; `Retry-After` says when to ask again."""
    TOO_MANY_STREAMS = "TOO_MANY_STREAMS"
    """Ours. The key has as many live streams open as it may."""
    LAST_ADMIN_KEY = "LAST_ADMIN_KEY"
    """Ours. Without this key nobody could administer the organization."""
    KEY_NOT_ROTATABLE = "KEY_NOT_ROTATABLE"
    """Ours. The key was replaced already, or opens nothing any more."""
    PASSAGE_TAKEN = "PASSAGE_TAKEN"
    """Ours. A passage's id is that of a passage of another site, now or earlier."""
    PRECONDITION_FAILED = "PRECONDITION_FAILED"
    """Ours. What is stored is not what If-Match or If-None-Match asks for: somebody else changed it."""
    NOT_FOUND = "NOT_FOUND"
    """Ours. No such path."""
    METHOD_NOT_ALLOWED = "METHOD_NOT_ALLOWED"
    """Ours. The path exists, the method does not."""
    INTERNAL_ERROR = "INTERNAL_ERROR"
    """Ours. The service failed; the log holds the reason under the request id."""
    SERVICE_UNAVAILABLE = "SERVICE_UNAVAILABLE"
    """Ours. The service cannot answer now; `Retry-After` says when to ask again."""
    SERVICE_STARTING = "SERVICE_STARTING"
    """Ours. The service still stores what it will serve; `Retry-After` says when to ask again."""
    STORE_UNUSABLE = "STORE_UNUSABLE"
    """Ours. The service's store is gone, damaged or cannot be read or written: its operator has to act."""
    ARCHIVE_AWAY = "ARCHIVE_AWAY"
    """Ours. Days of long ago lie in an archive that cannot be read now; all others can."""
    STORAGE_FULL = "STORAGE_FULL"
    """Ours. The service's disk has no space left; nothing was stored."""


HTTP_STATUS: Final[Mapping[ErrorCode, int]] = MappingProxyType(
    {
        ErrorCode.INVALID_PAGINATION_PARAMS: 400,
        ErrorCode.INVALID_TIME_FILTER: 400,
        ErrorCode.SITE_NOT_FOUND: 404,
        ErrorCode.FORBIDDEN_ACCESS: 403,
        ErrorCode.INVALID_API_KEY: 401,
        ErrorCode.MALFORMED_JSON: 400,
        ErrorCode.MALFORMED_REQUEST: 400,
        ErrorCode.HEADERS_TOO_LARGE: 431,
        ErrorCode.UNSUPPORTED_MEDIA_TYPE: 415,
        ErrorCode.UNSUPPORTED_ENCODING: 415,
        ErrorCode.INVALID_ENCODING: 400,
        ErrorCode.REQUEST_TIMEOUT: 408,
        ErrorCode.INVALID_BODY: 400,
        ErrorCode.UNKNOWN_METRIC: 400,
        ErrorCode.UNKNOWN_ZONE: 400,
        ErrorCode.UNKNOWN_PASSAGE: 400,
        ErrorCode.UNKNOWN_TIMEZONE: 400,
        ErrorCode.INVALID_TIME_RANGE: 400,
        ErrorCode.RANGE_TOO_LONG: 400,
        ErrorCode.METRIC_NOT_BY_PASSAGE: 400,
        ErrorCode.IDEMPOTENCY_KEY_REUSED: 409,
        ErrorCode.BODY_TOO_LARGE: 413,
        ErrorCode.TOO_MANY_COUNTS: 413,
        ErrorCode.COUNTS_FOLDED: 400,
        ErrorCode.INVALID_REPORT: 400,
        ErrorCode.WAITING_LIST_FULL: 503,
        ErrorCode.TOO_MANY_REQUESTS: 429,
        ErrorCode.TOO_MANY_STREAMS: 429,
        ErrorCode.LAST_ADMIN_KEY: 409,
        ErrorCode.KEY_NOT_ROTATABLE: 409,
        ErrorCode.PASSAGE_TAKEN: 409,
        ErrorCode.PRECONDITION_FAILED: 412,
        ErrorCode.NOT_FOUND: 404,
        ErrorCode.METHOD_NOT_ALLOWED: 405,
        ErrorCode.INTERNAL_ERROR: 500,
        ErrorCode.SERVICE_UNAVAILABLE: 503,
        ErrorCode.SERVICE_STARTING: 503,
        ErrorCode.STORE_UNUSABLE: 503,
        ErrorCode.ARCHIVE_AWAY: 503,
        ErrorCode.STORAGE_FULL: 507,
    }
)


def shortened(text: str) -> str:
    """The text, or its beginning and an ellipsis."""
    return text if len(text) <= LONGEST_QUOTATION else f"{text[: LONGEST_QUOTATION - 1]}…"


def quoted(text: str) -> str:
    """The text, shortened, in quotes and with control characters escaped."""
    return repr(shortened(text))


def listed(texts: Collection[str]) -> str:
    """The first hundred texts, with commas between them, and how many more there are."""
    more = len(texts) - MAXIMUM_NAMED
    first: Iterable[str] = islice(texts, MAXIMUM_NAMED)
    return ", ".join(first) + (f" and {more} more" if more > 0 else "")
