"""Which failed reads are worth a second attempt, and after how long.

A read that failed on the wire, and one that is answered with 408, 421, 425, 429 or 503; nothing else. Other
4xx answers do not change by asking again, and 5xx other than 503 gives no hint that it would help.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import stamina

from api_client.errors import Unavailable, Unreachable

LONGEST_WAIT: Final = 5.0
"""In seconds. A service that asks for a longer pause is reported at once: somebody is waiting for a page."""
_PACE: Final[Mapping[str, float]] = {
    "timeout": 15.0,  # no further attempt after this long
    "wait_initial": 0.1,
    "wait_max": 2.0,
    "wait_jitter": 0.2,
}
_UNCHANGING: Final = frozenset({"INVALID_URL"})


def worth_retrying(error: Exception) -> bool | float:
    """Whether to try again; a number is the pause, in seconds, that the service asked for."""
    if isinstance(error, Unavailable):
        pause = error.retry_after
        return True if pause is None else pause <= LONGEST_WAIT and pause
    return isinstance(error, Unreachable) and error.code not in _UNCHANGING


def async_caller(attempts: int) -> stamina.BoundAsyncRetryingCaller:
    return stamina.AsyncRetryingCaller(attempts=attempts, **_PACE).on(worth_retrying)
