"""Exception handlers: each turns one kind of error into an answer in the envelope.

ServiceError            what the service itself refuses; carries one entry per thing that is wrong
StoreError              503, or 507 for a full disk: the store's file cannot be used
QueryTooLargeError      400: the store would read too much for one answer
PoolFullError           503: as much work waits as may wait
HTTPException           the framework's own 404 and 405
RequestValidationError  a parameter that the framework checked
anything else           500; `request_id` logs it and answers
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match

from contract import ErrorCode, ErrorEntry, shortened
from service.envelope import failure, request_id_of
from service.store.errors import (
    ArchiveAwayError,
    QueryTooLargeError,
    StoreAwayError,
    StoreBusyError,
    StoreError,
    StoreFullError,
    StoreUncertainError,
    StoreVersionError,
)
from service.thread_pools import PoolFullError

RETRY_AFTER_SECONDS: Final = "2"
"""`Retry-After` of a 503 that passes by itself."""
_REPAIR_SECONDS: Final = "30"
"""`Retry-After` where somebody has to make room or bring a file back."""


_METHODS: Final = ("DELETE", "GET", "PATCH", "POST", "PUT")


class ServiceError(Exception):
    """The request is refused; `entries` say everything that is wrong with it."""

    def __init__(self, entries: Sequence[ErrorEntry], headers: Mapping[str, str] | None = None) -> None:
        super().__init__("; ".join(entry.message for entry in entries))
        self.entries = tuple(entries)
        self.headers = dict(headers or {})


def refusal(code: ErrorCode, message: str, details: Mapping[str, str] | None = None) -> ServiceError:
    """A ServiceError with a single entry."""
    return ServiceError([entry(code, message, details)])


def entry(code: ErrorCode, message: str, details: Mapping[str, str] | None = None) -> ErrorEntry:
    return ErrorEntry(code=code.value, message=message, details=dict(details) if details else None)


def add_exception_handlers(application: FastAPI) -> None:
    """Answer every refusal of the service and of the framework in the envelope."""
    application.add_exception_handler(ServiceError, _service_error)
    application.add_exception_handler(StoreError, _store_error)
    application.add_exception_handler(QueryTooLargeError, _query_too_large)
    application.add_exception_handler(PoolFullError, _pool_full)
    application.add_exception_handler(HTTPException, _framework_refusal)
    application.add_exception_handler(RequestValidationError, _invalid_parameters)


def _service_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ServiceError)
    return failure(request_id_of(request), error.entries, error.headers)


def _store_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, StoreError)
    return store_failure(request, error)


def will_store(request: Request) -> None:
    """From here on, an answer that the store cannot be used also says that nothing was stored."""
    request.state.will_store = True


def store_failure(request: Request, error: StoreError) -> Response:
    """What a caller may know of it; the store's log line names where it is."""
    seconds, details = _REPAIR_SECONDS, None
    if isinstance(error, StoreBusyError):
        seconds = RETRY_AFTER_SECONDS
        code = ErrorCode.SERVICE_UNAVAILABLE
        message = "Another process has kept the service's store busy for too long; send it again."
    elif isinstance(error, StoreFullError):
        code = ErrorCode.STORAGE_FULL
        message = "The service's disk has no space left; send it again later."
    elif isinstance(error, ArchiveAwayError):
        code = ErrorCode.ARCHIVE_AWAY
        details = {"from": error.held_from.isoformat()} if error.held_from else None
        later = f"from {error.held_from.isoformat()} on" if error.held_from else "for later days"
        message = f"Older days lie in an archive that is out of reach for now: ask {later}, or later."
    elif isinstance(error, StoreAwayError):
        # A server that is started anew is there in a second, and so shall be those who ask.
        seconds = RETRY_AFTER_SECONDS
        code = ErrorCode.STORE_UNUSABLE
        message = "The service's database is out of reach for now; send it again."
    elif isinstance(error, StoreVersionError):
        code = ErrorCode.STORE_UNUSABLE
        message = "A later version of the service has taken its store over: update this one."
    else:
        code = ErrorCode.STORE_UNUSABLE
        message = "The service's store is gone, damaged or out of reach; its log says why."
    if isinstance(error, StoreUncertainError):
        message = (
            "The service's store went away, and whether anything was stored or changed is not known; look, or"
            " send it again with the same Idempotency-Key."
        )
    elif getattr(request.state, "will_store", False):
        message = f"Nothing was stored. {message}"
    return failure(request_id_of(request), [entry(code, message, details)], {"Retry-After": seconds})


def _query_too_large(request: Request, error: Exception) -> Response:
    message = "The range has too many minutes of too many zones or passages."
    refused = entry(ErrorCode.RANGE_TOO_LONG, message, {"from": str(error)})
    return failure(request_id_of(request), [refused])


def _pool_full(request: Request, error: Exception) -> Response:
    refused = entry(ErrorCode.SERVICE_UNAVAILABLE, str(error))
    return failure(request_id_of(request), [refused], {"Retry-After": RETRY_AFTER_SECONDS})


def _framework_refusal(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    # Not `request.url`, which is made with the Host header, whatever a client wrote there.
    path = shortened(request.scope["path"])
    headers = dict(error.headers or {})
    if error.status_code == 405:  # noqa: PLR2004 - the number is the name
        headers["Allow"] = ", ".join(sorted(_allowed(request)))
        refused = entry(ErrorCode.METHOD_NOT_ALLOWED, f"{path} does not answer {request.method}.")
    else:
        refused = entry(ErrorCode.NOT_FOUND, f"There is nothing at {path}; {_advice(path)}.")
    return failure(request_id_of(request), [refused], headers)


def _allowed(request: Request) -> set[str]:
    """Methods of all routes at the path; the framework names those of the first alone."""
    allowed = {
        method
        for method in _METHODS
        for route in request.app.routes
        if route.matches({**request.scope, "method": method})[0] is Match.FULL
    }
    return allowed | {"HEAD"} if "GET" in allowed else allowed


def _advice(path: str) -> str:
    if path.endswith("/") and path.strip("/"):
        return f"the API's paths do not end with a slash: {path.rstrip('/')}"
    return "the API's paths begin with /v3"


def _invalid_parameters(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    details = {str(problem["loc"][-1]): str(problem["msg"]) for problem in error.errors()}
    refused = entry(ErrorCode.INVALID_BODY, "The request is not as this operation needs it.", details)
    return failure(request_id_of(request), [refused])
