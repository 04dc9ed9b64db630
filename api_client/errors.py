"""Everything that can go wrong between a caller and a v3 service.

ApiClientError
├── Unreachable          no connection, no such host, or no answer in time
├── BrokenAnswer         something answered, but not as a v3 service does
├── StreamDeclined       the service has no stream to give (204): do not reconnect, ask instead
├── Refused              asking again will not help until somebody changes something
│   ├── Unauthorized     401: the key is missing, malformed or revoked
│   ├── Forbidden        403: the key may not read this
│   └── NotFound         404: no such site, or nothing there speaks v3
├── InvalidQuery         any other 4xx: the question is wrong; `details` names the fields
├── ServiceFailure       5xx: the service failed
└── Unavailable          408, 421, 425, 429 or 503: the same question may be answered soon; `retry_after`
                         says when

Switch on the class or on `code`, never on the message.
"""
# ruff: noqa: N818 -- the names say what happened; every one of them is an ApiClientError

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar


class ApiClientError(Exception):
    """Base of all errors of this package.

    `message` is one sentence for people that says what to do; `code` is the machine-readable code of the
    service, or `CONNECTION_FAILED`, `TIMEOUT`, `HTTP_502` and the like where there was none; `request_id`
    is empty when no answer carried one.
    """

    is_lasting: ClassVar[bool] = False
    """Whether repeating the request cannot help, until a person changes something."""

    def __init__(self, message: str, *, code: str, request_id: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.request_id = request_id


class Unreachable(ApiClientError):
    """No connection, no such host, a connection that broke, or no answer in time."""


class BrokenAnswer(ApiClientError):
    """Something answered, but not as a v3 service does: HTML, a redirect elsewhere, an endless line."""


class StreamDeclined(ApiClientError):
    """204 to a request for a stream: by the rules of event streams, not to be connected again."""


class Refused(ApiClientError):
    """The service refuses the key or the resource; repeating the request does not help."""

    is_lasting = True


class Unauthorized(Refused):
    """401: the key is missing, malformed or revoked."""


class Forbidden(Refused):
    """403: the key is valid but may not read this."""


class NotFound(Refused):
    """404: the site does not exist for this key, or nothing at this address speaks v3."""


class InvalidQuery(ApiClientError):
    """Any other 4xx. `details` maps the offending fields to explanations, as far as the service did."""

    is_lasting = True

    def __init__(
        self, message: str, *, code: str, request_id: str = "", details: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message, code=code, request_id=request_id)
        self.details: Mapping[str, str] = details or {}


class ServiceFailure(ApiClientError):
    """5xx: the service failed; its log holds the reason under the request id."""


class Unavailable(ApiClientError):
    """408, 421, 425, 429 or 503: the same question may be answered soon.

    `retry_after` is in seconds; None when the service did not say.
    """

    def __init__(
        self, message: str, *, code: str, request_id: str = "", retry_after: float | None = None
    ) -> None:
        super().__init__(message, code=code, request_id=request_id)
        self.retry_after = retry_after
