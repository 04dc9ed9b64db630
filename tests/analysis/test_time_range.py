from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from analysis.time_range import (
    TimeRange,
    allowed_granularities,
    asked_granularity,
    counted_part,
    range_of_dates,
    time_text,
    usual_granularity,
)
from contract import Granularity, parse_instant
from contract.minutes import published_until

ZURICH = ZoneInfo("Europe/Zurich")
NOW = datetime(2026, 11, 21, 9, 7, 30, tzinfo=UTC)


def local(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZURICH).astimezone(UTC)


def test_a_range_given_by_dates_is_counted_up_to_what_is_published() -> None:
    asked = range_of_dates(datetime(2026, 11, 21), datetime(2027, 1, 1), ZURICH)  # noqa: DTZ001 - local
    assert asked.end == local("2027-01-01T00:00")
    assert counted_part(asked, NOW) == TimeRange(local("2026-11-21T00:00"), published_until(NOW))


@pytest.mark.parametrize(
    ("first", "last", "usual"),
    [
        ("2026-11-20T10:06", "2026-11-21T10:06", "hour"),
        ("2025-10-20T00:00", "2025-10-27T00:00", "hour"),
        ("2025-08-01T12:00", "2025-11-01T12:00", "day"),
        ("2025-03-24T00:00", "2025-03-31T00:00", "hour"),
    ],
)
def test_usual_granularity_follows_the_local_clock(first: str, last: str, usual: str) -> None:
    range_ = TimeRange(local(first), local(last))
    assert usual_granularity(range_, ZURICH) == usual


def test_granularity_is_asked_for_only_where_the_service_would_infer_another() -> None:
    week = TimeRange(local("2025-10-13T00:00"), local("2025-10-20T00:00"))
    clocks_go_back = TimeRange(local("2025-10-20T00:00"), local("2025-10-27T00:00"))
    assert asked_granularity(week, ZURICH, None) is None
    assert asked_granularity(clocks_go_back, ZURICH, None) is Granularity.HOUR
    assert asked_granularity(week, ZURICH, Granularity.DAY) is Granularity.DAY


def test_minutes_are_offered_up_to_a_day() -> None:
    day = TimeRange(NOW - timedelta(days=1), NOW)
    week = TimeRange(NOW - timedelta(days=7), NOW)
    assert Granularity.MINUTE in allowed_granularities(day, ZURICH)
    assert allowed_granularities(week, ZURICH) == (Granularity.HOUR, Granularity.DAY, Granularity.MONTH)


@pytest.mark.parametrize("minutes", range(0, 240, 30))
def test_a_time_is_read_back_as_it_was_meant_on_the_night_the_clocks_go_back(minutes: int) -> None:
    instant = datetime(2025, 10, 25, 22, 30, tzinfo=UTC) + timedelta(minutes=minutes)
    now = datetime(2025, 10, 26, 6, 0, 20, tzinfo=UTC)
    read = parse_instant(time_text(instant, now, ZURICH), now=now, timezone=ZURICH)
    assert timedelta(0) <= instant - read < timedelta(minutes=1)
