from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from analysis.time_range import (
    NamedRange,
    TimeRange,
    counted_part,
    has_moved_on,
    named_range,
    range_of_dates,
    range_of_days,
    range_of_id,
    time_text,
    whole_day,
)
from contract import parse_instant
from contract.minutes import published_until

ZURICH = ZoneInfo("Europe/Zurich")
NOW = datetime(2026, 11, 21, 9, 7, 30, tzinfo=UTC)


def local(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZURICH).astimezone(UTC)


def test_a_range_given_by_dates_is_counted_up_to_what_is_published() -> None:
    asked = range_of_dates(datetime(2026, 11, 21), datetime(2027, 1, 1), ZURICH)  # noqa: DTZ001 - local
    assert asked.end == local("2027-01-01T00:00")
    assert counted_part(asked, NOW) == TimeRange(local("2026-11-21T00:00"), published_until(NOW))


@pytest.mark.parametrize("minutes", range(0, 240, 30))
def test_a_time_is_read_back_as_it_was_meant_on_the_night_the_clocks_go_back(minutes: int) -> None:
    instant = datetime(2025, 10, 25, 22, 30, tzinfo=UTC) + timedelta(minutes=minutes)
    now = datetime(2025, 10, 26, 6, 0, 20, tzinfo=UTC)
    read = parse_instant(time_text(instant, now, ZURICH), now=now, timezone=ZURICH)
    assert timedelta(0) <= instant - read < timedelta(minutes=1)


@pytest.mark.parametrize(
    ("named", "start", "end"),
    [
        (NamedRange.HOUR, "2026-11-21T09:06", "2026-11-21T10:06"),
        (NamedRange.TODAY, "2026-11-21T00:00", "2026-11-21T10:06"),
        (NamedRange.YESTERDAY, "2026-11-20T00:00", "2026-11-21T00:00"),
        (NamedRange.DAY, "2026-11-20T10:06", "2026-11-21T10:06"),
        (NamedRange.SEVEN_DAYS, "2026-11-14T10:06", "2026-11-21T10:06"),
        (NamedRange.THIRTY_DAYS, "2026-10-22T10:06", "2026-11-21T10:06"),
        (NamedRange.THIS_WEEK, "2026-11-16T00:00", "2026-11-21T10:06"),
        (NamedRange.LAST_WEEK, "2026-11-09T00:00", "2026-11-16T00:00"),
        (NamedRange.FOUR_WEEKS, "2026-10-24T10:06", "2026-11-21T10:06"),
        (NamedRange.THREE_MONTHS, "2026-08-21T10:06", "2026-11-21T10:06"),
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


def test_a_week_begins_on_monday_for_every_viewer() -> None:
    this, last = (named_range(one, NOW, ZURICH) for one in (NamedRange.THIS_WEEK, NamedRange.LAST_WEEK))
    assert this.start == last.end == local("2026-11-16T00:00")
    assert last.end - last.start == timedelta(days=7)


@pytest.mark.parametrize(("sunday", "hours"), [("2025-03-30", 167), ("2025-10-26", 169)])
def test_a_week_in_which_the_clocks_change_is_whole(sunday: str, hours: int) -> None:
    monday_after = local(f"{sunday}T12:00") + timedelta(days=1)
    for named in (NamedRange.LAST_WEEK, NamedRange.SEVEN_DAYS):
        found = named_range(named, monday_after, ZURICH)
        assert found.end - found.start == timedelta(hours=hours)


@pytest.mark.parametrize("named", list(NamedRange))
def test_a_named_range_holds_or_ends_before_the_present(named: NamedRange) -> None:
    """At no time of a year does it reach beyond now, nor begin after it ends."""
    for hours in range(0, 366 * 24, 61):
        now = NOW + timedelta(hours=hours)
        found = named_range(named, now, ZURICH)
        assert found.start < found.end <= now


@pytest.mark.parametrize(
    ("zone", "day", "start", "hours"),
    [
        ("Europe/Zurich", "2025-10-26", "2025-10-25T22:00", 25),
        ("Europe/Zurich", "2025-03-30", "2025-03-29T23:00", 23),
        ("Asia/Kathmandu", "2025-07-01", "2025-06-30T18:15", 24),
        ("Australia/Lord_Howe", "2025-04-06", "2025-04-05T13:00", 24.5),
        ("America/Santiago", "2025-09-07", "2025-09-07T04:00", 23),  # its midnight is skipped
    ],
)
def test_a_whole_day_is_from_midnight_to_midnight(zone: str, day: str, start: str, hours: float) -> None:
    begins = datetime.fromisoformat(start).replace(tzinfo=UTC)
    found = whole_day(date.fromisoformat(day), ZoneInfo(zone))
    assert found == (begins, begins + timedelta(hours=hours))


def test_days_from_the_first_to_the_one_after_the_last_are_a_range() -> None:
    found = range_of_days(date(2025, 10, 25), date(2025, 10, 27), ZoneInfo("Europe/Zurich"))
    assert found == (datetime(2025, 10, 24, 22, tzinfo=UTC), datetime(2025, 10, 26, 23, tzinfo=UTC))


def test_a_link_finds_its_range() -> None:
    assert [range_of_id(one.id) for one in NamedRange] == list(NamedRange)
    assert range_of_id("dates") is None
    assert range_of_id(None) is None


@pytest.mark.parametrize("named", [NamedRange.TODAY, NamedRange.YESTERDAY, NamedRange.THIS_WEEK])
def test_a_range_of_whole_days_moves_on_once_a_minute_of_the_new_one_is_counted(named: NamedRange) -> None:
    sunday = local("2026-11-22T23:59")
    asked = named_range(named, sunday, ZURICH)
    minutes = [sunday + timedelta(minutes=late) for late in range(10)]
    moved = [now for now in minutes if has_moved_on(named, asked, now, ZURICH)]
    assert not any(named_range(named, now, ZURICH).is_empty for now in moved)
    assert len(moved) > 5
    read_anew = named_range(named, moved[0], ZURICH)
    assert not any(has_moved_on(named, read_anew, now, ZURICH) for now in moved)


def test_a_day_that_was_read_before_its_first_minute_moves_on_with_it() -> None:
    midnight = local("2026-11-22T00:00")
    asked = named_range(NamedRange.TODAY, midnight, ZURICH)
    assert not has_moved_on(NamedRange.TODAY, asked, midnight + timedelta(seconds=30), ZURICH)
    assert has_moved_on(NamedRange.TODAY, asked, midnight + timedelta(minutes=5), ZURICH)


@pytest.mark.parametrize("named", [NamedRange.HOUR, NamedRange.DAY, NamedRange.SEVEN_DAYS, NamedRange.YEAR])
def test_a_range_that_moves_on_by_the_minute_is_left_as_it_was_read(named: NamedRange) -> None:
    asked = named_range(named, NOW, ZURICH)
    assert not has_moved_on(named, asked, NOW + timedelta(days=2), ZURICH)
