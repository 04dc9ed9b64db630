from __future__ import annotations

import contextlib
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract import TimeExpressionError, format_local, parse_instant, timezone_names, zone_named

ZURICH = ZoneInfo("Europe/Zurich")
NOON = datetime(2025, 7, 31, 12, 0, 30, tzinfo=UTC)


def parsed(expression: str, *, now: datetime = NOON, zone: ZoneInfo = ZURICH) -> datetime:
    return parse_instant(expression, now=now, timezone=zone)


@pytest.mark.parametrize(
    ("expression", "before"),
    [
        ("now", timedelta()),
        ("1 second ago", timedelta(seconds=1)),
        ("90 seconds ago", timedelta(seconds=90)),
        ("5 minutes ago", timedelta(minutes=5)),
        ("5 minute ago", timedelta(minutes=5)),
        ("26 hours ago", timedelta(hours=26)),
        ("1 day ago", timedelta(days=1)),
        ("2 weeks ago", timedelta(days=14)),
    ],
)
def test_relative_expressions_count_back_from_now(expression: str, before: timedelta) -> None:
    assert parsed(expression) == NOON - before


def test_a_month_ago_is_a_calendar_step_that_stops_at_the_end_of_a_shorter_month() -> None:
    assert parsed("1 month ago") == NOON.replace(month=6, day=30)


def test_a_year_ago_is_the_same_wall_clock_time() -> None:
    assert parsed("1 year ago") == NOON.replace(year=2024)


def test_a_day_ago_is_the_same_wall_clock_time_also_when_the_clocks_changed() -> None:
    now = datetime(2025, 10, 26, 18, 0, tzinfo=ZURICH)
    assert now.astimezone(UTC) - parsed("1 day ago", now=now) == timedelta(hours=25)
    assert now.astimezone(UTC) - parsed("24 hours ago", now=now) == timedelta(hours=24)


@pytest.mark.parametrize("expression", ["2025-07-31T14:00:30", "2025-07-31 14:00:30"])
def test_an_absolute_time_is_local_to_the_time_zone(expression: str) -> None:
    assert parsed(expression) == NOON


def test_a_time_that_occurs_twice_is_the_first_of_the_two() -> None:
    assert parsed("2025-10-26T02:30:00") == datetime(2025, 10, 26, 0, 30, tzinfo=UTC)


def test_a_time_that_the_clocks_skip_is_read_with_the_offset_before() -> None:
    assert parsed("2025-03-30T02:30:00") == datetime(2025, 3, 30, 1, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "Now",
        "now ",
        "tomorrow",
        "5 minutes",
        "-5 minutes ago",
        "5  minutes ago",
        "five minutes ago",
        "5 fortnights ago",
        "٥ minutes ago",
        "1.5 hours ago",
        "2025-07-31",
        "2025-07-31T14:00",
        "2025-07-31T14:00:30Z",
        "2025-07-31T14:00:30+02:00",
        "2025-07-31T14:00:30.5",
        "2025-02-30T10:00:00",
        "2025-07-31T24:00:01",
        "1753970430",
        "999999999 years ago",
        "999999999 hours ago ",
        "0001-01-01T00:00:00\n",
    ],
)
def test_anything_else_is_refused_with_a_reason(expression: str) -> None:
    with pytest.raises(TimeExpressionError, match=r"\w"):
        parsed(expression)


@given(st.text(max_size=40))
def test_no_text_does_anything_but_parse_or_be_refused(text: str) -> None:
    with contextlib.suppress(TimeExpressionError):
        assert parsed(text).tzinfo is UTC


@given(st.datetimes(datetime(1990, 1, 1), datetime(2037, 1, 1)))  # noqa: DTZ001  # local on purpose
def test_the_absolute_form_reads_back_as_the_instant_it_was_made_from(local: datetime) -> None:
    instant = local.replace(microsecond=0, tzinfo=UTC)
    text = format_local(instant, ZoneInfo("Asia/Kathmandu"))
    assert parsed(text, zone=ZoneInfo("Asia/Kathmandu")) == instant


@pytest.mark.parametrize("name", ["Europe/Zurich", "Asia/Kathmandu", "Etc/UTC"])
def test_a_name_of_a_time_zone_is_that_zone(name: str) -> None:
    zone = zone_named(name)
    assert zone is not None
    assert zone.key == name


@pytest.mark.parametrize(
    "name",
    [
        *("", "Mars/Olympus", "Europe", "../etc/passwd", "/etc/localtime", "a\0b", "x" * 5000),
        *("localtime", "Factory", "posixrules", "posix/Europe/Zurich", "right/Europe/Zurich"),
    ],
)
def test_what_names_no_place_is_no_time_zone(name: str) -> None:
    assert zone_named(name) is None
    assert name not in timezone_names()
