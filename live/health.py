"""How a hub and its feeds stand, for whoever runs the dashboard."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from api_client import ErrorRecord
from live.snapshot import Snapshot
from live.tally import FeedTally


@dataclass(frozen=True, slots=True)
class FeedHealth:
    snapshot: Snapshot
    is_streaming: bool
    """Whether values come over an open stream, whatever they are worth."""
    subscribers: int
    """0: nobody looks; the feed is about to be closed."""
    restarts: int
    """How often its consumer was started again after a defect."""
    last_defect: str
    """Empty: none so far."""
    is_tended: bool
    """Whether its task goes on; without it the snapshot stays as it is for ever."""


@dataclass(frozen=True, slots=True)
class HubHealth:
    running: bool
    """Whether the hub's thread is alive."""
    is_stuck: bool
    """Whether its loop has not turned for ten beats: no feed goes on, and nothing is told of any."""
    feeds: tuple[FeedHealth, ...]
    server_tag: str
    recent_errors: tuple[ErrorRecord, ...]
    """Newest first."""
    tally: FeedTally
    """Goes on counting; not a copy."""
    service_time: datetime
    """By which the age of a value is told, UTC: no wrong clock of this machine moves it."""

    @property
    def open_streams(self) -> int:
        return sum(feed.is_streaming for feed in self.feeds)

    @property
    def value_ages(self) -> list[float]:
        """Seconds since the newest minute of each open feed that has one to show began, ascending."""
        shown = (feed.snapshot.told[-1:] for feed in self.feeds)
        return sorted((self.service_time - one.measured_at).total_seconds() for ones in shown for one in ones)
