"""What time it is for the service: measurements that lie after that cannot be right.

Points are judged by this machine's wall clock, unless the service's own (the `Date` of its answers) differs
from it by more than the tolerance: then one of the two is wrong, and points are dated by the service's.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

import httpx

TOLERANCE: Final = timedelta(minutes=2)
"""A sensor's or a service's clock may be ahead by this much."""


class ServiceClock:
    """`now` gives this machine's wall clock, UTC."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._difference = timedelta()

    @property
    def difference(self) -> timedelta:
        """By how much the service's clock is ahead of this machine's; zero within the tolerance."""
        return self._difference if abs(self._difference) > TOLERANCE else timedelta()

    @property
    def latest(self) -> datetime:
        """The latest time at which a minute can have begun, UTC."""
        return self._now() + self.difference + TOLERANCE

    def heard(self, response: httpx.Response) -> None:
        """Take note of the time that an answer tells; one without a date changes nothing."""
        try:
            date = parsedate_to_datetime(response.headers.get("date", ""))
            self._difference = (date if date.tzinfo else date.replace(tzinfo=UTC)) - self._now()
        except (ValueError, OverflowError):
            return
