"""The service's clock: what time it is there; measurements that lie after that cannot be right.

Points are judged by this machine's wall clock, unless the service's own (the `Date` of its answers) differs
from it by more than the tolerance: then one of the two is wrong, and points are judged by the service's. Of
the last few answers the one that agrees best with this machine counts: one wrong node of a service, or one
old answer of a proxy, is no reason to doubt everything.
Between answers time passes on the monotonic clock: a wall clock that jumps makes no point a wrong one.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

import httpx

from api_client.plausible import END

TOLERANCE: Final = timedelta(minutes=2)
"""A sensor's or a service's clock may be ahead by this much."""
_ANSWERS: Final = 5
"""So many answers must all disagree before this machine's clock is doubted."""
_LONGEST_AGE: Final = 9
"""Digits; a longer `Age` is ignored."""

_BEGINNING: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""No clock that was ever set shows an earlier time."""


class ServiceClock:
    """`now` gives this machine's wall clock, UTC; `monotonic` seconds."""

    def __init__(self, now: Callable[[], datetime], monotonic: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._monotonic = monotonic
        self._difference = timedelta()
        self._heard: tuple[datetime, float] | None = None
        self._dates: deque[tuple[datetime, float]] = deque(maxlen=_ANSWERS)

    @property
    def difference(self) -> timedelta:
        """By how much the service's clock is ahead of this machine's; zero within the tolerance."""
        return self._difference

    @property
    def present(self) -> datetime:
        """What time it is there, UTC."""
        return self._since(self._heard) if self._heard else self._now()

    @property
    def newest_possible(self) -> datetime:
        """The latest time at which a minute can have begun, UTC."""
        return self.present + TOLERANCE

    def heard(self, response: httpx.Response) -> None:
        """Take note of the time that an answer tells; one without a date tells none, nor does a failure:
        it may come from another machine.
        """
        if not response.is_success:
            return
        now, heard_at = self._now(), self._monotonic()
        date = http_date(response.headers.get("date", ""))
        if date:
            self._dates.append((date + age_of(response), heard_at))
        differences = [self._since(date_heard) - now for date_heard in self._dates]
        difference = min(differences, key=abs, default=timedelta())
        self._difference = difference if abs(difference) > TOLERANCE else timedelta()
        self._heard = now + self._difference, heard_at

    def _since(self, heard: tuple[datetime, float]) -> datetime:
        time_there, heard_at = heard
        return time_there + timedelta(seconds=self._monotonic() - heard_at)


def age_of(response: httpx.Response) -> timedelta:
    """For how long a proxy has kept an answer."""
    text = response.headers.get("age", "")
    is_meant = text.isascii() and text.isdigit() and len(text) <= _LONGEST_AGE
    return timedelta(seconds=int(text)) if is_meant else timedelta()


def http_date(text: str) -> datetime | None:
    """A date as HTTP headers tell it (RFC 9110, 5.6.7), UTC also where no zone is reported.

    None for what is no date of these centuries.
    """
    try:
        date = parsedate_to_datetime(text)
        moment = date.astimezone(UTC) if date.tzinfo else date.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
    return moment if _BEGINNING <= moment < END else None
