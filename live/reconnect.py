"""How long to wait before the next stream: full jitter under a growing ceiling.

After https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter: a wait is drawn from the
whole span below the ceiling, so that screens that were dropped together come back spread out.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Final

from api_client import ApiClientError, Forbidden, Unauthorized, Unavailable
from contract import ErrorCode
from live.clock import Clock
from live.limits import FeedLimits

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
    """Whether a service that fails so to open a stream may answer queries all the same.

    It may limit streams alone, with 429 or 503.
    """
    if isinstance(error, Unauthorized | Forbidden) or error.code == ErrorCode.SITE_NOT_FOUND:
        return False
    return error.status is not None or error.code in _WITHOUT_STATUS


_PAUSES_POLLED: Final = 4
"""Of the length that a service asks for in place of a stream: for so many, values are asked for instead."""


class Waits:
    """All times in seconds."""

    def __init__(self, limits: FeedLimits, clock: Clock, random: Random) -> None:
        self._limits = limits
        self._clock = clock
        self._random = random
        self._backoff = Backoff(random, limits.first_wait, limits.longest_wait, limits.stable)
        self._opened_at: float | None = None
        self._lasted = 0.0
        self._cuts = 0
        self._shortest = 0.0

    def opened(self) -> None:
        self._opened_at = self._now()

    def asked_for(self, reconnection_time: float | None) -> None:
        """On a stream. It holds until the service asks for something else."""
        self._shortest = self._shortest if reconnection_time is None else reconnection_time

    def lost(self, error: ApiClientError, *, brought_newest: bool) -> bool:
        """A stream has ended, or was not opened; whether the service may answer queries all the same."""
        opened_at, self._opened_at = self._opened_at, None
        self._lasted = 0.0 if opened_at is None else self._now() - opened_at
        if opened_at is not None:
            self._note_end(brought_newest=brought_newest)
            return not error.is_lasting
        if not may_lack_streams(error):
            return False
        self._cuts += self._limits.cuts_before_polling if error.is_lasting else 1
        return True

    def next(self) -> float:
        """After what was `lost` last."""
        return max(self._backoff.next_wait(self._lasted), self._shortest)

    def may_be_long(self, asked: float) -> bool:
        """Whether streams are so rarely given that the value is better asked for before each.

        `asked` is the pause that the service asks for.
        """
        return self._cuts >= self._limits.cuts_before_polling or asked > self._limits.poll

    def long(self, asked: float) -> float:
        """A service that wants long pauses is asked for the fewer streams: each is one without a value."""
        longest = self._limits.longest_wait
        return max(self._random.uniform(longest / 2, longest), _PAUSES_POLLED * asked)

    def _note_end(self, *, brought_newest: bool) -> None:
        is_cut = self._lasted < self._limits.cut
        self._cuts = self._cuts + 1 if is_cut else 0
        if brought_newest and not is_cut:
            self._backoff.failures = 0

    def _now(self) -> float:
        return self._clock.now().monotonic
