from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.sensors.told_time import (
    identity_of,
    read_iso,
    read_milliseconds,
    read_seconds,
    read_seconds_or_milliseconds,
    read_utc,
)

READERS = (read_iso, read_utc, read_seconds, read_milliseconds, read_seconds_or_milliseconds)
IN_OUR_YEARS = st.datetimes(datetime(1970, 1, 2), datetime(2099, 12, 30), timezones=st.just(UTC))  # noqa: DTZ001


@given(IN_OUR_YEARS, st.integers(-840, 840))
def test_a_time_that_was_written_is_read_as_the_same_moment(moment: datetime, minutes: int) -> None:
    there = moment.astimezone(timezone(timedelta(minutes=minutes)))
    assert read_iso(there.isoformat()) == moment
    assert identity_of(read_iso(there.isoformat())) == identity_of(moment)


@given(IN_OUR_YEARS)
def test_seconds_and_milliseconds_are_told_apart_by_their_size(moment: datetime) -> None:
    second = moment.replace(microsecond=0)
    seconds = round(second.timestamp())
    assert read_seconds(seconds) == read_seconds(str(seconds)) == second
    assert read_milliseconds(seconds * 1000) == second
    assert read_seconds_or_milliseconds(seconds) == second
    if seconds * 1000 >= 10**11:
        assert read_seconds_or_milliseconds(seconds * 1000) == second


@pytest.mark.parametrize(
    ("text", "hour"),
    [("2026-03-28T09:00Z", 9), ("2026-03-28t09:00:00.5z", 9), ("2026-03-28 10:00:00,25+01", 9)],
)
def test_what_iso_8601_leaves_open_is_read(text: str, hour: int) -> None:
    assert read_iso(text).astimezone(UTC).hour == hour


def test_a_time_without_an_offset_stays_without_one() -> None:
    assert read_iso("2026-03-28T09:00:00").tzinfo is None
    assert read_utc("2026-03-28T09:00:00") == datetime(2026, 3, 28, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    "value",
    [
        *("", "2026-03-28", "2026-W13-6T09:00:00Z", "2026-02-30T09:00:00Z", "٢026-03-28T09:00:00Z"),
        *("0001-01-01T00:00:00+14:00", "2100-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "1e12"),
        *(None, True, float("nan"), float("inf"), -1, 10**400, "9" * 400, [], {}, 1e300),
    ],
)
@pytest.mark.parametrize("read", READERS)
def test_what_is_no_time_of_ours_is_refused(read: object, value: object) -> None:
    assert callable(read)
    with pytest.raises(ValueError, match="Input"):
        read(value)
