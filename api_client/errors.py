"""Everything that can go wrong between a caller and a v3 service, and the last errors of a client.

ApiClientError
├── Unreachable          no connection, no such host, or no answer in time
├── BrokenAnswer         something answered, but not as a v3 service does
├── StreamDeclined       the service has no stream to give (204): do not reconnect, ask instead
├── Refused              asking again will not help until somebody changes something
│   ├── Unauthorized     401: the key is missing, malformed or revoked
│   ├── Forbidden        403: the key may not read this
│   └── NotFound         404: no such site, or nothing there speaks v3
├── InvalidQuery         any other 4xx: the query is wrong; `details` names the fields
├── ServiceFailure       5xx: the service failed
└── Unavailable          408, 421, 425, 429 or 503: the same query may be answered soon; `retry_after`
                         says when

Switch on the class or on `code`, never on the message.
"""
# ruff: noqa: N818 -- the names say what happened; every one of them is an ApiClientError

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import ClassVar, Final, NamedTuple

from contract import ErrorCode, ErrorEntry

_KEPT: Final = 50


class ApiClientError(Exception):
    """Base of all errors of this package.

    `message` is one sentence for administrators that says what to do, `summary` one for everybody else: what
    is wrong, without addresses and settings; `code` is the machine-readable code of the
    service, or `CONNECTION_FAILED`, `TIMEOUT`, `HTTP_502` and the like where there was none; `request_id`
    is empty when no answer carried one.
    """

    verdict: ClassVar[str] = "The service cannot be asked."
    """The `summary` of most errors of a class."""
    is_lasting: ClassVar[bool] = False
    """Whether repeating the request cannot help, until a person changes something."""
    status: int | None = None
    """HTTP status of the answer; None: there was none, or a stream had begun."""
    said: str = ""
    """What the service itself says of it, without our advice; empty where it says nothing."""
    is_undecided: bool = False
    """Whether a change that was asked for may have been made all the same: no answer came that tells."""

    def __init__(self, message: str, *, code: str, request_id: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.request_id = request_id

    @property
    def summary(self) -> str:
        return self.verdict

    @property
    def brief(self) -> str:
        """The `summary` for whoever looks on, and has put no question that could be another."""
        return self.summary


class Unreachable(ApiClientError):
    """No connection, no such host, a connection that broke, or no answer in time."""

    verdict = "The service cannot be reached."

    def __init__(self, message: str, *, code: str, request_id: str = "", was_sent: bool = True) -> None:
        super().__init__(message, code=code, request_id=request_id)
        self.is_undecided = was_sent

    @property
    def summary(self) -> str:
        return "The service does not answer." if self.code == "TIMEOUT" else self.verdict


class BrokenAnswer(ApiClientError):
    """Something answered, but not as a v3 service does: HTML, a redirect elsewhere, an endless line."""

    verdict = "What answers in the place of the service makes no sense."

    def __init__(self, message: str, *, code: str, request_id: str = "") -> None:
        super().__init__(message, code=code, request_id=request_id)
        self.is_undecided = not code.startswith("HTTP_3")  # whoever redirects has done nothing


class StreamDeclined(ApiClientError):
    """204 to a request for a stream: by the rules of event streams, not to be connected again."""

    verdict = "The service gives no stream."


class Refused(ApiClientError):
    """The service refuses the key or the resource; repeating the request does not help."""

    is_lasting = True


class Unauthorized(Refused):
    """401: the key is missing, malformed or revoked."""

    verdict = "The service does not accept this dashboard's key."


class Forbidden(Refused):
    """403: the key is valid but may not read this."""

    verdict = "The service does not let this dashboard read this."


class NotFound(Refused):
    """404: the site does not exist for this key, or nothing at this address speaks v3."""

    verdict = "The service has no such site for this dashboard."

    @property
    def summary(self) -> str:
        is_of_site = self.code == ErrorCode.SITE_NOT_FOUND
        return self.verdict if is_of_site else BrokenAnswer.verdict


class InvalidQuery(ApiClientError):
    """Any other 4xx. `details` maps the offending fields to explanations, as far as the service did.

    Its `summary` is for whoever put the question; its `brief` for those who only look.
    """

    verdict = "The service does not accept the question."
    is_lasting = True

    @property
    def summary(self) -> str:
        return self.message  # whoever asked can ask for something else

    @property
    def brief(self) -> str:
        return self.verdict

    def __init__(
        self, message: str, *, code: str, request_id: str = "", details: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message, code=code, request_id=request_id)
        self.details: Mapping[str, str] = details or {}


class ServiceFailure(ApiClientError):
    """5xx: the service failed; its log holds the reason under the request id."""

    verdict = "The service has failed."

    def __init__(self, message: str, *, code: str, request_id: str = "") -> None:
        super().__init__(message, code=code, request_id=request_id)
        self.is_undecided = code != ErrorCode.STORAGE_FULL


_SUMMARIES: Final[Mapping[str, str]] = {
    ErrorCode.SERVICE_STARTING: "The service is starting.",
    ErrorCode.ARCHIVE_AWAY: "Older days lie in the service's archive, which it cannot read right now.",
}


class Unavailable(ApiClientError):
    """408, 421, 425, 429 or 503: the same query may be answered soon.

    `retry_after` is in seconds; None when the service did not say. `held_from`, aware, is from when on it
    answers where older days lie in an archive which it cannot read: as given, or as its `errors` tell.
    """

    @property
    def summary(self) -> str:
        return _SUMMARIES.get(self.code, "The service cannot answer right now.")

    def __init__(
        self,
        message: str,
        *,
        code: str,
        request_id: str = "",
        retry_after: float | None = None,
        errors: Sequence[ErrorEntry] = (),
        held_from: datetime | None = None,
    ) -> None:
        super().__init__(message, code=code, request_id=request_id)
        self.retry_after = retry_after
        self.held_from = held_from or _told_from(errors)
        # The service itself says why it could not; a proxy does not know how far the service had come.
        self.is_undecided = code == "HTTP_503"


def _told_from(errors: Sequence[ErrorEntry]) -> datetime | None:
    """The last moment that one names; None: none does, as it is to be."""
    told = [(one.details or {}).get("from", "") for one in errors if one.code == ErrorCode.ARCHIVE_AWAY]
    moments = []
    for text in told:
        with suppress(ValueError):
            moments.append(datetime.fromisoformat(text))
    return max((one for one in moments if one.tzinfo), default=None)


class ErrorRecord(NamedTuple):
    time: datetime
    """UTC."""
    operation: str
    code: str
    message: str
    request_id: str


class ErrorLog:
    """The newest errors, bounded; safe to use from several threads."""

    def __init__(self) -> None:
        self._records: deque[ErrorRecord] = deque(maxlen=_KEPT)

    def add(self, operation: str, error: ApiClientError) -> None:
        record = ErrorRecord(datetime.now(UTC), operation, error.code, error.message, error.request_id)
        self._records.append(record)

    def note(self, operation: str, code: str, message: str) -> None:
        """What was left out of an answer that was used; once, however often it is asked for."""
        known = ((record.operation, record.code, record.message) for record in self._records.copy())
        if (operation, code, message) not in known:
            self._records.append(ErrorRecord(datetime.now(UTC), operation, code, message, ""))

    def newest_first(self) -> tuple[ErrorRecord, ...]:
        return tuple(reversed(self._records.copy()))
