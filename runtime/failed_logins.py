"""How often somebody may try a password: few times in a while, from one address and from all together."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Final

WINDOW: Final = 300.0
"""Seconds for which a failure counts."""
MOST_OF_ADDRESS: Final = 5
MOST_OF_ALL: Final = 50
"""Behind a proxy everybody has its address, so that whoever tries can keep others from trying, not guess."""
_MOST_ADDRESSES: Final = 10_000


class FailedLogins:
    """To be used within one event loop. `clock` is monotonic, in seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures: dict[str, deque[float]] = {}
        self._of_all: deque[float] = deque(maxlen=MOST_OF_ALL)

    def pause(self, address: str) -> float:
        """Seconds until the next try from there; 0: at once."""
        now = self._clock()
        own = self._failures.get(address, deque())
        waits = [
            moments[0] + WINDOW - now
            for moments, most in ((own, MOST_OF_ADDRESS), (self._of_all, MOST_OF_ALL))
            if len(moments) >= most
        ]
        return max(0.0, *waits, 0.0)

    def note(self, address: str) -> None:
        """A password that was wrong; noted before it is looked at, so that many at once count, too."""
        now = self._clock()
        if len(self._failures) >= _MOST_ADDRESSES:
            self._failures = {one: own for one, own in self._failures.items() if own[-1] > now - WINDOW}
        own = self._failures.setdefault(address, deque(maxlen=MOST_OF_ADDRESS))
        own.append(now)
        self._of_all.append(now)

    def forget(self, address: str) -> None:
        """It was right."""
        self._failures.pop(address, None)
        if self._of_all:
            self._of_all.pop()
