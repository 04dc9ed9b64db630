"""When to ask for another stream, and whether to ask for values instead meanwhile.

Pure: how the last stream ended, and those before it, tell what follows. All times in seconds. Waits have
full jitter (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter): each is drawn from the
whole span below a growing ceiling, so that screens that were dropped together come back spread out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import Final, NamedTuple

from api_client import ApiClientError, Forbidden, Unauthorized, Unavailable
from contract import ErrorCode
from live.feed_context import FeedLimits

_WITHOUT_STATUS: Final = frozenset({"TIMEOUT", "NOT_A_STREAM"})
"""A proxy may hold an answer back until it ends; a service may answer as if no stream had been asked for."""
_PAUSES_POLLED: Final = 4
"""Of the length that a service asks for in place of a stream: for so many, values are asked for instead."""


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
    """Seconds of the pause that the service asks for; 0: it asks for none.

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


@dataclass(frozen=True, slots=True)
class StreamEnd:
    """How a stream has ended."""

    error: ApiClientError
    lasted: float | None = None
    """None: it was not opened."""
    brought_recent: bool = False
    """Whether it brought a recent minute."""


@dataclass(frozen=True, slots=True)
class Attempts:
    """What is known of the streams tried so far, to decide how long to wait."""

    failures: int = 0
    """In a row; each doubles the ceiling of the next wait."""
    cuts: int = 0
    """Streams in a row that were cut at once, or not given."""
    shortest_wait: float = 0.0
    """Seconds that a stream asked for (`retry:`); they hold until the service asks for others."""

    def asked(self, reconnection_time: float | None) -> Attempts:
        return self if reconnection_time is None else replace(self, shortest_wait=reconnection_time)

    def after(self, end: StreamEnd, limits: FeedLimits) -> Attempts:
        """The attempts after one more stream. One that brought a recent minute, or lasted, is no failure."""
        if end.lasted is None:
            refused = limits.cuts_before_polling if end.error.is_lasting else 1
            return replace(self, cuts=self.cuts + refused) if may_lack_streams(end.error) else self
        is_cut = end.lasted < limits.cut
        did_its_work = (end.brought_recent and not is_cut) or end.lasted >= limits.stable
        return replace(
            self, cuts=self.cuts + 1 if is_cut else 0, failures=0 if did_its_work else self.failures
        )


class Reconnect(NamedTuple):
    """What follows when a stream has ended."""

    is_refused: bool
    """The service refuses: no stream is tried, and nothing is asked, for a long time."""
    may_ask: bool
    """Whether the service may answer queries all the same."""
    polls: bool
    """Whether streams are so rarely given that values are asked for before the next one."""
    asked_pause: float
    """Of the pause that the service asks for; 0: none."""
    wait: float
    """Until the next stream, after that pause."""
    polling: float
    """Until the next stream, where values are asked for before it and answered. A service that wants long
    pauses is asked for the fewer streams: each is one without a value."""


def reconnect(
    end: StreamEnd, attempts: Attempts, limits: FeedLimits, random: Random
) -> tuple[Reconnect, Attempts]:
    """What follows, and what is remembered from then on."""
    error, attempts = end.error, attempts.after(end, limits)
    may_ask = may_lack_streams(error) if end.lasted is None else not error.is_lasting
    is_refused = error.is_lasting and not may_ask
    pause, longest = asked_pause(error, limits.probe), limits.longest_wait
    backoff = Backoff(random, limits.first_wait, longest, failures=attempts.failures)
    step = Reconnect(
        is_refused=is_refused,
        may_ask=may_ask,
        polls=may_ask and (attempts.cuts >= limits.cuts_before_polling or pause > limits.poll),
        asked_pause=pause,
        wait=max(backoff.next_wait(), attempts.shortest_wait),
        polling=max(random.uniform(longest / 2, longest), _PAUSES_POLLED * pause),
    )
    return step, attempts if is_refused else replace(attempts, failures=backoff.failures)
