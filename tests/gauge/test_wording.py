"""Numbers as the browser writes them."""

from __future__ import annotations

import pytest

from tests.gauge_scripts import evaluated


@pytest.mark.parametrize(
    ("value", "written"), [(19.5, "20"), (19.4, "19"), (-0.4, "0"), (1234, "1,234"), (1e13, "1E13")]
)
def test_people_are_whole_also_where_a_service_tells_an_average(value: float, written: str) -> None:
    assert evaluated("formatFor('en-GB', 'UTC', null).number(given[0])", value) == written


def test_places_left_and_people_inside_add_up_to_the_capacity() -> None:
    view = {"inside": 19.4, "share": 97.0, "freshness": {"isTrusted": True}}
    call = "placesWords({ capacity: 20 }, Object.assign(given[0], { format: { number: String } }))"
    assert evaluated(call, view) == "1 place left"


NOW = 1_780_000_000
POINTS = [[NOW - 3000, 18], [NOW - 600, 3], [NOW - 540, 2]]
FORMATTED = "Object.assign(given[0], { format: formatFor('en-GB', 'UTC', null) })"


@pytest.mark.parametrize(("spoilt_until", "most"), [(None, 18), (NOW - 1200, 3), (NOW - 570, 2)])
def test_the_last_hour_leaves_out_minutes_of_a_count_that_meant_nothing(
    spoilt_until: int | None, most: int
) -> None:
    view = {"now": NOW, "feed": {"points": POINTS, "spoilt_until": spoilt_until}}
    assert str(most) in evaluated(f"sparkWords({FORMATTED})", view)
    told = evaluated(f"trendWords({FORMATTED}.feed.points, given[0])", view)
    assert f"most {most} at" in told
    assert ("grey until" in told) == (spoilt_until is not None)


def test_where_all_of_it_meant_nothing_no_highest_number_is_told() -> None:
    view = {"now": NOW, "feed": {"points": POINTS, "spoilt_until": NOW}}
    assert evaluated(f"sparkWords({FORMATTED})", view) == ""
    told = evaluated(f"trendWords({FORMATTED}.feed.points, given[0])", view)
    assert told.startswith("grey until ")


def test_thousands_are_parted_in_switzerland_as_python_parts_them() -> None:
    assert evaluated("grouped(given[0])", "12\u2019345") == "12'345"
    assert evaluated("formatFor('de-CH', 'UTC', null).number(given[0])", 12345) == "12'345"


@pytest.mark.parametrize(
    ("locale", "days", "written"),
    [
        ("en-GB", 0, "09:00"),
        ("en-GB", 1, "Fri 09:00"),
        ("de-CH", 4, "Mon 09:00"),
        ("en-US", 1, "Fri 9:00 AM"),
        ("en-GB", 7, "Thu 3 Dec, 09:00"),
        ("en-GB", 40, "Tue, 5 Jan 2027, 09:00"),
        ("en-GB", -1, "Wed 25 Nov, 09:00"),
    ],
)
def test_what_comes_within_six_days_is_told_by_its_weekday(locale: str, days: int, written: str) -> None:
    morning, at = 1_795_651_200, 1_795_651_200 + 9 * 3600 + days * 86_400  # Thu 26 Nov 2026
    call = "formatFor(given[0], 'UTC', given[1]).toCome(given[2])"
    assert evaluated(call, locale, morning, at).replace("\N{NO-BREAK SPACE}", " ") == written
