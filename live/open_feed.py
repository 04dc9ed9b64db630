"""A feed that is open in a hub, who holds it, and how it is."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from live.crossings_reader import CrossingsReader
from live.feed import Feed
from live.health import FeedHealth, ReaderHealth
from live.latest_part import LatestPart


@dataclass(slots=True)
class OpenFeed:
    """A feed and who holds it; touched only in the hub's loop, except for being read."""

    feed: Feed | CrossingsReader
    part: LatestPart | None = None
    """Of a feed, in the stream of all sites."""
    task: asyncio.Task[None] | None = None
    subscribers: int = 0
    alone: int = 0
    """Of these, who see it otherwise than in a list of sites."""
    restarts: int = 0
    last_defect: str = ""
    closing: asyncio.TimerHandle | None = None
    """Closes the feed; None while it has a subscriber."""

    @property
    def is_tended(self) -> bool:
        return self.task is None or not self.task.done()

    def add(self, *, is_listed: bool) -> None:
        """One more subscriber, who sees the feed in a list of sites or otherwise."""
        self.subscribers += 1
        self.alone += not is_listed
        self._note_listing()
        if self.closing:
            self.closing.cancel()
            self.closing = None

    def remove(self, *, is_listed: bool) -> bool:
        """One subscriber less; whether it was the last."""
        self.subscribers -= 1
        self.alone -= not is_listed
        # Until it is closed, a feed that nobody looks at goes on as it was.
        if self.subscribers:
            self._note_listing()
        return not self.subscribers

    def close(self) -> None:
        if self.task:
            self.task.cancel()
        if self.part:
            self.part.close()

    def _note_listing(self) -> None:
        if self.part and self.part.is_listed is not (self.alone == 0):
            self.part.become(is_listed=self.alone == 0)


def feed_health(opened: OpenFeed, feed: Feed) -> FeedHealth:
    return FeedHealth(
        feed.snapshot,
        feed.is_streaming,
        feed.is_joined,
        opened.subscribers,
        opened.restarts,
        opened.last_defect,
        opened.is_tended,
    )


def reader_health(opened: OpenFeed, reader: CrossingsReader) -> ReaderHealth:
    return ReaderHealth(
        reader.snapshot, opened.subscribers, opened.restarts, opened.last_defect, opened.is_tended
    )
