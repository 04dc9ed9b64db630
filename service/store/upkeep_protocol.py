"""What goes on in a store for longer than a transaction: `CountImports`, `Retention`, `Archiving`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from service.store.errors import StoreError
    from service.store.protocol import CountSeries


class CountImports(Protocol):
    """Counts of whole files, by the million. One at a time, of all processes."""

    def store(self, series: Iterable[CountSeries], progress: Callable[[int], None] = lambda _: None) -> None:
        """All of them or none, in many short transactions; `progress` hears how many minutes were stored.

        They are kept aside first. Once they all are, they will be stored, however this process ends: by it,
        by whoever opens the store next, or by the service that runs. They are seen site by site, oldest days
        first, each day with all that is derived from it; listeners hear of a site once all of it is there.
        What others add to the same passage and minute meanwhile is as if it had come before, or after.

        Raises UnknownPassageError, StoreError; nothing is stored then. ImportUnfinishedError: the rest is
        stored later.
        """

    def take_up(self, stop: threading.Event | None = None) -> bool:
        """End what a process that was killed left of an import: forget it, or store what is missing.

        False where nothing was left, or somebody is storing it. Returns soon after `stop` is set.
        """


class Retention(Protocol):
    """Minutes that are folded to quarters of an hour, of which alone is known what was counted and told then.

    Queries answer from the quarters: sums and means, and minimum and maximum of one zone. What takes single
    minutes has no value. Counts, levels and corrections of before are refused, and what changes at a site
    leaves its quarters alone.
    """

    def folded_until(self, site_id: str) -> datetime | None:
        """The first minute that is not folded, UTC, a daily reset; None where none is."""

    def fold(
        self, days: int, stop: threading.Event | None = None, *, present: datetime | None = None
    ) -> bool:
        """Fold what is older than so many local days of each site, up to a reset, in short transactions.

        `present`: what is believed to be that, instead of what the clock says. False when there was nothing.
        Returns soon after `stop` is set.
        """

    def believed_time(self) -> datetime | None:
        """As it was noted last; else the newest minute of which anything is stored, None without any."""

    def note_believed_time(self, moment: datetime) -> None: ...


class Archiving(Protocol):
    """Days of long ago that lie in an archive, which is asked for them. None of this raises ArchiveAwayError:
    what could not be done is done the next time.
    """

    @property
    def is_set(self) -> bool:
        """Whether there is an archive."""

    def look(self) -> bool:
        """Whether the archive answers; makes its tables where they are not there."""

    def ship(self, days: int, present: datetime, stop: threading.Event) -> int:
        """Bring what is older than so many local days of each site to the archive, up to a reset, and days
        that have returned; in short transactions. How many pieces; returns soon after `stop` is set.
        """

    def take_late(self, stop: threading.Event) -> int:
        """Count what came late of days that lie there; how many minutes."""

    def late_minutes(self) -> int:
        """How many minutes of late counts wait."""

    def trouble(self) -> StoreError | None:
        """Why the archive could not be used when it was looked at, or was asked to take, or to give back, the
        last time.
        """
