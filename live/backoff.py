"""How long to wait before the next attempt: full jitter under a growing ceiling.

After https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter: a wait is drawn from the
whole span below the ceiling, so that screens that were dropped together come back spread out.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Final

from api_client import ApiClientError, Forbidden, Unauthorized, Unavailable
from contract import ErrorCode

_WITHOUT_STATUS: Final = frozenset({"TIMEOUT", "NOT_A_STREAM"})
"""A proxy may hold an answer back until it ends; a service may answer as if no stream had been asked for."""


@dataclass(slots=True)
class Backoff:
    random: Random
    first: float = 1.0
    """Ceiling of the first wait, in seconds; it doubles with each failure."""
    longest: float = 60.0
    """Highest ceiling, in seconds."""
    stable_after: float = 60.0
    """Seconds that a connection must have lasted to count as a success. A service that accepts and cuts
    at once would otherwise be hammered at the first pace for ever."""
    failures: int = 0

    def next_wait(self, connected_for: float = 0.0) -> float:
        """Seconds to wait after an attempt that stayed connected for `connected_for` seconds."""
        if connected_for >= self.stable_after:
            self.failures = 0
        ceiling = min(self.longest, self.first * 2.0 ** min(self.failures, 30))
        self.failures += 1
        return self.random.uniform(0.0, ceiling)


def asked_pause(error: ApiClientError, longest: float) -> float:
    """Seconds for which the service asks to be let alone; 0: it does not ask.

    At most `longest`: a slip of a service or a proxy must not cost a screen its day.
    """
    asked = error.retry_after if isinstance(error, Unavailable) else None
    return min(asked or 0.0, longest)


def may_lack_streams(error: ApiClientError) -> bool:
    """Whether a service that fails so to open a stream may answer questions all the same.

    It may limit streams alone, with 429 or 503.
    """
    if isinstance(error, Unauthorized | Forbidden) or error.code == ErrorCode.SITE_NOT_FOUND:
        return False
    return error.status is not None or error.code in _WITHOUT_STATUS
