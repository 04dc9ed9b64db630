from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.league_period import Days, LeaguePeriod, counted_until, days_of, league_ranges, weeks_back

ZURICH, TOKYO = ZoneInfo("Europe/Zurich"), ZoneInfo("Asia/Tokyo")
MONDAY = date(2026, 3, 30)
"""A day after the clocks went forward in Zürich."""
NOW = datetime(2026, 3, 30, 14, 22, tzinfo=ZURICH)


@pytest.mark.parametrize(
    ("period", "first", "last", "weeks"),
    [
        (LeaguePeriod.TODAY, "2026-03-30", "2026-03-30", 1),
        (LeaguePeriod.YESTERDAY, "2026-03-29", "2026-03-29", 1),
        (LeaguePeriod.WEEK, "2026-03-23", "2026-03-29", 1),
        (LeaguePeriod.FOUR_WEEKS, "2026-03-02", "2026-03-29", 4),
        (LeaguePeriod.MONTH, "2026-03-01", "2026-03-31", 5),
        (LeaguePeriod.LAST_MONTH, "2026-02-01", "2026-02-28", 4),
        (LeaguePeriod.DATES, "2026-01-05", "2026-01-13", 2),
    ],
)
def test_a_period_is_whole_local_days(period: LeaguePeriod, first: str, last: str, weeks: int) -> None:
    days = days_of(period, MONDAY, Days(date(2026, 1, 5), date(2026, 1, 13)))
    assert days == Days(date.fromisoformat(first), date.fromisoformat(last))
    assert weeks_back(days) == weeks


def test_what_still_runs_is_held_against_as_much_of_the_same_weekday() -> None:
    """Both begin at midnight and end at 14:15 by the clock, the earlier one before the clocks changed."""
    found = league_ranges(days_of(LeaguePeriod.TODAY, MONDAY), NOW, ZURICH)
    assert found.present == (datetime(2026, 3, 29, 22, tzinfo=UTC), datetime(2026, 3, 30, 12, 15, tzinfo=UTC))
    assert found.earlier == (datetime(2026, 3, 22, 23, tzinfo=UTC), datetime(2026, 3, 23, 13, 15, tzinfo=UTC))
    assert not found.is_over


def test_each_place_has_days_of_its_own() -> None:
    zurich, tokyo = (
        league_ranges(days_of(LeaguePeriod.TODAY, NOW.astimezone(zone).date()), NOW, zone)
        for zone in (ZURICH, TOKYO)
    )
    assert tokyo.present.start == datetime(2026, 3, 29, 15, tzinfo=UTC)
    assert tokyo.present.end == zurich.present.end
    yesterday = league_ranges(days_of(LeaguePeriod.YESTERDAY, MONDAY), NOW, ZURICH)
    assert yesterday.present.end - yesterday.present.start == timedelta(hours=23)
    assert yesterday.is_over


def test_a_day_of_which_nothing_is_published_is_empty() -> None:
    midnight = datetime(2026, 3, 30, 0, 10, tzinfo=ZURICH)
    assert league_ranges(days_of(LeaguePeriod.TODAY, MONDAY), midnight, ZURICH).present.is_empty
    future = Days(MONDAY + timedelta(days=3), MONDAY + timedelta(days=4))
    assert league_ranges(future, NOW, ZURICH).present.is_empty


@given(st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC)), st.integers(0, 40))  # noqa: DTZ001 - the strategy adds UTC
def test_both_are_of_the_same_weekdays_and_times_of_the_clock(now: datetime, length: int) -> None:
    last = now.astimezone(ZURICH).date()
    found = league_ranges(Days(last - timedelta(days=length), last), now, ZURICH)
    for present, earlier in zip(found.present, found.earlier, strict=True):
        own, other = (moment.astimezone(ZURICH).replace(tzinfo=None) for moment in (present, earlier))
        weeks = timedelta(weeks=length // 7 + 1)
        # An hour that the clocks skip or repeat has no counterpart.
        assert abs(own - weeks - other) <= timedelta(hours=1)
        if own.hour not in {2, 3}:
            assert own - weeks == other
    assert found.earlier.end <= found.present.start or length == 0
    assert now - timedelta(minutes=18) <= counted_until(now) <= now
