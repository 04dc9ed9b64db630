from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from contract.minutes import minute_ceiling, minute_floor, minute_number, minute_start, published_until

WHOLE = datetime(2026, 11, 21, 9, 7, tzinfo=UTC)
WITHIN = WHOLE + timedelta(seconds=30, microseconds=1)


def test_floor_and_ceiling_are_a_minute_apart_but_of_a_whole_minute() -> None:
    assert (minute_floor(WITHIN), minute_ceiling(WITHIN)) == (WHOLE, WHOLE + timedelta(minutes=1))
    assert minute_floor(WHOLE) == minute_ceiling(WHOLE) == WHOLE


@pytest.mark.parametrize("zone", ["Europe/Zurich", "Asia/Kathmandu"])
def test_minutes_are_told_in_utc_whatever_the_offset_of_the_instant(zone: str) -> None:
    local = WITHIN.astimezone(ZoneInfo(zone))
    assert minute_floor(local).isoformat() == WHOLE.isoformat()
    assert minute_ceiling(local).tzinfo is UTC
    assert minute_number(local) == minute_number(WHOLE)


@pytest.mark.parametrize("instant", [WHOLE, datetime(1969, 12, 31, 23, 58, tzinfo=UTC)])
def test_a_minute_has_one_number(instant: datetime) -> None:
    assert minute_start(minute_number(instant)) == instant
    assert minute_start(minute_number(instant + timedelta(seconds=59))) == instant


def test_a_minute_is_surely_published_once_it_ended_a_minute_ago() -> None:
    assert published_until(WITHIN) == WHOLE - timedelta(minutes=1)
    assert published_until(WHOLE) == WHOLE - timedelta(minutes=1)
