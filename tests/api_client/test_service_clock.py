from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest

from api_client.service_clock import TOLERANCE, ServiceClock

NOON = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)


def dated(text: str) -> httpx.Response:
    return httpx.Response(200, headers={"date": text})


@pytest.mark.parametrize("seconds", [0, 90, -90])
def test_small_differences_are_the_networks_and_nobodys_fault(seconds: int) -> None:
    clock = ServiceClock(lambda: NOON, lambda: 1000.0)
    clock.heard(dated(format_datetime(NOON + timedelta(seconds=seconds), usegmt=True)))
    assert clock.difference == timedelta()
    assert clock.newest_possible == NOON + TOLERANCE


@pytest.mark.parametrize("hours", [26, -3])
def test_a_service_with_another_clock_is_judged_by_its_own_until_they_agree(hours: int) -> None:
    clock, there = ServiceClock(lambda: NOON, lambda: 1000.0), NOON + timedelta(hours=hours)
    clock.heard(dated(format_datetime(there, usegmt=True)))
    assert clock.difference == timedelta(hours=hours)
    assert clock.newest_possible == there + TOLERANCE
    clock.heard(dated(format_datetime(NOON, usegmt=True)))
    assert clock.newest_possible == NOON + TOLERANCE


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "Mon, 99 Jun 2026 12:00:00 GMT",
        f"Mon, 01 Jun {'9' * 30} 12:00:00 GMT",
        "Fri, 31 Dec 9999 23:59:59 GMT",
        "Fri, 31 Dec 9999 23:59:59 -0500",
        "Thu, 01 Jan 1970 00:00:00 GMT",
    ],
)
def test_an_answer_without_a_date_that_can_be_meant_tells_nothing(text: str) -> None:
    clock = ServiceClock(lambda: NOON, lambda: 1000.0)
    clock.heard(dated(text))
    assert clock.newest_possible == NOON + TOLERANCE


def test_an_answer_of_one_wrong_node_is_no_reason_to_doubt_all() -> None:
    clock = ServiceClock(lambda: NOON, lambda: 1000.0)
    for hours in (0, -1, 0, 1, -1, -1):
        clock.heard(dated(format_datetime(NOON + timedelta(hours=hours), usegmt=True)))
        assert (clock.present, clock.difference) == (NOON, timedelta())


def test_a_service_whose_every_answer_tells_another_time_is_believed() -> None:
    clock, later = ServiceClock(lambda: NOON, lambda: 1000.0), NOON + timedelta(hours=1)
    clock.heard(dated(format_datetime(NOON, usegmt=True)))
    for _ in range(5):
        clock.heard(dated(format_datetime(later, usegmt=True)))
    assert (clock.present, clock.difference) == (later, timedelta(hours=1))


@pytest.mark.parametrize("status", [302, 429, 500, 503])
def test_a_failure_tells_no_time(status: int) -> None:
    clock = ServiceClock(lambda: NOON, lambda: 1000.0)
    hour_ago = format_datetime(NOON - timedelta(hours=1), usegmt=True)
    clock.heard(httpx.Response(status, headers={"date": hour_ago}))
    assert (clock.present, clock.difference) == (NOON, timedelta())


def test_an_answer_that_a_proxy_kept_tells_the_time_at_which_it_gave_it() -> None:
    hour_ago = format_datetime(NOON - timedelta(hours=1), usegmt=True)
    for age, present in (("3600", NOON), ("soon", NOON - timedelta(hours=1)), ("9" * 30, None)):
        clock = ServiceClock(lambda: NOON, lambda: 1000.0)
        clock.heard(httpx.Response(200, headers={"date": hour_ago, "age": age}))
        assert clock.present == (present or NOON - timedelta(hours=1))


def test_between_answers_a_wall_clock_that_jumps_changes_nothing() -> None:
    wall, monotonic = [NOON], [1000.0]
    clock = ServiceClock(lambda: wall[0], lambda: monotonic[0])
    clock.heard(dated(format_datetime(NOON, usegmt=True)))
    wall[0], monotonic[0] = NOON - timedelta(hours=5), 1060.0
    assert clock.present == NOON + timedelta(minutes=1)
    assert clock.newest_possible == NOON + timedelta(minutes=1) + TOLERANCE
    clock.heard(dated(format_datetime(NOON + timedelta(minutes=1), usegmt=True)))
    assert clock.newest_possible == NOON + timedelta(minutes=1) + TOLERANCE
    assert clock.difference == timedelta(hours=5, minutes=1)
