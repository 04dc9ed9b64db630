"""How often a screen's link may be asked, and how many streams may be open by it.

Whoever holds a link has no login, and nobody knows who that is. Limits are a link's, never an address's: many
displays hang behind one. They are far beyond what displays ask for, and take nothing from other links.
"""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

_MOST_KNOWN: Final = 10_000
"""Links of which it is remembered how often they were asked; more than one dashboard ever keeps."""


class LinkLimits(NamedTuple):
    """Of each link. A display asks for its page, its stream, the opening hours and what up to 20 views read:
    some 25 requests when it begins, then one every ten seconds or so, and its stream every five minutes.
    """

    requests: float = 100.0
    """A second, in the long run: 500 displays."""
    burst: int = 10_000
    """At once: 200 displays that return together, whatever they show."""
    of_a_stream: int = 20
    """As many requests a stream that is opened counts for: one of 500 sites takes that much longer."""
    streams: int = 500
    """Open at once: each display has one."""


class LinkUse:
    """What is asked by each link, a token bucket each. To be used within one event loop.

    A link is named by its digest: what is asked for may be long. `monotonic` gives seconds that only pass.
    """

    def __init__(
        self, limits: LinkLimits | None = None, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._limits = limits or LinkLimits()
        self._monotonic = monotonic
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """Of each link that was asked: requests that it has left, and when it had so many."""
        self._streams: Counter[str] = Counter()

    def is_spent(self, link: str) -> bool:
        """Whether it was asked too often just now."""
        return self._now(link) < 1

    def take(self, link: str) -> None:
        """Note one request by it."""
        self._take(link, 1)

    def _take(self, link: str, requests: int) -> None:
        self._left[link] = max(0.0, self._now(link) - requests), self._monotonic()
        self._left.move_to_end(link)
        if len(self._left) > _MOST_KNOWN:
            self._left.popitem(last=False)

    def forget(self, link: str) -> None:
        """It leads nowhere."""
        self._left.pop(link, None)

    def has_room(self, link: str) -> bool:
        """Whether one more stream may be opened by it."""
        return self._streams[link] < self._limits.streams

    @contextmanager
    def streaming(self, link: str) -> Iterator[None]:
        """Count a stream by it for as long as the block lasts."""
        self._take(link, self._limits.of_a_stream)
        self._streams[link] += 1
        try:
            yield
        finally:
            self._streams[link] -= 1
            if not self._streams[link]:
                del self._streams[link]

    def _now(self, link: str) -> float:
        left, since = self._left.get(link, (float(self._limits.burst), 0.0))
        return min(float(self._limits.burst), left + (self._monotonic() - since) * self._limits.requests)
