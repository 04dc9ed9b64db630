from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from components.number_format import NOT_TOLD, Formats, formats_of

EVENING = datetime(2026, 11, 21, 17, 40, 17, tzinfo=ZoneInfo("Europe/Zurich"))


@pytest.mark.parametrize(
    ("tag", "number", "time", "separators"),
    [
        ("en-GB", "1,234,567.9", "17:40", ".,"),
        ("de-CH", "1’234’567.9", "17:40", ".’"),
        ("fr", "1\u202f234\u202f567,9", "17:40", ",\u202f"),
        ("en-US", "1,234,567.9", "5:40\u202fPM", ".,"),
    ],
)
def test_numbers_and_times_follow_the_locale(tag: str, number: str, time: str, separators: str) -> None:
    formats = formats_of(tag)
    assert formats.number(1234567.89, 1) == number
    assert formats.time(EVENING) == time
    assert formats.separators == separators


@pytest.mark.parametrize("tag", [None, "", "xx-YY", "C", "not a tag", "\x00"])
def test_an_unknown_locale_reads_british_english(tag: str | None) -> None:
    assert formats_of(tag) == Formats()


def test_a_moment_is_printed_in_the_zone_it_carries() -> None:
    assert Formats().moment(EVENING) == "21 Nov 2026, 17:40"
    assert Formats().date(EVENING) == "Sat 21 Nov 2026"
    assert Formats().month(EVENING) == "November 2026"


def test_what_is_not_told_is_not_zero() -> None:
    formats = Formats()
    assert {formats.number(None), formats.percent(None), formats.duration(None)} == {NOT_TOLD}


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0, "0 s"), (59, "59 s"), (60, "1 min"), (3599, "1 h 00 min"), (7500, "2 h 05 min")],
)
def test_a_duration_has_the_unit_that_fits(seconds: float, said: str) -> None:
    assert Formats().duration(seconds) == said


def test_only_some_locales_count_hours_to_twelve() -> None:
    assert formats_of("en-US").twelve_hours
    assert not formats_of("de-CH").twelve_hours
