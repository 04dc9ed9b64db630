from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from analysis.hours_text import spans_of_text
from analysis.opening_hours import OpeningHours, OtherDay
from analysis.special_days import SpecialDays, special_days
from analysis.time_range import TimeRange

ZURICH = ZoneInfo("Europe/Zurich")
WEEK = (spans_of_text("9-18"),) * 7


def days(
    first: str, last: str, opening: OpeningHours | None = None, country: str = "Switzerland"
) -> SpecialDays:
    """From the midnight of a day to that of another."""
    start, end = (
        datetime.combine(date.fromisoformat(day), datetime.min.time(), ZURICH) for day in (first, last)
    )
    return special_days(opening, country, TimeRange(start, end), ZURICH)


def test_holidays_of_the_country_that_the_site_names_are_taken_where_nobody_has_said() -> None:
    found = days("2025-12-24", "2026-01-02")
    assert found.country == "CH"
    assert list(found.days) == [date(2025, 12, 25), date(2026, 1, 1)]
    assert found.days[date(2026, 1, 1)] == "New Year's Day"


def test_holidays_are_those_of_the_country_that_somebody_has_said() -> None:
    germany = OpeningHours(week=WEEK, country="DE")
    assert list(days("2026-10-01", "2026-10-10", germany).days) == [date(2026, 10, 3)]
    nobody = OpeningHours(week=WEEK)
    assert days("2026-10-01", "2026-10-10", nobody) == SpecialDays("", {})


def test_a_day_that_somebody_has_named_is_special_and_one_without_a_name_is_not() -> None:
    others = (
        OtherDay(day=date(2026, 6, 5), name="Stocktaking"),
        OtherDay(day=date(2026, 6, 6)),
        OtherDay(day=date(2026, 6, 9), name="Sale"),
    )
    found = days("2026-06-01", "2026-06-09", OpeningHours(week=WEEK, others=others))
    assert found.days == {date(2026, 6, 5): "Stocktaking"}


@pytest.mark.parametrize("country", ["", "Atlantis"])
def test_an_unknown_country_has_none(country: str) -> None:
    assert days("2025-12-24", "2026-01-02", country=country) == SpecialDays("", {})


def test_a_range_holds_a_day_of_which_it_holds_any_part() -> None:
    noon = datetime(2026, 1, 1, 12, tzinfo=ZURICH)
    assert special_days(None, "Switzerland", TimeRange(noon, noon + timedelta(hours=1)), ZURICH).days
    midnight = datetime(2026, 1, 1, tzinfo=ZURICH)
    assert not special_days(
        None, "Switzerland", TimeRange(midnight - timedelta(hours=3), midnight), ZURICH
    ).days
    assert not special_days(None, "Switzerland", TimeRange(noon, noon), ZURICH).days
