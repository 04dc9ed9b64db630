"""What a link or a ticket leads to: a screen with its views resolved, or why there is nothing to show.

With 500 sites that takes a hundredth of a second of a processor, and a link may be asked for without end; so
what was found stands for a moment, and those who ask meanwhile share it. Whether the link is in use, and the
screen as it was, is looked up each time.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Final, NamedTuple

from starlette.concurrency import run_in_threadpool

from api_client import ApiClientError, Client
from keeping import is_away
from live.tokens import StreamGrant
from screens.changes import StoreOutage
from screens.definition import Composition, Language, Screen, UnreadableScreen, unsaved
from screens.directory import Directory
from screens.floor_plans import PlanSource, is_on_plan
from screens.neutral import Circumstance
from screens.page import screen_version
from screens.previews import PreviewSigner, is_ticket
from screens.remembered import UNCONFIRMED, RememberedScreens
from screens.shown import ShownView, grant_of, shown_views
from screens.store import LinkedRevision, ScreenStore, ScreenStoreError
from screens.troubles import ShownBook

STANDS: Final = 5.0
"""Seconds for which what was found stands: a name or a capacity is noticed after minutes anyway."""
_STANDS_IN_OUTAGE: Final = 1.0
"""Likewise where a part could not be learned, and may be soon."""
_MOST_KEPT: Final = 50
"""Screens, the last asked for: the page of 500 sites is a tenth of a megabyte, what it is made of more."""


class Refused(NamedTuple):
    """Why there is nothing to show."""

    circumstance: Circumstance
    language: Language | None = None
    """Of the screen; None: not known."""
    since: datetime | None = None
    """UTC; None: not known."""


@dataclass(frozen=True)
class Resolved:
    screen: Screen
    link: str | None
    """Digest of the link that led here; None: a preview's ticket did."""
    views: tuple[ShownView, ...]
    outage: ApiClientError | None
    """Why a part could not be learned, where that may be otherwise soon."""
    outage_since: datetime | None
    """UTC; None: there is none, or nobody knows."""
    plans: Mapping[str, str]
    """By site id, what tells the floor plans that are drawn from others."""
    bundle_version: str
    pages: dict[bool, bytes] = field(default_factory=dict)
    """The pages that were made of it: as it moves, and still, for a picture."""

    @property
    def is_dark(self) -> bool:
        """Whether there is nothing to show yet."""
        return self.outage is not None and all(view.error for view in self.views)

    @cached_property
    def version(self) -> str:
        return screen_version(self.screen, self.views, bundle_version=self.bundle_version)

    @cached_property
    def grant(self) -> StreamGrant:
        return grant_of(self.views)


class _Finding(NamedTuple):
    screen: Screen
    marks: Mapping[str, str]
    """Of the floor plans."""
    outcome: asyncio.Task[Resolved]
    ends: list[float]
    """Monotonic seconds until which it stands; empty: it is not found yet."""

    def stands_for(self, screen: Screen, marks: Mapping[str, str]) -> bool:
        is_young = not self.ends or time.monotonic() < self.ends[0]
        return is_young and self.marks == marks and _told(self.screen) == _told(screen)


class Resolver:
    """To be used within one event loop. Getters are called at each request, in a thread."""

    def __init__(
        self,
        get_store: Callable[[], ScreenStore],
        get_client: Callable[[], Client],
        get_previews: Callable[[], PreviewSigner],
        get_shown: Callable[[], ShownBook],
        *,
        plans: PlanSource,
        bundle_version: str,
        unconfirmed: float = UNCONFIRMED,
    ) -> None:
        """`unconfirmed`: for so many seconds a screen is shown while its store gives no answer."""
        self._get_store = get_store
        self._get_previews = get_previews
        self._get_shown = get_shown
        self._plans = plans
        self._bundle_version = bundle_version
        self._outage = StoreOutage()
        self._remembered = RememberedScreens(unconfirmed)
        self._directory = Directory(get_client)
        self._kept: OrderedDict[str, _Finding] = OrderedDict()
        """By what the address ends in."""

    async def resolved(self, token: str) -> Resolved | Refused:
        """`token` is what a link ends in, or the ticket of a preview."""
        try:
            screen = await run_in_threadpool(self._find, token)
        except Exception:  # noqa: BLE001 - the wall's edge: it waits for better times; the log has a line of it
            return Refused(Circumstance.UNAVAILABLE)
        if not isinstance(screen, Screen):
            return Refused(screen)
        marks = await run_in_threadpool(self._plans.marks, screen) if is_on_plan(screen) else {}
        try:
            # Not awaited itself: one who leaves must not end what the others wait for.
            found = await asyncio.shield(self._finding(token, screen, marks).outcome)
        except asyncio.CancelledError:  # the server ends; the page asks the one that comes after it
            return Refused(Circumstance.UNAVAILABLE)
        if found.is_dark:
            return Refused(Circumstance.WAITING, screen.language, found.outage_since)
        return found

    def revisions(self) -> dict[str, LinkedRevision]:
        """Of every screen, by its id; a file that cannot be read is logged, and raises."""
        with self._outage.noticed():
            found = self._get_store().revisions()
        self._remembered.confirm(found)
        return found

    def shown_until(self, token: str) -> float | None:
        """In monotonic seconds, unless its store answers until then; None: it is for others to tell."""
        return self._remembered.until(token)

    def _finding(self, token: str, screen: Screen, marks: Mapping[str, str]) -> _Finding:
        kept = self._kept.get(token)
        if kept is None or not kept.stands_for(screen, marks):
            link = None if is_ticket(token) else screen.link
            kept = _Finding(screen, marks, asyncio.create_task(self._resolve(screen, link, marks)), [])
            kept.outcome.add_done_callback(lambda done: self._found(token, kept, done))
            self._kept[token] = kept
            if len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(token)
        return kept

    def _found(self, token: str, kept: _Finding, done: asyncio.Task[Resolved]) -> None:
        if not done.cancelled() and done.exception() is None:
            stands = _STANDS_IN_OUTAGE if done.result().outage else STANDS
            kept.ends.append(time.monotonic() + stands)
        elif self._kept.get(token) is kept:
            del self._kept[token]

    async def _resolve(self, screen: Screen, link: str | None, marks: Mapping[str, str]) -> Resolved:
        known = await self._directory.known(screen)
        if is_on_plan(screen):
            known = replace(known, plans=await run_in_threadpool(self._plans.of, screen))
        # Where zones stand beside each other takes a while to find, once for each site.
        views = await run_in_threadpool(shown_views, screen, known)
        if screen.id:
            await run_in_threadpool(lambda: self._get_shown().note(screen.id, views))
        return Resolved(screen, link, views, known.outage, known.outage_since, marks, self._bundle_version)

    def _find(self, token: str) -> Screen | Circumstance:
        opened = self._get_previews().opened_by(token) if is_ticket(token) else None
        if isinstance(opened, Composition):
            return unsaved(opened)
        try:
            with self._outage.noticed():
                found = self._looked_up(token)
        except ScreenStoreError as error:
            remembered = self._remembered.of(token) if is_away(error) else None
            if remembered is None:
                raise
            return remembered
        if isinstance(found, UnreadableScreen):
            return Circumstance.UNAVAILABLE
        return found or Circumstance.NOT_IN_USE

    def _looked_up(self, token: str) -> Screen | UnreadableScreen | Circumstance | None:
        if not is_ticket(token):
            by_link = self._get_store().by_token(token)
            self._remembered.note(token, by_link if isinstance(by_link, Screen) else None)
            return by_link
        previews = self._get_previews()
        opened = previews.opened_by(token)
        # A forged ticket asks the store, too: a look that read nothing would pass for the outage's end.
        found = self._get_store().by_id(opened if isinstance(opened, str) else "")
        return Circumstance.PREVIEW_OVER if opened is None and previews.is_over(token) else found


def _told(screen: Screen) -> tuple[object, ...]:
    """All on which its page depends; a draft is made anew each time that it is looked at."""
    return (
        screen.id,
        screen.revision,
        screen.link,
        screen.name,
        screen.views,
        screen.theme,
        screen.language,
    )
