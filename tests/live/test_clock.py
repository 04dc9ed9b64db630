from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest

from live.clock import SystemClock, clocks_apart, local_zone


def test_ages_are_measured_on_the_monotonic_clock_and_moments_named_in_utc() -> None:
    moment = SystemClock().now()
    assert abs(moment.monotonic - time.monotonic()) < 60
    assert abs((moment.wall - datetime.now(UTC)).total_seconds()) < 60
    assert moment.wall.tzinfo is UTC


@pytest.mark.parametrize(
    "name",
    [
        "",
        "Mars/Olympus",
        "../etc/passwd",
        "/etc/localtime",
        "a\0b",
        "Europe",
        "x" * 5000,
        "localtime",
        "Factory",
    ],
)
def test_a_zone_that_is_unknown_here_is_utc(name: str) -> None:
    assert local_zone(name).key == "Etc/UTC"


def test_a_known_zone_is_itself() -> None:
    assert local_zone("Asia/Kathmandu").key == "Asia/Kathmandu"


def test_clocks_that_disagree_are_told_in_minutes_or_hours() -> None:
    assert clocks_apart(timedelta()) == ""
    assert "5 min ahead of" in clocks_apart(timedelta(minutes=5))
    assert "24 h behind" in clocks_apart(timedelta(hours=-24))
