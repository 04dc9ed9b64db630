"""Counters and health of a hub, its feeds and the relay, for whoever runs the dashboard.

Counters run since the process began: plain numbers without locks, each written in one event loop only.
Another thread that reads them may see one change before another, never a torn number.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from api_client import ErrorRecord
from live.crossings import Crossings
from live.snapshot import Snapshot

LAG_BOUNDS: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper edges of the lag's classes, in seconds; what is beyond the last has a class of its own."""

_MOST_REASONS: Final = 40
"""A service may answer with any code; so many are counted apart."""


@dataclass(slots=True)
class FeedCounters:
    """Counts over all feeds of a hub, closed ones included."""

    readings: int = 0
    """Values that arrived over streams."""
    reconnects: Counter[str] = field(default_factory=Counter)
    """Pauses before another attempt, by the code of the error that made each necessary."""
    skipped: Counter[str] = field(default_factory=Counter)
    """Events without a usable value, by reason."""
    restarts: int = 0
    """How often a feed's consumer was started again after a defect."""

    def reconnect(self, code: str) -> None:
        _count(self.reconnects, code)


@dataclass(slots=True)
class PassageCounters:
    """Counts over all readers of passages of a hub, closed ones included."""

    questions: int = 0
    """Put to the service, about passages and which there are."""
    failures: Counter[str] = field(default_factory=Counter)
    """Of these, those that failed, by the code of the error."""

    def failure(self, code: str) -> None:
        _count(self.failures, code)


def _count(counted: Counter[str], code: str) -> None:
    known = code in counted or len(counted) < _MOST_REASONS
    counted[code if known else "OTHER"] += 1


@dataclass(slots=True)
class LagCounters:
    classes: list[int] = field(default_factory=lambda: [0] * (len(LAG_BOUNDS) + 1))
    """How many fell into each class of LAG_BOUNDS."""
    total: float = 0.0
    """Sum of all, in seconds."""

    def add(self, seconds: float, times: int = 1) -> None:
        self.classes[bisect_left(LAG_BOUNDS, seconds)] += times
        self.total += seconds * times


@dataclass(slots=True)
class RelayCounters:
    """Counts over all responses of the relay."""

    messages: int = 0
    """Messages that readers took: states, changes and beats."""
    merged: int = 0
    """Changes that a reader did not get by themselves because a newer one was there already."""
    cut: int = 0
    """Readers that took nothing for too long and were cut."""
    lag: LagCounters = field(default_factory=LagCounters)
    """From when the hub had a new value to when a reader took it."""


relay_counters: Final = RelayCounters()
"""Of all responses of this process; written in the server's event loop."""


@dataclass(frozen=True, slots=True)
class FeedHealth:
    snapshot: Snapshot
    is_streaming: bool
    """Whether values come over an open stream, whatever they are worth."""
    is_joined: bool
    """Whether that is the stream of all sites."""
    subscribers: int
    """0: nobody looks; the feed is about to be closed."""
    restarts: int
    """How often its consumer was started again after a defect."""
    last_defect: str
    """Empty: none so far."""
    is_tended: bool
    """Whether its task goes on; without it the snapshot stays as it is for ever."""


@dataclass(frozen=True, slots=True)
class ReaderHealth:
    """Of the reader of the passages of one site; fields as of FeedHealth."""

    snapshot: Crossings
    subscribers: int
    restarts: int
    last_defect: str
    is_tended: bool

    @property
    def is_well(self) -> bool:
        """Whether there is nothing to tell of it."""
        return self.is_tended and not self.snapshot.reason


@dataclass(frozen=True, slots=True)
class HubHealth:
    running: bool
    """Whether the hub's thread is alive."""
    is_stuck: bool
    """Whether its loop has not turned for ten beats: no feed goes on, and no news comes of any."""
    feeds: tuple[FeedHealth, ...]
    readers: tuple[ReaderHealth, ...]
    """Of passages."""
    server_tag: str
    recent_errors: tuple[ErrorRecord, ...]
    """Newest first."""
    counters: FeedCounters
    """Goes on counting; not a copy."""
    passage_counters: PassageCounters
    """As these."""
    service_time: datetime
    """UTC; ages of values are measured by it, so that a wrong clock of this machine does not matter."""
    has_latest: bool = False
    """Whether the stream of all sites is open."""

    @property
    def open_streams(self) -> int:
        """Of the service: that of all sites is one, however many feeds take part."""
        return sum(feed.is_streaming and not feed.is_joined for feed in self.feeds) + self.has_latest

    @property
    def value_ages(self) -> list[float]:
        """Seconds since the newest minute of each open feed that has one to show began, ascending."""
        shown = (feed.snapshot.reported[-1:] for feed in self.feeds)
        return sorted((self.service_time - one.measured_at).total_seconds() for ones in shown for one in ones)
