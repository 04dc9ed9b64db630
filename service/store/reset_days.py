"""Reset days: from one daily reset of visitorsInside to the next, at a site-local hour."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from contract.buckets import offset_pieces
from contract.minutes import minute_ceiling, minute_number, minute_start


def reset_minutes(first: int, last: int, timezone: ZoneInfo, reset_hour: int) -> list[int]:
    """Resets in order, from the last at or before minute `first` to the first after minute `last`.

    An hour that the clocks skip resets at the change; one that they repeat resets the first time.
    """
    day = _local_day(first, timezone)
    # The hour of the date itself may be still to come, or the change of offset may move it past `first`.
    resets = list(_resets_from(day - timedelta(days=2), last, timezone, reset_hour))
    past = max(index for index, minute in enumerate(resets) if minute <= first)
    return resets[past:]


def _resets_from(day: datetime, last: int, timezone: ZoneInfo, reset_hour: int) -> Iterator[int]:
    minute = None
    while minute is None or minute <= last:
        minute = _reset_minute(day.year, day.month, day.day, timezone, reset_hour)
        yield minute
        day += timedelta(days=1)


@lru_cache(maxsize=20_000)
def _reset_minute(year: int, month: int, day: int, timezone: ZoneInfo, reset_hour: int) -> int:
    local = datetime(year, month, day, reset_hour, tzinfo=timezone)
    reset = local.astimezone(UTC)
    if reset.astimezone(timezone).hour != reset_hour:
        # Skipped: read with the offset before the change, it lies at the change or later.
        reset = offset_pieces(reset - timedelta(days=1), reset, timezone)[0].end
    return minute_number(minute_ceiling(reset))


def _local_day(minute: int, timezone: ZoneInfo) -> datetime:
    return minute_start(minute).astimezone(timezone).replace(hour=0, minute=0, second=0, tzinfo=UTC)
