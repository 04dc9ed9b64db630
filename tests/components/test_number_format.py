from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from components.number_format import UNKNOWN, Formats, formats_of, zone_words

EVENING = datetime(2026, 11, 21, 17, 40, 17, tzinfo=ZoneInfo("Europe/Zurich"))


@pytest.mark.parametrize(
    ("tag", "hour"),
    [("en-US", "5 PM"), ("en-GB", "17:00"), ("de-CH", "17:00"), ("fi-FI", "17:00"), ("ko-KR", "5 pm")],
)
def test_an_axis_names_full_hours_as_briefly_as_they_are_written(tag: str, hour: str) -> None:
    assert (
        formats_of(tag).hour(EVENING.replace(minute=0, second=0)).replace("\N{NO-BREAK SPACE}", " ") == hour
    )


@pytest.mark.parametrize(
    ("tag", "number", "time", "separators"),
    [
        ("en-GB", "1,234,567.9", "17:40", ".,"),
        ("de-CH", "1'234'567.9", "17:40", ".'"),
        ("fr", "1\u202f234\u202f567,9", "17:40", ",\u202f"),
        ("en-US", "1,234,567.9", "5:40\u00a0PM", ".,"),
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
    assert Formats().time(EVENING) == "17:40"
    assert Formats().time(EVENING, seconds=True) == "17:40:17"
    assert Formats().month(EVENING) == "November 2026"


@pytest.mark.parametrize(
    ("now", "written"),
    [
        ("2026-11-21T23:59", "17:40"),
        ("2026-11-22T00:01", "Sat 21 Nov, 17:40"),
        ("2027-01-01T00:01", "Sat, 21 Nov 2026, 17:40"),
    ],
)
def test_a_moment_says_as_much_of_its_day_as_one_needs(now: str, written: str) -> None:
    assert Formats(now=datetime.fromisoformat(now).replace(tzinfo=EVENING.tzinfo)).moment(EVENING) == written


def test_whether_it_is_today_is_told_where_the_moment_is() -> None:
    tokyo = datetime(2026, 11, 22, 1, tzinfo=ZoneInfo("Asia/Tokyo"))
    assert Formats(now=tokyo).moment(EVENING) == "17:40"


def test_points_and_rows_say_their_day_also_today() -> None:
    assert formats_of("en-US", EVENING).dated(EVENING) == "Sat, Nov 21, 5:40\u00a0PM"


def test_a_language_in_an_unlikely_country_is_still_that_language() -> None:
    assert formats_of("de-US").number(1234567.89, 1) == "1.234.567,9"


@pytest.mark.parametrize(
    ("tag", "written"),
    [
        ("de-CH", "Sat 21 Nov, 17:40"),
        ("fi-FI", "Sat 21 Nov, 17:40"),
        ("ja-JP", "Sat 21 Nov, 17:40"),
        ("hi-IN", "Sat 21 Nov, 5:40\u00a0pm"),
        ("ko-KR", "Sat 21 Nov, 5:40\u00a0pm"),
        ("zh-TW", "Sat 21 Nov, 5:40\u00a0pm"),
        ("en-US", "Sat, Nov 21, 5:40\u00a0PM"),
        ("en-GB", "Sat 21 Nov, 17:40"),
    ],
)
def test_days_and_months_in_english_sentences_are_english(tag: str, written: str) -> None:
    assert formats_of(tag, EVENING).dated(EVENING) == written
    assert formats_of(tag).month(EVENING) == "November 2026"


def test_what_is_not_told_is_not_zero() -> None:
    formats = Formats()
    assert {formats.number(None), formats.percent(None), formats.duration(None)} == {UNKNOWN}


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 s"),
        (59, "59 s"),
        (99.9, "99 s"),
        (119, "1 min"),
        (2819, "46 min"),
        (5999, "99 min"),
        (7500, "2 h 5 min"),
        (21 * 86400, "21 d"),
    ],
)
def test_a_duration_has_the_unit_that_fits(seconds: float, said: str) -> None:
    assert Formats().duration(seconds) == said


@pytest.mark.parametrize(
    ("tag", "typed"),
    [
        ("en-US", "MM/DD/YYYY"),
        ("en-GB", "DD/MM/YYYY"),
        ("de-DE", "DD.MM.YYYY"),
        ("sv-SE", "YYYY-MM-DD"),
        ("ja-JP", "YYYY/MM/DD"),
        ("hu-HU", "YYYY.MM.DD"),
    ],
)
def test_a_date_is_typed_in_the_order_of_the_locale(tag: str, typed: str) -> None:
    assert formats_of(tag).typed_date == typed


def test_a_zone_is_called_as_one_says_it() -> None:
    assert zone_words("America/Argentina/Buenos_Aires") == "Buenos Aires time"
