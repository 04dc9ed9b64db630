"""One feed's part in the stream of all sites: whether it may join that, and when this changes.

It may while all who look at it see it in a list of sites. Whoever looks at one site gets its own stream,
which brings the past and late counts, too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from api_client import Unreachable
from live.freshness import STUCK, UNPROVEN
from live.latest_sites import LatestSites
from live.latest_view import LatestView
from live.snapshot import FeedKey


class SourceChanged(Exception):  # noqa: N818 -- no error: the feed goes on by another stream
    """The feed is to be kept by the other of its own stream and that of all sites."""


class LatestPart:
    """Lives in one event loop. Only of the top zone something is told."""

    def __init__(self, key: FeedKey, latest: LatestSites, *, is_listed: bool) -> None:
        self._site_id = key.site_id
        self._is_of_site = not key.zone_ids
        self._latest = latest
        self._listed, self._alone = asyncio.Event(), asyncio.Event()
        self.become(is_listed=is_listed)

    @property
    def is_listed(self) -> bool:
        return self._listed.is_set()

    def become(self, *, is_listed: bool) -> None:
        """Note that all who look at the feed see it in a list, or that somebody does not."""
        listed = is_listed and self._is_of_site
        begins, ends = (self._listed, self._alone) if listed else (self._alone, self._listed)
        ends.clear()
        begins.set()
        self._latest.want(self, is_wanted=listed)

    def close(self) -> None:
        """The feed has ended."""
        self._latest.want(self, is_wanted=False)

    async def may_join(self, patience: float) -> bool:
        """Whether there is a stream to join; waits `patience` seconds at most for one that is expected."""
        return self.is_listed and await self._latest.may_join(self._site_id, patience)

    @contextmanager
    def joined(self) -> Iterator[LatestView | None]:
        """Take part; None where there is nothing to join any more."""
        with self._latest.joined(self._site_id) as view:
            try:
                yield view
            except Unreachable as error:
                if error.code in {STUCK, UNPROVEN}:
                    self._latest.distrust(error)
                raise

    async def until_alone(self) -> None:
        """Raises SourceChanged when somebody looks at the feed otherwise than in a list."""
        await self._alone.wait()
        raise SourceChanged

    async def until_joinable(self) -> None:
        """Raises SourceChanged when the feed may join, after it had to do without."""
        while True:
            await self._listed.wait()
            await self._latest.becomes_joinable(self._site_id)
            if self.is_listed:
                raise SourceChanged
