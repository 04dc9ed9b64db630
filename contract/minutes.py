"""Whole minutes: floor and ceiling of an instant, the number of a minute, how far counts are published.

A minute is named by its first instant, in UTC, or by its number: whole minutes since 1970-01-01 00:00 UTC.
Every instant is aware; a moment of the local clock, without an offset, has no minute of UTC.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from contract.vocabulary import PUBLICATION_DELAY

MINUTE: Final = timedelta(minutes=1)
MINUTES_A_DAY: Final = 24 * 60
"""Of a day on which the clocks are not changed."""
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def minute_floor(instant: datetime) -> datetime:
    """Start of the minute that holds `instant`, in UTC."""
    return instant.astimezone(UTC).replace(second=0, microsecond=0)


def minute_ceiling(instant: datetime) -> datetime:
    """The first whole minute at or after `instant`, in UTC."""
    floor = minute_floor(instant)
    return floor if floor == instant else floor + MINUTE


def minute_number(instant: datetime) -> int:
    """Number of the minute that holds `instant`."""
    return (instant - EPOCH) // MINUTE


def minute_start(number: int) -> datetime:
    """First instant of a minute, in UTC: `minute_number` the other way."""
    return datetime.fromtimestamp(60 * number, UTC)


def published_until(now: datetime) -> datetime:
    """End of the minutes that are surely published at `now`, in UTC: younger ones would only look missing.

    To the minute below, which a reader can rely on; what a service may answer, it rounds to the one above.
    """
    return minute_floor(now - PUBLICATION_DELAY)
