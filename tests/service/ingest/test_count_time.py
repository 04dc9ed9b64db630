from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from contract.minutes import minute_number
from service.ingest.count_time import (
    CLOCK_SKEW,
    EARLIEST,
    CountTimeError,
    check_not_future,
    minute_at_most,
    read_count_time,
)

NOW = datetime(2025, 6, 3, 10, 20, 30, tzinfo=UTC)
SECOND = timedelta(seconds=1)


@pytest.mark.parametrize("text", ["1970-01-01T00:00:00Z", "2000-01-01T00:00:10Z", "2009-12-31T23:59:59Z"])
def test_count_of_a_clock_that_was_never_set_is_refused_with_both_times(text: str) -> None:
    with pytest.raises(CountTimeError) as refused:
        read_count_time(text)
    assert text[:10] in str(refused.value)
    assert "2010-01-01T00:00:00+00:00" in str(refused.value)


def test_first_instant_that_is_taken_depends_on_no_offset() -> None:
    assert read_count_time("2010-01-01T05:00:00+05:00") == EARLIEST
    with pytest.raises(CountTimeError):
        read_count_time("2010-01-01T04:59:59+05:00")


@pytest.mark.parametrize("ahead", [-SECOND, timedelta(0), SECOND, timedelta(seconds=50), CLOCK_SKEW])
def test_sensor_a_little_ahead_counts_for_the_present_minute(ahead: timedelta) -> None:
    assert minute_at_most(NOW + ahead, NOW) == minute_number(NOW)


def test_sensor_behind_counts_for_its_own_minute() -> None:
    assert minute_at_most(NOW - timedelta(hours=3), NOW) == minute_number(NOW) - 180


@pytest.mark.parametrize("ahead", [CLOCK_SKEW + SECOND, timedelta(days=10)])
def test_sensor_far_ahead_is_refused_with_both_times(ahead: timedelta) -> None:
    with pytest.raises(CountTimeError) as refused:
        minute_at_most(NOW + ahead, NOW)
    assert (NOW + ahead).isoformat() in str(refused.value)
    assert NOW.isoformat() in str(refused.value)


def test_counts_that_are_set_may_reach_into_the_present_minute_and_no_further() -> None:
    check_not_future(NOW.replace(second=59), NOW)
    with pytest.raises(CountTimeError, match=r"10:21:00\+00:00, .* 2025-06-03T10:20:30"):
        check_not_future(NOW.replace(minute=21, second=0), NOW)
