"""What goes wrong each time somebody asks, told once an hour: how often they ask is not ours to say."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock
from typing import Final

import structlog

_AGAIN: Final = 3600.0
_MOST: Final = 100


class TroubleLog:
    """Warnings, each of which is told again only after `again` seconds, with how often it came meanwhile.

    It is the same where all that is known of it is, but for the id of a request. Of different ones `most` are
    told within `again`: a reason may have a number in it that is never the same. Threads may share it.
    """

    def __init__(
        self,
        name: str,
        now: Callable[[], float] = time.monotonic,
        *,
        again: float = _AGAIN,
        most: int = _MOST,
    ) -> None:
        self._log = structlog.get_logger(name)
        self._now = now
        self._again = again
        self._most = most
        self._lock = Lock()
        self._told: dict[tuple[str, ...], tuple[float, int]] = {}
        """When each was told and how often it came since; what was told longest ago stands first."""

    def warning(self, event: str, *, request_id: str = "", **known: str) -> None:
        untold = self._untold((event, *known.values()))
        if untold is None:
            return
        request = {"request_id": request_id} if request_id else {}
        often = {"times_since_told": untold} if untold else {}
        self._log.warning(event, **known, **request, **often)

    def _untold(self, trouble: tuple[str, ...]) -> int | None:
        """How often it came since it was told; None: it is not to be told now."""
        with self._lock:
            now = self._now()
            told_at, untold = self._told.get(trouble, (None, 0))
            if told_at is not None and now - told_at < self._again:
                self._told[trouble] = (told_at, untold + 1)
                return None
            self._told.pop(trouble, None)
            if len(self._told) >= self._most:
                oldest = next(iter(self._told))
                if now - self._told[oldest][0] < self._again:
                    return None
                del self._told[oldest]
            self._told[trouble] = (now, 0)
            return untold
