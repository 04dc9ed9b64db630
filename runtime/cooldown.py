"""The cooldown of a service that fails: nobody asks it, for longer and longer or for as long as it wants."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Final, NamedTuple

from api_client import ApiClientError, Unavailable
from live.reconnect import asked_pause

_LONGEST: Final = 60.0
LONGEST_ASKED: Final = 180.0
"""Seconds, as for a feed."""


class Pause(NamedTuple):
    """A time in which a service is not asked, and the error that led to it."""

    ends: float
    """In monotonic seconds."""
    until: datetime
    """The same on this machine's clock, UTC."""
    seconds: float
    """All of it."""
    error: ApiClientError
    is_asked: bool = False
    """Whether the service asks for it."""

    def not_asked(self) -> Unavailable:
        """What to raise instead of asking."""
        error, left = self.error, max(0.0, self.ends - time.monotonic())
        return Unavailable(error.message, code=error.code, request_id=error.request_id, retry_after=left)


class Cooldown:
    """Pauses one kind of query to one service; the `after`th failure in a row begins a pause.

    What the service asks for with `Retry-After` is kept from the first. An answer that comes meanwhile ends
    no pause: it was asked for before that began. Safe to use from any thread.
    """

    def __init__(self, after: int) -> None:
        self._after = after
        self._lock = Lock()
        self._failures = 0
        self._pause: Pause | None = None

    @property
    def pause(self) -> Pause | None:
        """The one that holds now."""
        pause = self._pause
        return pause if pause and time.monotonic() < pause.ends else None

    def failed(self, error: ApiClientError, *, is_of_service: bool = True) -> bool:
        """Whether it had worked before. Where the failure is no sign of the service's, only the pause that
        it asks for counts.
        """
        with self._lock:
            self._failures += is_of_service
            beyond = self._failures - self._after
            own = min(_LONGEST, 2.0 ** min(beyond, 10)) if is_of_service and beyond >= 0 else 0.0
            asked = asked_pause(error, LONGEST_ASKED)
            self._rest(max(own, asked), error, is_asked=asked > 0)
            return self._failures == 1

    def worked(self) -> bool:
        """Whether it had failed before, and no pause holds."""
        with self._lock:
            if self.pause:
                return False
            had_failed, self._failures = self._failures > 0, 0
            return had_failed

    def over(self) -> None:
        """The service is heard to be well by other means: what it did not ask for itself ends."""
        with self._lock:
            if not (self._pause and self._pause.is_asked):
                self._failures, self._pause = 0, None

    def _rest(self, seconds: float, error: ApiClientError, *, is_asked: bool) -> None:
        ends = time.monotonic() + seconds
        if seconds and (self._pause is None or ends > self._pause.ends):
            until = datetime.now(UTC) + timedelta(seconds=seconds)
            self._pause = Pause(ends, until, seconds, error, is_asked)
