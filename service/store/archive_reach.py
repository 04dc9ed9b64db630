"""Whether the archive can be used, as its worker finds out, site by site: of a cluster, some can be out of
reach.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Final

import structlog

from service.store.archive_protocol import Archive
from service.store.errors import ArchiveAwayError

_FAILED_TOGETHER: Final = 3
"""After so many sites in a row of which nothing could be done, the others are left for the next time."""


class Work(StrEnum):
    """What fails, and is well again, each by itself."""

    LOOK = "look"
    SHIP = "ship"
    TAKE_LATE = "take late"


class ArchiveReach:
    """For one thread; `trouble` for any."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._is_prepared = False
        self._troubles: dict[Work, ArchiveAwayError] = {}
        self._begin_after: dict[Work, str] = {}

    def trouble(self) -> ArchiveAwayError | None:
        return next(iter(self._troubles.values()), None)

    def look(self) -> bool:
        """Whether it answers, with its tables made."""
        try:
            if self._is_prepared:
                self._archive.look()
            else:
                self._archive.prepare()
        except ArchiveAwayError as error:
            self._note(Work.LOOK, error)
            return False
        self._is_prepared = True
        self._note(Work.LOOK, None)
        return True

    def of_each(
        self, work: Work, site_ids: Sequence[str], done: Callable[[str], int], stop: threading.Event
    ) -> int:
        """What was done of these sites together; it begins after the one at which it ended the last time, and
        the first time with any, so that several processes are seldom at the same.
        """
        if not site_ids:
            self._note(work, None)
            return 0
        after = self._begin_after.get(work) or secrets.choice(site_ids)
        ordered = sorted(site_ids, key=lambda site_id: (site_id <= after, site_id))
        found, in_a_row, trouble = 0, 0, None
        for site_id in ordered:
            if stop.is_set() or in_a_row == _FAILED_TOGETHER:
                break
            self._begin_after[work] = site_id
            try:
                found += done(site_id)
                in_a_row = 0
            except ArchiveAwayError as error:
                in_a_row, trouble = in_a_row + 1, error
        self._note(work, trouble)
        return found

    def _note(self, work: Work, trouble: ArchiveAwayError | None) -> None:
        """Said once, until it is well again."""
        was = self.trouble()
        if trouble is None:
            self._troubles.pop(work, None)
        else:
            self._troubles[work] = trouble
        if was is None and trouble is not None:
            structlog.get_logger().error("archive is away", reason=str(trouble))
        elif was is not None and self.trouble() is None:
            structlog.get_logger().info("archive is back")
