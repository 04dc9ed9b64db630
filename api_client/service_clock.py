"""What time it is for the service: measurements that lie after that cannot be right.

Points are judged by this machine's wall clock, unless the service's own (the `Date` of its answers) differs
from it by more than the tolerance: then one of the two is wrong, and points are judged by the service's.
Between answers time passes on the monotonic clock: a wall clock that jumps makes no point a wrong one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

import httpx

from api_client.http_date import http_date

TOLERANCE: Final = timedelta(minutes=2)
"""A sensor's or a service's clock may be ahead by this much."""


class ServiceClock:
    """`now` gives this machine's wall clock, UTC; `monotonic` seconds."""

    def __init__(self, now: Callable[[], datetime], monotonic: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._monotonic = monotonic
        self._difference = timedelta()
        self._heard: tuple[datetime, float] | None = None

    @property
    def difference(self) -> timedelta:
        """By how much the service's clock is ahead of this machine's; zero within the tolerance."""
        return self._difference

    @property
    def latest(self) -> datetime:
        """The latest time at which a minute can have begun, UTC."""
        if self._heard is None:
            return self._now() + TOLERANCE
        time_there, heard_at = self._heard
        return time_there + timedelta(seconds=self._monotonic() - heard_at) + TOLERANCE

    def heard(self, response: httpx.Response) -> None:
        """Take note of the time that an answer tells; one without a date is no reason to doubt ours."""
        now = self._now()
        difference = (http_date(response.headers.get("date", "")) or now) - now
        self._difference = difference if abs(difference) > TOLERANCE else timedelta()
        self._heard = now + self._difference, self._monotonic()
