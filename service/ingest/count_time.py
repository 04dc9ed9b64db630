"""The times that counts carry: ISO 8601 with an offset, not before 2010 and not in the future.

A device whose clock stopped or was never set sends 1970, 2000 or the day it was made; a count there would be
in no chart that anybody looks at, and lost.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

from contract.minutes import minute_number

CLOCK_SKEW: Final = timedelta(minutes=1)
"""How far a sensor's clock may run ahead."""

EARLIEST: Final = datetime(2010, 1, 1, tzinfo=UTC)
"""Counts of before come from a clock that is wrong."""

LARGEST_COUNT: Final = 1_000_000
"""People through one passage in one interval: more is a broken sensor."""

_LOCAL: Final = r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}([.,]\d{1,6})?)?"
_ISO_8601: Final = re.compile(_LOCAL + r"(Z|[+-]\d{2}(:?\d{2})?)", re.ASCII)
_WITHOUT_OFFSET: Final = re.compile(_LOCAL, re.ASCII)


class CountTimeError(ValueError):
    """The text is not a time at which something can have been counted; the message says why."""


@lru_cache(maxsize=4096)
def read_count_time(text: str) -> datetime:
    """The instant in UTC; whether it lies in the future is said by `minute_at_most` and `check_not_future`.

    Raises CountTimeError. Remembers the last texts: in a file, many rows share one.
    """
    if _WITHOUT_OFFSET.fullmatch(text):
        raise CountTimeError(
            "is a local time: add its offset from UTC, as 2025-03-30T01:00:00+01:00, or Z for UTC"
        )
    if not _ISO_8601.fullmatch(text):
        raise CountTimeError("is not ISO 8601 with an offset, as 2025-03-30T01:00:00+01:00")
    try:
        instant = datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise CountTimeError("is not a date of the calendar") from error
    if instant < EARLIEST:
        raise CountTimeError(
            f"is {_printed(instant)}, before {_printed(EARLIEST)}: the clock it comes from is wrong"
        )
    return instant


def minute_at_most(instant: datetime, now: datetime) -> int:
    """The minute to which a count of `instant` is added: nothing is counted in a minute that has not begun.

    A clock that runs ahead by up to `CLOCK_SKEW` counts for the present minute. Raises CountTimeError beyond.
    """
    if instant > now + CLOCK_SKEW:
        raise CountTimeError(_in_the_future(instant, now))
    return minute_number(min(instant, now))


def check_not_future(instant: datetime, now: datetime) -> None:
    """Raises CountTimeError when the minute of `instant` has not begun.

    For counts that are set: moved to the present minute, they would be others when they are set again.
    """
    if minute_number(instant) > minute_number(now):
        raise CountTimeError(_in_the_future(instant, now))


def check_passed(start: datetime, minutes: int, now: datetime) -> None:
    """Raises CountTimeError unless all of the minutes from `start` on have begun; see `check_not_future`."""
    check_not_future(start, now)
    last = start + timedelta(minutes=minutes - 1)
    if minute_number(last) > minute_number(now):
        raise CountTimeError(
            f"begins an interval whose {minutes} minutes have not passed: the last is {_printed(last)},"
            f" and it is {_printed(now)} here"
        )


def _in_the_future(instant: datetime, now: datetime) -> str:
    return f"lies in the future: {_printed(instant)}, when it is {_printed(now)} here"


def _printed(instant: datetime) -> str:
    return instant.astimezone(UTC).isoformat(timespec="seconds")
