from __future__ import annotations

from datetime import date
from zoneinfo import ZoneInfo

import pytest

from analysis.open_time import Opening
from components.panels.hours_choice import is_told_of_open_hours, possible_opening
from contract import Granularity
from tests.analysis.test_open_only import ZURICH, days, hours, request_of

MAY = days(date(2026, 5, 1), 30, ZURICH)
YEAR = days(date(2026, 1, 1), 365, ZURICH)
HALF_PAST, FULL = (Opening(hours(text), ZURICH) for text in ("09:30-18", "9-18"))


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
    assert possible_opening(FULL, YEAR, ZURICH) is FULL
    assert possible_opening(HALF_PAST, MAY, ZURICH) is HALF_PAST
    assert possible_opening(HALF_PAST, YEAR, ZURICH) is None


def test_hours_that_are_full_where_it_is_are_none_in_a_zone_with_quarters() -> None:
    assert possible_opening(FULL, YEAR, ZoneInfo("Asia/Kathmandu")) is None
