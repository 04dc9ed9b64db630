"""Retries: which failed reads are worth a second attempt, and after how long.

A read that failed on the wire, and one that is answered with 408, 421, 425, 429 or 503; nothing else. Other
4xx answers do not change by asking again, and 5xx other than 503 gives no hint that it would help.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import stamina
from stamina.instrumentation import RetryDetails, set_on_retry_hooks
from structlog.contextvars import get_contextvars

from api_client.errors import ApiClientError, Unavailable, Unreachable
from api_client.trouble_log import TroubleLog
from contract import ErrorCode

LONGEST_WAIT: Final = 5.0
"""In seconds. A service that asks for a longer pause is reported at once: somebody is waiting for a page."""
_PACE: Final[Mapping[str, float]] = {
    "timeout": 15.0,  # no further attempt after this long
    "wait_initial": 0.1,
    "wait_max": 2.0,
    "wait_jitter": 0.2,
}
_log = TroubleLog("api_client.retries")
_UNCHANGING: Final = frozenset({"INVALID_URL"})


def worth_retrying(error: Exception) -> bool | float:
    """Whether to try again; a number is the pause, in seconds, that the service asked for."""
    if isinstance(error, Unavailable):
        if error.code == ErrorCode.SERVICE_STARTING:
            return False  # it takes longer than anybody wants to wait before an empty page
        pause = error.retry_after
        return True if pause is None else pause <= LONGEST_WAIT and pause
    return isinstance(error, Unreachable) and error.code not in _UNCHANGING


def _log_retry(details: RetryDetails) -> None:
    """One line an hour for each question: while a service is away, every open page asks again and again. What
    is asked, and for which site, is bound where it is asked.
    """
    error = details.caused_by
    if isinstance(error, ApiClientError):
        asking = str(get_contextvars().get("asking", ""))
        known = {"status": str(error.status or ""), "code": error.code}
        _log.warning("asking again", request_id=error.request_id, asking=asking, **known)


set_on_retry_hooks((_log_retry,))  # in the place of stamina's own, which knows neither site nor status


def async_caller(attempts: int) -> stamina.BoundAsyncRetryingCaller:
    return stamina.AsyncRetryingCaller(attempts=attempts, **_PACE).on(worth_retrying)
