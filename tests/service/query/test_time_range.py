from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract import ErrorCode, ErrorEntry, Granularity
from contract.minutes import minute_ceiling
from service.query.metrics_body import MetricsBody
from service.query.time_range import TimeRange, published, read_time_range, read_timezone

NOW = datetime(2025, 6, 3, 10, 20, 30, tzinfo=UTC)
ZURICH = ZoneInfo("Europe/Zurich")
MINUTE = timedelta(minutes=1)


def read(fields: dict[str, Any], timezone: ZoneInfo = ZURICH) -> tuple[TimeRange | None, list[str]]:
    problems: list[ErrorEntry] = []
    asked = read_time_range(MetricsBody.model_validate(fields), timezone, NOW, problems)
    return asked, [problem.code for problem in problems]


def test_a_range_holds_the_minutes_that_begin_in_it() -> None:
    asked, _ = read({"from": "2025-06-03T09:00:30", "to": "2025-06-03 09:05:01"})
    assert asked is not None
    assert asked.start == datetime(2025, 6, 3, 7, 1, tzinfo=UTC)
    assert asked.end == datetime(2025, 6, 3, 7, 6, tzinfo=UTC)


def test_times_are_required_unless_live() -> None:
    assert read({}) == (None, [ErrorCode.INVALID_TIME_FILTER])
    assert read({"live": True}) == (None, [])


def test_a_range_that_ends_before_it_begins_is_refused() -> None:
    assert read({"from": "now", "to": "1 second ago"}) == (None, [ErrorCode.INVALID_TIME_RANGE])


def test_range_that_is_reversed_by_a_skipped_hour_is_told_why() -> None:
    problems: list[ErrorEntry] = []
    fields = {"from": "2025-03-30T02:30:00", "to": "2025-03-30T03:00:00"}
    assert read_time_range(MetricsBody.model_validate(fields), ZURICH, NOW, problems) is None
    [problem] = problems
    assert problem.code == ErrorCode.INVALID_TIME_RANGE
    assert problem.details == {
        "from": "lies after `to`: the clocks of Europe/Zurich skip 2025-03-30T02:30:00, "
        "which is read as 2025-03-30T03:30:00"
    }


def test_range_of_which_both_ends_are_skipped_is_read_an_hour_later() -> None:
    asked, problems = read({"from": "2025-03-30T02:10:00", "to": "2025-03-30T02:50:00"})
    assert problems == []
    assert asked is not None
    assert asked.start == datetime(2025, 3, 30, 1, 10, tzinfo=UTC)
    assert asked.end == datetime(2025, 3, 30, 1, 50, tzinfo=UTC)


def test_a_range_of_no_length_is_empty() -> None:
    asked, problems = read({"from": "2 hours ago", "to": "2 hours ago"})
    assert problems == []
    assert asked is not None
    assert asked.start == asked.end


@pytest.mark.parametrize(
    ("start", "granularity"),
    [("6 hours ago", "minute"), ("7 days ago", "hour"), ("92 days ago", "day"), ("93 days ago", "month")],
)
def test_granularity_is_inferred_from_the_length(start: str, granularity: str) -> None:
    asked, _ = read({"from": start, "to": "now"}, ZoneInfo("Etc/UTC"))
    assert asked is not None
    assert asked.granularity == granularity


def test_minutes_are_for_a_day_of_25_hours_too() -> None:
    fall_back = {"from": "2025-10-26T00:00:00", "to": "2025-10-27T00:00:00", "granularity": "minute"}
    assert read(fall_back)[1] == []
    one_second_more = fall_back | {"to": "2025-10-27T00:00:01"}
    assert read(one_second_more)[1] == [ErrorCode.RANGE_TOO_LONG]


def test_more_buckets_than_one_answer_may_have_are_refused() -> None:
    assert read({"from": "5 years ago", "to": "now", "granularity": "hour"})[1] == []
    assert read({"from": "6 years ago", "to": "now", "granularity": "hour"})[1] == [ErrorCode.RANGE_TOO_LONG]


def test_a_range_from_the_beginning_of_the_calendar_is_read_from_the_epoch() -> None:
    asked, problems = read({"from": "0001-01-02T00:00:00", "to": "now"})
    assert problems == []
    assert asked is not None
    assert asked.start == datetime(1970, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("granularity", ["minute", "hour", "day", "month"])
@pytest.mark.parametrize("timezone", ["Etc/UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_the_ends_of_the_calendar_can_be_asked_for(timezone: str, granularity: str) -> None:
    for start, end in (("0001-01-02T00:00:00", "now"), ("9999-12-30T00:00:00", "9999-12-30T23:59:59")):
        _, problems = read({"from": start, "to": end, "granularity": granularity}, ZoneInfo(timezone))
        assert set(problems) <= {ErrorCode.RANGE_TOO_LONG}


@given(now=st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001
def test_a_range_that_starts_a_minute_ago_is_always_empty(now: datetime) -> None:
    asked = TimeRange(minute_ceiling(now - MINUTE), minute_ceiling(now), Granularity.MINUTE)
    assert published(asked, now).end <= asked.start


def test_a_minute_is_published_once_it_ended_a_moment_ago() -> None:
    asked = TimeRange(datetime(2025, 6, 3, tzinfo=UTC), datetime(2025, 6, 4, tzinfo=UTC), Granularity.MINUTE)
    assert published(asked, NOW).end == datetime(2025, 6, 3, 10, 20, tzinfo=UTC)
    full_minute = NOW.replace(second=0)
    assert published(asked, full_minute).end == datetime(2025, 6, 3, 10, 19, tzinfo=UTC)
    assert published(asked, full_minute + timedelta(microseconds=1)).end == full_minute


def test_a_range_in_the_past_is_read_whole() -> None:
    asked = TimeRange(NOW - 5 * MINUTE, NOW - 3 * MINUTE, Granularity.MINUTE)
    assert published(asked, NOW) == asked


@pytest.mark.parametrize(
    "name",
    [
        "Mars/Olympus",
        "",
        "../../etc/passwd",
        "/usr/share/zoneinfo/UTC",
        "europe/zurich",
        "Europe",
        "localtime",
        "Factory",
        "posixrules",
        "posix/Europe/Zurich",
        "tzdata.zi",
        "Europe/Zurich\0",
        "Z" * 5000,
    ],
)
def test_only_listed_time_zones_are_read(name: str) -> None:
    problems: list[ErrorEntry] = []
    assert read_timezone(name, problems) is None
    assert [problem.code for problem in problems] == [ErrorCode.UNKNOWN_TIMEZONE]


@pytest.mark.parametrize("timezone", ["Etc/UTC", "Europe/Zurich", "America/New_York", "Pacific/Kiritimati"])
def test_open_ends_are_read_alike_in_every_time_zone(timezone: str) -> None:
    for start, end in (("0001-01-01T00:00:00", "now"), ("2025-01-01T00:00:00", "9999-12-31T23:59:59")):
        asked, problems = read({"from": start, "to": end, "granularity": "month"}, ZoneInfo(timezone))
        assert problems == []
        assert asked is not None
        assert asked.start <= NOW <= asked.end
