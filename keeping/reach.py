"""Whether a database answers. While it does not, one asks at a time, and all others are told so at once.

Else whoever shows a page or a wall would wait for it, each as long as one waits for a connection, until no
thread is left for those who need none of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Lock
from typing import Final, NamedTuple

import structlog

_PAUSE: Final = 2.0
"""Seconds after a failure in which nobody asks."""
_log = structlog.get_logger("keeping.reach")


NO_ANSWER: Final = "the database that dashboards share gives no answer, and is asked again by itself"


class DatabaseAwayError(OSError):
    """It gave no answer, and may be back at any moment; the text is for whoever runs it."""

    def __init__(self, reason: str, said: str = NO_ANSWER) -> None:
        super().__init__(reason)
        self.said = said
        """The end of a sentence for people."""


def is_away(error: BaseException) -> bool:
    """Whether an error that a store raises is because its database gave no answer."""
    return isinstance(error.__cause__, DatabaseAwayError)


class Reached(NamedTuple):
    """How a database is reached."""

    where: str
    """Its address, without a password."""
    was_reached: bool
    """Whether it ever answered this process."""
    away_since: datetime | None
    """UTC; None: it answered the last time."""
    reason: str
    """Why it gave no answer; empty: it did."""


class Reach:
    """Safe to share between threads. `monotonic` gives seconds that only pass."""

    def __init__(self, where: str, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._now = Reached(where, was_reached=False, away_since=None, reason="")
        self._monotonic = monotonic
        self._lock = Lock()
        self._ask_again_at = 0.0
        self._is_asked = False
        """Whether somebody finds out at present whether it is back."""

    @property
    def now(self) -> Reached:
        return self._now

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Around all that is asked of it. Raises DatabaseAwayError where it is known to be away; one that the
        block raises says so.
        """
        finds_out = self._begin()
        try:
            yield
        except DatabaseAwayError as error:
            self._failed(str(error))
            raise
        finally:
            if finds_out:
                self._is_asked = False

    def _begin(self) -> bool:
        """Whether this one finds out whether it is back."""
        with self._lock:
            if not self._now.reason:
                return False
            if self._is_asked or self._monotonic() < self._ask_again_at:
                raise DatabaseAwayError(self._now.reason)
            self._is_asked = True
            return True

    def _failed(self, reason: str) -> None:
        with self._lock:
            is_new = not self._now.reason
            self._ask_again_at = self._monotonic() + _PAUSE
            since = self._now.away_since or datetime.now(UTC)
            self._now = self._now._replace(away_since=since, reason=reason)
        if is_new:
            _log.error("the store that dashboards share is away", store=self._now.where, reason=reason)

    def answered(self) -> None:
        if self._now.was_reached and not self._now.reason:
            return
        with self._lock:
            was_away = bool(self._now.reason)
            self._now = self._now._replace(was_reached=True, away_since=None, reason="")
        if was_away:
            _log.info("the store that dashboards share is back", store=self._now.where)
