from __future__ import annotations

from datetime import date, timedelta
from zoneinfo import ZoneInfo

import pytest
from streamlit.testing.v1 import AppTest

from analysis.open_only import cuts, since_when
from analysis.open_time import Opening
from analysis.time_range import TimeRange
from components.panels.hours_choice import Shown, is_told_of_open_hours, possible_opening
from contract import CROSSINGS, Granularity, MetricKey
from tests.analysis.test_open_only import KATHMANDU, ZURICH, days, hours, request_of

MAY = days(date(2026, 5, 1), 30, ZURICH)
YEAR = days(date(2026, 1, 1), 365, ZURICH)
HALF_PAST, FULL = (Opening(hours(text), ZURICH) for text in ("09:30-18", "9-18"))
INSIDE = Shown((MetricKey.VISITORS_INSIDE, MetricKey.ENTRANCES))
COMPARED = INSIDE._replace(is_compared=True)


@pytest.mark.parametrize(
    ("opening", "places", "is_told"),
    [(None, 80, True), (FULL, 80, True), (HALF_PAST, 30, True), (HALF_PAST, 40, False)],
)
def test_many_places_are_not_asked_of_many_stretches_each(
    opening: Opening | None, places: int, *, is_told: bool
) -> None:
    request = request_of(MAY, ZURICH, opening, Granularity.DAY)
    assert is_told_of_open_hours(request, places) is is_told


def test_a_year_is_told_of_full_hours_and_not_of_half_ones() -> None:
    assert possible_opening(FULL, YEAR, ZURICH, INSIDE) is FULL
    assert possible_opening(HALF_PAST, MAY, ZURICH, INSIDE) is HALF_PAST
    assert possible_opening(HALF_PAST, YEAR, ZURICH, INSIDE) is None


def test_the_less_is_asked_for_the_longer_a_range_is_told() -> None:
    assert possible_opening(HALF_PAST, YEAR, ZURICH, Shown(CROSSINGS)) is HALF_PAST
    assert INSIDE.most_cuts >= 262, "weekdays of a year"
    quarter = 92
    for many in (Shown(CROSSINGS, 8), INSIDE._replace(places=8), INSIDE._replace(is_compared=True)):
        assert quarter < many.most_cuts < INSIDE.most_cuts


def page_of(is_half_past: bool, zone: str) -> None:
    from zoneinfo import ZoneInfo  # noqa: PLC0415 - it runs the body of this function alone

    from components.panels.hours_choice import possible_opening  # noqa: PLC0415 - as above
    from tests.components.panels.test_hours_choice import COMPARED, FULL, HALF_PAST, YEAR  # noqa: PLC0415 - as above

    possible_opening(HALF_PAST if is_half_past else FULL, YEAR, ZoneInfo(zone), COMPARED)


def refused(opening: Opening, timezone: ZoneInfo) -> str:
    test = AppTest.from_function(page_of, args=(opening is HALF_PAST, timezone.key)).run()
    assert not test.exception
    return str(test.info[0].value).replace("\\", "")


def test_a_refusal_names_what_is_told_instead() -> None:
    half, quarter = refused(HALF_PAST, ZURICH), refused(FULL, KATHMANDU)
    assert half == (
        "In this range, this site opens or closes within an hour 365 times, each asked for by itself. Here"
        " open hours are told of up to 133: choose a range of up to 19 weeks, or entrances and exits of one"
        " place alone, with no other period. You see all hours."
    )
    assert "choose a range of up to 19 weeks, or the site's time zone, Europe/Zurich." in quarter


@pytest.mark.parametrize("weeks", [1, 19])
def test_a_range_that_is_offered_instead_is_told(weeks: int) -> None:
    range_ = TimeRange(YEAR.end - timedelta(weeks=weeks), YEAR.end)
    assert possible_opening(HALF_PAST, range_, ZURICH, COMPARED) is HALF_PAST
    since = since_when(HALF_PAST, YEAR, ZURICH, COMPARED.most_cuts)
    assert cuts(HALF_PAST, TimeRange(since, YEAR.end), ZURICH) == COMPARED.most_cuts


def test_hours_that_are_full_where_it_is_are_none_in_a_zone_with_quarters() -> None:
    assert possible_opening(FULL, YEAR, ZoneInfo("Asia/Kathmandu"), INSIDE) is None
