"""The two clocks: the monotonic one measures ages and waits, the wall clock names moments to people."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple, Protocol
from zoneinfo import ZoneInfo

from contract import DEFAULT_TIMEZONE, zone_named
from contract.minutes import MINUTE

_MINUTES_AT_MOST: Final = 120
"""What is longer is given in hours."""


class Moment(NamedTuple):
    monotonic: float
    """In seconds; never jumps. Every age and every wait is a difference of two of these."""
    wall: datetime
    """UTC; may jump. Only for naming a moment, never for measuring."""


class Clock(Protocol):
    def now(self) -> Moment: ...


class SystemClock:
    def now(self) -> Moment:
        return Moment(time.monotonic(), datetime.now(UTC))


def local_zone(name: str) -> ZoneInfo:
    """The zone of that name, UTC when this machine does not know it: a service may be ahead of its tzdata,
    and a midnight at the wrong hour is better than no value at all.
    """
    return zone_named(name) or ZoneInfo(DEFAULT_TIMEZONE)


def clocks_apart(difference: timedelta) -> str:
    """A sentence on a service's clock that is ahead by `difference`; empty while the clocks agree."""
    if not difference:
        return ""
    minutes = round(abs(difference) / MINUTE)
    span = f"{minutes} min" if minutes <= _MINUTES_AT_MOST else f"{round(minutes / 60)} h"
    direction = "ahead of" if difference > timedelta() else "behind"
    return f"The service's clock is {span} {direction} this machine's: one of them is wrong."
