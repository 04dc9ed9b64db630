"""Waits of one feed: how long until another stream is asked for, and whether asking fills them."""

from __future__ import annotations

from random import Random
from typing import Final

from api_client import ApiClientError
from live.backoff import Backoff, may_lack_streams
from live.clock import Clock
from live.limits import FeedLimits

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
        """A stream has ended, or was not opened; whether the service may answer questions all the same."""
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
