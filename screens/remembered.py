"""Screens as their links last led to them, for while the database that keeps them gives no answer.

A wall shows numbers of the service, which may be well: it goes on, also after its browser has begun anew. But
not for ever, since a link may have been revoked that nobody here can hear of.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Final

from screens.definition import Screen, digest_of
from screens.store import LinkedRevision

UNCONFIRMED: Final = 3600.0
"""Seconds for which a screen is shown of which nobody could learn whether its link is in use: longer than a
database takes to be brought up to date, or to go to another machine.
"""
_MOST: Final = 2_000


class RememberedScreens:
    """Safe to share between threads. `monotonic` gives seconds that only pass."""

    def __init__(
        self, unconfirmed: float = UNCONFIRMED, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._unconfirmed = unconfirmed
        self._monotonic = monotonic
        self._lock = Lock()
        self._known: OrderedDict[str, tuple[Screen, float]] = OrderedDict()
        """By the digest of a link: what it led to, and until when that may be shown."""

    def note(self, token: str, screen: Screen | None) -> None:
        """What a link led to just now; None: nowhere, or to what cannot be shown."""
        link = digest_of(token)
        with self._lock:
            self._known.pop(link, None)
            if screen is not None:
                self._known[link] = screen, self._monotonic() + self._unconfirmed
            if len(self._known) > _MOST:
                self._known.popitem(last=False)

    def confirm(self, revisions: Mapping[str, LinkedRevision]) -> None:
        """What is stored of all screens just now, by their ids."""
        with self._lock:
            until = self._monotonic() + self._unconfirmed
            still = [
                (link, screen)
                for link, (screen, _) in self._known.items()
                if revisions.get(screen.id) == LinkedRevision(screen.revision, link)
            ]
            self._known = OrderedDict((link, (screen, until)) for link, screen in still)

    def of(self, token: str) -> Screen | None:
        """None: it was never asked for, led nowhere, or has not been confirmed for too long."""
        with self._lock:
            screen, until = self._known.get(digest_of(token), (None, 0.0))
        return screen if self._monotonic() < until else None

    def until(self, token: str) -> float | None:
        """In monotonic seconds, when it is to be shown no more unless it is confirmed; None: it is not known,
        as the ticket of a preview.
        """
        with self._lock:
            known = self._known.get(digest_of(token))
        return known[1] if known else None
