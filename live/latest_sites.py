"""The stream of the newest values of all sites: one for all feeds that are looked at in a list.

`GET /live/sites` is an extension that our own service has; against any other each feed has its own stream, as
the specification offers. A feed that joins gets what is told of its site, and believes it as it believes an
answer to `now` and what its own stream brings. `live/latest_offer.py` says when the stream is asked for.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from random import Random
from threading import Condition
from typing import Final, NamedTuple

import structlog

from api_client import (
    ApiClientError,
    AsyncClient,
    BrokenAnswer,
    LatestStream,
    SiteGone,
    SiteLatest,
    SitesComplete,
    SkippedEvent,
    Unreachable,
)
from live.clock import Clock
from live.feed_context import FeedLimits
from live.latest_offer import LatestEnd, LatestOffer
from live.latest_view import LatestView

_MOST_SITES: Final = 10_000
"""As many as are listed; what a stream tells of more is left out."""
_MOST_SKIPPED: Final = 1_000
"""Events that are not understood before all sites were told."""
_log = structlog.get_logger("live.latest")


class ToldSite(NamedTuple):
    """What the stream has told of a site since it was opened."""

    latest: SiteLatest
    is_pushed: bool
    """Whether its value came after all sites were told: then it was counted, and is not one dated anew."""


class LatestSites:
    """Keeps the stream open while anybody wants it. Lives in the hub's loop; `told`, `is_flowing` and
    `decided` are for any thread.
    """

    def __init__(self, client: AsyncClient, limits: FeedLimits, clock: Clock, random: Random) -> None:
        self._client = client
        self._limits = limits
        self._clock = clock
        self._random = random
        self._wanted_by: set[object] = set()
        self._until: float = 0.0
        """Until when it was looked at, in monotonic seconds."""
        self._task: asyncio.Task[None] | None = None
        self._ending: asyncio.TimerHandle | None = None
        self._offer = LatestOffer()
        self._sites: dict[str, ToldSite] = {}
        self._unseen: set[str] = set()
        """Sites that were told over the stream before, and not yet over this one."""
        self._flowing_since: float | None = None
        self._views: defaultdict[str, set[LatestView]] = defaultdict(set)
        self._moved = asyncio.Event()
        self._decided = Condition()
        self._stream: LatestStream | None = None
        """The connection that is open, or was open last."""
        self._distrusted: asyncio.Future[None] | None = None
        """Of the connection that is open; fails when it is not to be believed, and is done with its end."""
        self._not_before = 0.0
        """When the stream may be asked for next, in monotonic seconds."""

    @property
    def is_flowing(self) -> bool:
        """Whether it is open, has told all sites and is believed."""
        is_refuted = self._distrusted is not None and self._distrusted.done()
        return self._flowing_since is not None and not is_refuted

    @property
    def is_expected(self) -> bool:
        """Whether it flows, or is worth waiting for."""
        return self.is_flowing or (self._task is not None and self._offer.is_expected)

    def told(self, site_id: str) -> ToldSite | None:
        """The newest of a site; None where the stream does not flow or has no such site."""
        return self._sites.get(site_id) if self.is_flowing else None

    def decided(self, patience: float) -> None:
        """Block until the stream flows or is not expected to, `patience` seconds at most."""
        with self._decided:
            self._decided.wait_for(lambda: self.is_flowing or not self._offer.is_expected, patience)

    def want(self, holder: object, *, is_wanted: bool) -> None:
        """Keep the stream for `holder`, or no longer."""
        if is_wanted is not (holder in self._wanted_by):
            (self._wanted_by.add if is_wanted else self._wanted_by.discard)(holder)
            self._begin_or_end()

    def look(self) -> None:
        """Keep the stream for a while."""
        self._until = self._clock.now().monotonic + self._limits.looked
        self._begin_or_end()

    def distrust(self, error: ApiClientError) -> None:
        """A check has shown that the stream brings nothing although a value changed: it is opened anew."""
        if self.is_flowing and self._distrusted and not self._distrusted.done():
            self._distrusted.set_exception(error)

    @contextmanager
    def joined(self, site_id: str) -> Iterator[LatestView | None]:
        """What comes of a site from now on, beginning with its newest value; None: nothing does."""
        told = self.told(site_id)
        if told is None:
            yield None
            return
        view = LatestView(told.latest.answer)
        self._views[site_id].add(view)
        try:
            yield view
        finally:
            self._views[site_id].discard(view)
            if not self._views[site_id]:
                del self._views[site_id]

    async def may_join(self, site_id: str, patience: float) -> bool:
        """Whether there is a stream to join for this site; waits for one that is expected."""
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                while not self.is_flowing and self.is_expected:
                    await self._moved.wait()
        return self.told(site_id) is not None

    async def becomes_joinable(self, site_id: str) -> None:
        """Return when the stream has told the site, and has lasted longer than one that is cut at once."""
        while True:
            if self.told(site_id) is None or self._flowing_since is None:
                await self._moved.wait()
                continue
            left = self._flowing_since + self._limits.cut - self._clock.now().monotonic
            if left <= 0:
                return
            await asyncio.sleep(left)

    def close(self) -> None:
        """End the stream; may be called more than once."""
        self._wanted_by.clear()
        self._until = 0.0
        self._end()
        with self._decided:
            self._decided.notify_all()

    def _begin_or_end(self) -> None:
        now = self._clock.now().monotonic
        is_wanted = bool(self._wanted_by) or now < self._until
        if is_wanted and self._task is None:
            self._task = asyncio.create_task(self._keep(), name="stream of all sites")
        if self._ending:
            self._ending.cancel()
            self._ending = None
        if not self._wanted_by and self._task is not None:
            loop = asyncio.get_running_loop()
            self._ending = loop.call_later(max(self._until - now, self._limits.linger), self._end)

    def _end(self) -> None:
        if self._task:
            self._task.cancel()
        self._task = self._ending = self._stream = self._flowing_since = None
        self._fail(Unreachable("Nobody looks at all sites any more.", code="STREAM_ENDED"))
        self._note_move()

    async def _keep(self) -> None:
        """Open the stream again and again, for ever."""
        while True:
            await asyncio.sleep(self._not_before - self._clock.now().monotonic)
            error: ApiClientError = Unreachable("The service ended the stream.", code="STREAM_ENDED")
            try:
                await self._follow()
            except ApiClientError as failure:
                error = failure
            except Exception as defect:  # noqa: BLE001 -- the edge: its feeds go on by their own streams
                _log.exception("stream of all sites failed")
                error = BrokenAnswer(
                    f"The consumer failed ({type(defect).__name__}).", code="CONSUMER_FAILED"
                )
            self._ended(error)

    async def _follow(self) -> None:
        """Raises ApiClientError."""
        async with self._client.latest_sites(patience=self._limits.answer) as stream:
            self._stream, self._unseen = stream, set(self._sites)
            self._distrusted = asyncio.get_running_loop().create_future()
            reading = asyncio.create_task(self._read(stream))
            try:
                await asyncio.wait({reading, self._distrusted}, return_when=asyncio.FIRST_COMPLETED)
                (reading if reading.done() else self._distrusted).result()
            finally:
                self._distrusted.cancel()
                reading.cancel()
                await asyncio.gather(reading, self._distrusted, return_exceptions=True)

    async def _read(self, stream: LatestStream) -> None:
        skipped = 0
        with suppress(TimeoutError):
            async with asyncio.timeout(self._limits.answer) as deadline:
                async for items in stream:
                    if stream is not self._stream:
                        return  # nobody wanted it any more, a moment ago
                    skipped += self._take(items)
                    if self.is_flowing:
                        deadline.reschedule(None)
                    elif skipped > _MOST_SKIPPED:
                        break
        if not self.is_flowing:
            raise BrokenAnswer("This is no stream of all sites.", code="NOT_A_STREAM")

    def _take(self, items: Iterable[SiteLatest | SiteGone | SitesComplete | SkippedEvent]) -> int:
        """How many of them are not understood."""
        skipped = 0
        for item in items:
            if isinstance(item, SiteLatest):
                self._tell(item)
            elif isinstance(item, SiteGone):
                self._forget(item.site_id)
            elif isinstance(item, SitesComplete):
                self._completed()
            else:
                skipped += 1
        return skipped

    def _tell(self, latest: SiteLatest) -> None:
        self._unseen.discard(latest.site_id)
        before = self._sites.get(latest.site_id)
        if before is None and len(self._sites) >= _MOST_SITES:
            return
        is_same = before is not None and before.latest.answer == latest.answer
        # The same as one that was pushed, told anew after a reconnect, was counted all the same.
        is_pushed = before.is_pushed if before and is_same else self.is_flowing
        self._sites[latest.site_id] = ToldSite(latest, is_pushed)
        if before is None and self.is_flowing:
            self._note_move()
        if not is_same:
            for view in self._views.get(latest.site_id, ()):
                view.push(latest.answer)

    def _forget(self, site_id: str) -> None:
        self._sites.pop(site_id, None)
        for view in self._views.get(site_id, ()):
            view.fail(Unreachable("The list of sites has this site no more.", code="SITE_GONE"))

    def _completed(self) -> None:
        for site_id in self._unseen:
            self._forget(site_id)
        self._unseen = set()
        if self._flowing_since is None:
            self._flowing_since = self._clock.now().monotonic
            self._note_move()

    def _ended(self, error: ApiClientError) -> None:
        since, self._flowing_since = self._flowing_since, None
        lasted = None if since is None else self._clock.now().monotonic - since
        was_expected = self._offer.is_expected
        self._offer = self._offer.after(LatestEnd(error, lasted), self._limits, self._random)
        self._not_before = self._clock.now().monotonic + self._offer.wait
        if was_expected and not self._offer.is_expected:
            _log.info("no stream of all sites", reason=error.message, retry_in=round(self._offer.wait))
        self._fail(error)
        self._note_move()

    def _fail(self, error: ApiClientError) -> None:
        for views in self._views.values():
            for view in views:
                view.fail(error)

    def _note_move(self) -> None:
        self._moved.set()
        self._moved = asyncio.Event()
        with self._decided:
            self._decided.notify_all()
