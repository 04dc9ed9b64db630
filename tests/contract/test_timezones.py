from __future__ import annotations

import pytest

from contract import timezone_names, zone_named


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
