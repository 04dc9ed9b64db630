"""How long to wait before the next attempt: full jitter under a growing ceiling.

After https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter: a wait is drawn from the
whole span below the ceiling, so that screens that were dropped together come back spread out.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random


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
