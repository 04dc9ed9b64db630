from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from analysis.hours_text import spans_of_text
from analysis.opening_hours import OpeningHours, OtherDay
from analysis.special_days import ChangedDay, SpecialDays, special_days
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
    assert list(found.holidays) == [date(2025, 12, 25), date(2026, 1, 1)]
    assert found.holidays[date(2026, 1, 1)] == "New Year's Day"


def test_holidays_are_those_of_the_country_that_somebody_has_said() -> None:
    germany = OpeningHours(week=WEEK, country="DE")
    assert list(days("2026-10-01", "2026-10-10", germany).holidays) == [date(2026, 10, 3)]
    nobody = OpeningHours(week=WEEK)
    assert days("2026-10-01", "2026-10-10", nobody) == SpecialDays("", {})


def test_days_of_hours_or_a_name_of_their_own_are_special_and_no_public_holidays() -> None:
    others = (
        OtherDay(day=date(2026, 6, 5), name="Stocktaking"),
        OtherDay(day=date(2026, 6, 6)),
        OtherDay(day=date(2026, 6, 7), spans=WEEK[0]),
        OtherDay(day=date(2026, 6, 8), spans=WEEK[0], name="Fair"),
        OtherDay(day=date(2026, 6, 9), name="Sale"),
    )
    found = days("2026-06-01", "2026-06-09", OpeningHours(week=WEEK, others=others, country="CH"))
    assert found.holidays == {}
    assert found.changed == (
        ChangedDay(date(2026, 6, 5), "Stocktaking", ()),
        ChangedDay(date(2026, 6, 6), "", ()),
        ChangedDay(date(2026, 6, 8), "Fair", WEEK[0]),
    )


def test_a_public_holiday_on_which_it_is_closed_is_among_the_days_of_other_hours() -> None:
    closed = days("2026-12-24", "2026-12-27", OpeningHours(week=WEEK, country="CH"))
    assert list(closed.holidays) == [date(2026, 12, 25)]
    assert closed.changed == (ChangedDay(date(2026, 12, 25), closed.holidays[date(2026, 12, 25)], ()),)
    week = OpeningHours(week=WEEK, country="CH", is_closed_on_holidays=False)
    assert days("2026-12-24", "2026-12-27", week).changed == ()


@pytest.mark.parametrize("country", ["", "Atlantis"])
def test_an_unknown_country_has_none(country: str) -> None:
    assert days("2025-12-24", "2026-01-02", country=country) == SpecialDays("", {})


def test_a_range_holds_a_day_of_which_it_holds_any_part() -> None:
    noon = datetime(2026, 1, 1, 12, tzinfo=ZURICH)
    assert special_days(None, "Switzerland", TimeRange(noon, noon + timedelta(hours=1)), ZURICH).holidays
    midnight = datetime(2026, 1, 1, tzinfo=ZURICH)
    assert not special_days(
        None, "Switzerland", TimeRange(midnight - timedelta(hours=3), midnight), ZURICH
    ).holidays
    assert not special_days(None, "Switzerland", TimeRange(noon, noon), ZURICH).holidays
