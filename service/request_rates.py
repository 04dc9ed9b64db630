"""How many requests each key may make: a token bucket for each, in memory.

A key has `burst` tokens, each request takes one, and they come back at `rate` a second. Some microseconds; no
lock, since the event loop alone asks.
"""

from __future__ import annotations

from collections.abc import Callable


class RequestRates:
    """`monotonic` gives seconds that only pass."""

    def __init__(self, rate: float, burst: int, monotonic: Callable[[], float]) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._monotonic = monotonic
        self._left: dict[str, tuple[float, float]] = {}
        """Of each key that has asked: tokens, and when they were so many."""

    def take(self, key_id: str) -> float:
        """0 where the key may ask now; else the seconds until it may, and nothing is taken."""
        now = self._monotonic()
        tokens, since = self._left.get(key_id, (self._burst, now))
        tokens = min(self._burst, tokens + (now - since) * self._rate)
        if tokens < 1:
            self._left[key_id] = tokens, now
            return (1 - tokens) / self._rate
        self._left[key_id] = tokens - 1, now
        return 0.0
