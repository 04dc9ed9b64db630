"""Whether a service gives the stream of all sites, and when it is asked again. Pure.

The specification has no such stream. So any answer but that stream says that there is none, a failure too:
nobody waits for what need not come, and the sites' own streams are what the service promised. All times in
seconds, moments monotonic.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import Final, NamedTuple

from api_client import ApiClientError, BrokenAnswer, InvalidQuery, Refused, StreamDeclined, Unauthorized
from live.feed_context import FeedLimits
from live.freshness import STUCK
from live.reconnect import Backoff, asked_pause

_NOT_IMPLEMENTED: Final = 501
_SOON: Final = 2.0
"""Seconds: a stream that is tried again within so long is waited for."""


class LatestEnd(NamedTuple):
    """How an attempt has ended."""

    error: ApiClientError
    lasted: float | None
    """Since all sites were told; None: they were not."""


@dataclass(frozen=True, slots=True)
class LatestOffer:
    """What the attempts so far say."""

    failures: int = 0
    """In a row."""
    cuts: int = 0
    """Streams in a row that were cut at once, or brought nothing although values changed."""
    wait: float = 0.0
    """From the last end to the next attempt."""
    is_expected: bool = True
    """Whether the stream is worth waiting for, for a moment."""

    def after(self, end: LatestEnd, limits: FeedLimits, random: Random) -> LatestOffer:
        error = end.error
        if end.lasted is None and _is_absent(error):
            again = limits.probe if isinstance(error, Unauthorized) else limits.offer_again
            return LatestOffer(wait=again * random.uniform(0.8, 1.2), is_expected=False)
        is_cut = end.lasted is not None and (end.lasted < limits.cut or error.code == STUCK)
        cuts = self.cuts + 1 if is_cut else self.cuts if end.lasted is None else 0
        if cuts >= limits.cuts_before_polling:
            return LatestOffer(wait=limits.offer_again * random.uniform(0.8, 1.2), is_expected=False)
        failures = 0 if end.lasted is not None and not is_cut else self.failures
        backoff = Backoff(random, limits.first_wait, limits.longest_wait, failures=failures)
        wait = max(backoff.next_wait(), asked_pause(error, limits.probe))
        return replace(self, failures=backoff.failures, cuts=cuts, wait=wait, is_expected=wait <= _SOON)


def _is_absent(error: ApiClientError) -> bool:
    """Whether the service has no such stream, or hangs where one is asked for."""
    if isinstance(error, Refused | InvalidQuery | StreamDeclined | BrokenAnswer):
        return True
    return error.code == "TIMEOUT" or error.status == _NOT_IMPLEMENTED
