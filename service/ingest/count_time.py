"""The times that counts carry: ISO 8601 with an offset, not in the future."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

CLOCK_SKEW: Final = timedelta(minutes=1)
"""How far a sensor's clock may run ahead."""

LARGEST_COUNT: Final = 1_000_000
"""People through one passage in one interval: more is a broken sensor."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_ISO_8601: Final = re.compile(
    r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}([.,]\d{1,6})?)?(Z|[+-]\d{2}(:?\d{2})?)", re.ASCII
)


class CountTimeError(ValueError):
    """The text is not a time at which something can have been counted; the message says why."""


@lru_cache(maxsize=4096)
def read_count_time(text: str) -> datetime:
    """The instant in UTC. Whether it lies in the future is `check_not_future`'s to say.

    Raises CountTimeError. Remembers the last texts: in a file, many rows share one.
    """
    if not _ISO_8601.fullmatch(text):
        raise CountTimeError("is not ISO 8601 with an offset, as 2025-03-30T01:00:00+01:00")
    try:
        instant = datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise CountTimeError("is not a date of the calendar") from error
    if instant < _EPOCH:
        raise CountTimeError("is before 1970")
    return instant


def check_not_future(instant: datetime, now: datetime) -> None:
    """Raises CountTimeError when `instant` is later than `now` by more than a clock may be wrong."""
    if instant > now + CLOCK_SKEW:
        raise CountTimeError("lies in the future")


def minute_of(instant: datetime) -> int:
    """Minutes since the epoch; seconds inside the minute do not matter."""
    return (instant - _EPOCH) // timedelta(minutes=1)
