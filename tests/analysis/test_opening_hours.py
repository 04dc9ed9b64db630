from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as any_
from pydantic import ValidationError

from analysis.hours_text import spans_of_text
from analysis.opening_hours import (
    OpeningHours,
    OtherDay,
    Span,
    closed_clock_hours,
    closed_hours,
    closed_ranges,
    closed_within,
    open_ranges,
    open_within,
)
from analysis.time_range import TimeRange
from contract.buckets import local_midnight

ZURICH = ZoneInfo("Europe/Zurich")
MONDAY = date(2026, 6, 1)


def hours(*week: str, **more: object) -> OpeningHours:
    days = [*week, *["closed"] * (7 - len(week))]
    return OpeningHours(week=tuple(map(spans_of_text, days)), **more)


def days(first: date, count: int, timezone: ZoneInfo = ZURICH) -> TimeRange:
    return TimeRange(local_midnight(first, timezone), local_midnight(first + timedelta(days=count), timezone))


def local(ranges: list[TimeRange], timezone: ZoneInfo = ZURICH) -> list[str]:
    return [" to ".join(f"{moment.astimezone(timezone):%a %H:%M}" for moment in one) for one in ranges]


def test_a_place_is_open_by_the_clock_of_its_zone() -> None:
    found = open_ranges(hours("9-12, 13-18", "22-02"), days(MONDAY, 7), ZURICH, {})
    assert local(found) == [
        "Mon 09:00 to Mon 12:00", "Mon 13:00 to Mon 18:00", "Tue 22:00 to Wed 02:00"
    ]  # fmt: skip


def test_what_opened_the_evening_before_is_still_open_and_a_range_cuts_it() -> None:
    wednesday = days(MONDAY + timedelta(days=2), 1)
    assert local(open_ranges(hours("", "22-02"), wednesday, ZURICH, {})) == ["Wed 00:00 to Wed 02:00"]


def test_days_without_a_pause_between_are_one_range() -> None:
    found = open_ranges(hours(*["0-24"] * 7), days(MONDAY, 7), ZURICH, {})
    assert found == [days(MONDAY, 7)]


def test_a_day_that_differs_comes_before_a_holiday_and_a_holiday_before_its_weekday() -> None:
    holidays = {MONDAY: "Whit Monday", MONDAY + timedelta(days=1): "Fête"}
    other = OtherDay(day=MONDAY, spans=spans_of_text("10-14"), name="Sunday sale")
    of = hours("9-18", "9-18", "9-18", others=(other,))
    assert local(open_ranges(of, days(MONDAY, 3), ZURICH, holidays)) == [
        "Mon 10:00 to Mon 14:00", "Wed 09:00 to Wed 18:00"
    ]  # fmt: skip
    always = of.model_copy(update={"is_closed_on_holidays": False})
    assert len(open_ranges(always, days(MONDAY, 3), ZURICH, holidays)) == 3


@pytest.mark.parametrize(("day", "elapsed"), [(date(2026, 3, 29), 3), (date(2026, 10, 25), 5)])
def test_a_night_in_which_clocks_change_is_as_long_as_it_is(day: date, elapsed: int) -> None:
    """From one to five by the clock."""
    of = hours(*["1-5"] * 7)
    ((start, end),) = open_ranges(of, days(day, 1), ZURICH, {})
    assert end - start == timedelta(hours=elapsed)


@pytest.mark.parametrize(
    ("text", "day", "opened"),
    [
        ("22-02:30", date(2026, 3, 28), "21:00 to 01:00"),
        ("22-02:30", date(2026, 10, 24), "20:00 to 01:30"),
        ("2:30-6", date(2026, 3, 29), "01:00 to 04:00"),
        ("2:15-2:45", date(2026, 3, 29), ""),
        ("2:30-6", date(2026, 10, 25), "00:30 to 05:00"),
        ("2-2:30", date(2026, 10, 25), "00:00 to 01:30"),
    ],
)
def test_what_opens_or_closes_in_an_hour_that_the_clocks_skip_or_repeat(
    text: str, day: date, opened: str
) -> None:
    """By hand, in UTC: clocks go from 02:00 to 03:00 at 01:00, and from 03:00 to 02:00 at 01:00."""
    week = ["closed"] * 7
    week[day.weekday()] = text
    found = open_ranges(hours(*week), days(day, 2), ZURICH, {})
    assert ", ".join(f"{one.start:%H:%M} to {one.end:%H:%M}" for one in found) == opened


def test_spans_of_a_kept_day_are_put_in_order() -> None:
    late, early = {"opens": 780, "closes": 1080}, {"opens": 540, "closes": 720}
    kept = OpeningHours.model_validate({"week": [[late, early], *[[]] * 6]})
    assert kept == hours("9-12, 13-18")


def test_an_hour_is_closed_in_which_it_is_open_in_no_minute() -> None:
    found = hours("9:30-11, 12-12:01", "22-0:30")
    monday = closed_hours(found, days(MONDAY, 1), ZURICH)
    assert {at.astimezone(ZURICH).hour for at in monday} == set(range(24)) - {9, 10, 12}
    wednesday = closed_hours(found, days(MONDAY + timedelta(days=2), 1), ZURICH)
    assert {at.astimezone(ZURICH).hour for at in wednesday} == set(range(1, 24))
    assert closed_clock_hours(found, 0) == {at.astimezone(ZURICH).hour for at in monday}
    assert closed_clock_hours(found, 2) == {at.astimezone(ZURICH).hour for at in wednesday}


def test_both_hours_of_a_repeated_clock_are_open() -> None:
    night = closed_hours(hours(*["2-3"] * 7), days(date(2026, 10, 25), 1), ZURICH)
    assert len(night) == 23


def test_holidays_of_its_country_close_it() -> None:
    """Ascension Day of 2026 is the fourteenth of May."""
    range_ = days(date(2026, 5, 13), 3)
    of = hours(*["9-18"] * 7, country="CH")
    assert local(open_within(of, range_, ZURICH)) == ["Wed 09:00 to Wed 18:00", "Fri 09:00 to Fri 18:00"]
    assert local(closed_within(of, range_, ZURICH)) == [
        "Wed 00:00 to Wed 09:00", "Wed 18:00 to Fri 09:00", "Fri 18:00 to Sat 00:00"
    ]  # fmt: skip
    silvester = days(date(2026, 12, 31), 2)
    assert local(open_within(of, silvester, ZURICH)) == ["Thu 09:00 to Thu 18:00"]


def test_an_empty_range_is_never_open() -> None:
    noon = datetime(2026, 6, 1, 10, tzinfo=UTC)
    assert open_ranges(hours("9-18"), TimeRange(noon, noon), ZURICH, {}) == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"week": [[]] * 6},
        {"week": [[]] * 7, "others": [{"day": "2026-06-01"}] * 2},
        {"week": [[{"opens": 600, "closes": 600}], *[[]] * 6]},
        {"week": [[{"opens": 0, "closes": 2000}], *[[]] * 6]},
        {"week": [[{"opens": 0, "closes": 600}, {"opens": 540, "closes": 900}], *[[]] * 6]},
        {"week": [[]] * 7, "secret": 1},
    ],
)
def test_what_makes_no_sense_is_not_kept(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        OpeningHours.model_validate(wrong)


SPANS = any_.lists(any_.integers(0, 96), min_size=0, max_size=6, unique=True).map(
    lambda edges: tuple(
        Span(opens=15 * a, closes=15 * b)
        for a, b in zip(sorted(edges)[::2], sorted(edges)[1::2], strict=False)
    )
)


@given(any_.lists(SPANS, min_size=7, max_size=7), any_.integers(0, 400), any_.integers(1, 14))
def test_open_and_closed_are_all_of_a_range_and_each_minute_is_judged_as_by_hand(
    week: list[tuple[Span, ...]], first: int, count: int
) -> None:
    of = OpeningHours(week=tuple(week))
    range_ = days(date(2026, 1, 1) + timedelta(days=first), count)
    opened = open_ranges(of, range_, ZURICH, {})
    closed = closed_ranges(opened, range_)
    parts = sorted([*opened, *closed])
    assert [range_.start, *(one.end for one in parts)] == [*(one.start for one in parts), range_.end]
    for moment in (range_.start + timedelta(minutes=37 * step) for step in range(200)):
        if moment >= range_.end or moment.astimezone(ZURICH).hour < 4:  # clocks change by then
            continue
        at = moment.astimezone(ZURICH)
        minute = at.hour * 60 + at.minute
        is_open = any(span.opens <= minute < span.closes for span in week[at.weekday()])
        assert any(one.start <= moment < one.end for one in opened) == is_open
