from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from components.tables.time_range import (
    NamedRange,
    TimeRange,
    absolute_range,
    aligned,
    allowed_granularities,
    named_range,
    published_until,
    time_text,
    usual_granularity,
)
from contract import Granularity, parse_instant

ZURICH = ZoneInfo("Europe/Zurich")
NOW = datetime(2026, 11, 21, 9, 7, 30, tzinfo=UTC)


def local(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZURICH)


def test_a_range_ends_where_publication_ends() -> None:
    assert published_until(NOW) == datetime(2026, 11, 21, 9, 6, tzinfo=UTC)


@pytest.mark.parametrize(
    ("named", "start", "end"),
    [
        (NamedRange.HOUR, "2026-11-21T09:06", "2026-11-21T10:06"),
        (NamedRange.TODAY, "2026-11-21T00:00", "2026-11-21T10:06"),
        (NamedRange.YESTERDAY, "2026-11-20T00:00", "2026-11-21T00:00"),
        (NamedRange.DAY, "2026-11-20T10:06", "2026-11-21T10:06"),
        (NamedRange.WEEK, "2026-11-14T10:06", "2026-11-21T10:06"),
        (NamedRange.FOUR_WEEKS, "2026-10-24T10:06", "2026-11-21T10:06"),
        (NamedRange.THREE_MONTHS, "2026-08-21T11:06", "2026-11-21T10:06"),
        (NamedRange.THIS_MONTH, "2026-11-01T00:00", "2026-11-21T10:06"),
        (NamedRange.LAST_MONTH, "2026-10-01T00:00", "2026-11-01T00:00"),
        (NamedRange.YEAR, "2025-11-21T10:06", "2026-11-21T10:06"),
    ],
)
def test_a_named_range_is_local_to_the_time_zone(named: NamedRange, start: str, end: str) -> None:
    assert named_range(named, NOW, ZURICH) == TimeRange(local(start), local(end))


def test_every_named_range_has_an_id_of_its_own() -> None:
    assert len({named.id for named in NamedRange}) == len(NamedRange)


@pytest.mark.parametrize(("date", "hours"), [("2025-03-31", 23), ("2025-10-27", 25)])
def test_yesterday_is_as_long_as_it_was(date: str, hours: int) -> None:
    found = named_range(NamedRange.YESTERDAY, local(f"{date}T12:00"), ZURICH)
    assert found.end - found.start == timedelta(hours=hours)


def test_a_range_given_by_dates_never_ends_after_what_is_published() -> None:
    found = absolute_range(datetime(2026, 11, 21), datetime(2027, 1, 1), NOW, ZURICH)  # noqa: DTZ001 - local
    assert found.end == published_until(NOW)


def test_the_last_24_hours_begin_with_a_whole_hour() -> None:
    found = aligned(named_range(NamedRange.DAY, NOW, ZURICH), Granularity.HOUR, ZURICH)
    assert found.start == local("2026-11-20T11:00")


def test_a_range_is_not_cut_by_more_than_a_quarter() -> None:
    day = named_range(NamedRange.DAY, NOW, ZURICH)
    assert aligned(day, Granularity.DAY, ZURICH) == day


@pytest.mark.parametrize("named", list(NamedRange))
def test_aligning_does_not_change_what_the_service_infers(named: NamedRange) -> None:
    """At no time of a year, the weeks in which the clocks change among them."""
    for hours in range(0, 366 * 24, 37):
        range_ = named_range(named, NOW + timedelta(hours=hours), ZURICH)
        usual = usual_granularity(range_)
        if not range_.is_empty:
            assert usual_granularity(aligned(range_, usual, ZURICH)) == usual, range_


@pytest.mark.parametrize(("named", "usual"), [(NamedRange.WEEK, "hour"), (NamedRange.THREE_MONTHS, "day")])
def test_a_range_keeps_its_buckets_when_the_clocks_go_back_in_it(named: NamedRange, usual: str) -> None:
    assert usual_granularity(named_range(named, local("2026-10-28T12:00"), ZURICH)) == usual


def test_minutes_are_offered_up_to_a_day() -> None:
    assert Granularity.MINUTE in allowed_granularities(named_range(NamedRange.DAY, NOW, ZURICH), ZURICH)
    week = allowed_granularities(named_range(NamedRange.WEEK, NOW, ZURICH), ZURICH)
    assert week == (Granularity.HOUR, Granularity.DAY, Granularity.MONTH)


@pytest.mark.parametrize("minutes", range(0, 240, 30))
def test_a_time_is_read_back_as_it_was_meant_on_the_night_the_clocks_go_back(minutes: int) -> None:
    instant = datetime(2025, 10, 25, 22, 30, tzinfo=UTC) + timedelta(minutes=minutes)
    now = datetime(2025, 10, 26, 6, 0, 20, tzinfo=UTC)
    read = parse_instant(time_text(instant, now, ZURICH), now=now, timezone=ZURICH)
    assert timedelta(0) <= instant - read < timedelta(minutes=1)
