"""What has happened since the process began, counted for whoever watches over it.

Plain numbers without locks: each tally is written in one event loop only. Another thread that reads them may
see one change before another, never a torn number.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

LAG_BOUNDS: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper edges of the lag's classes, in seconds; what is beyond the last has a class of its own."""

_MOST_REASONS: Final = 40
"""A service may answer with any code; so many are told apart."""


@dataclass(slots=True)
class FeedTally:
    """Of all feeds of a hub together, those that are closed again included."""

    readings: int = 0
    """Values that arrived over streams."""
    reconnects: Counter[str] = field(default_factory=Counter)
    """Pauses before another attempt, by the code of the error that made each necessary."""
    skipped: Counter[str] = field(default_factory=Counter)
    """Events without a usable value, by reason."""
    restarts: int = 0
    """How often a feed's consumer was started again after a defect."""

    def reconnect(self, code: str) -> None:
        known = code in self.reconnects or len(self.reconnects) < _MOST_REASONS
        self.reconnects[code if known else "OTHER"] += 1


@dataclass(slots=True)
class LagTally:
    classes: list[int] = field(default_factory=lambda: [0] * (len(LAG_BOUNDS) + 1))
    """How many fell into each class of LAG_BOUNDS."""
    total: float = 0.0
    """Sum of all, in seconds."""

    def add(self, seconds: float, times: int = 1) -> None:
        self.classes[bisect_left(LAG_BOUNDS, seconds)] += times
        self.total += seconds * times


@dataclass(slots=True)
class RelayTally:
    """Of all responses of the relay together."""

    messages: int = 0
    """Messages that readers took: states, changes and beats."""
    merged: int = 0
    """Changes that a reader did not get by themselves because a newer one was there already."""
    cut: int = 0
    """Readers that took nothing for too long and were cut."""
    lag: LagTally = field(default_factory=LagTally)
    """From when the hub had a new value to when a reader took it."""


relay_tally: Final = RelayTally()
"""Of all responses of this process; written in the server's event loop."""
