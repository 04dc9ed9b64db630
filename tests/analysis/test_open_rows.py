"""What is missing of two periods, held against weeks in which the same hour always brings as many."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from dateutil.relativedelta import relativedelta
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.bucket_table import bucket_table, starts_of
from analysis.compared_totals import ComparedTotals, Period, Verdict
from analysis.comparison import counterparts, other_range
from analysis.time_range import Step, TimeRange, range_of_days
from contract import Granularity, MetricKey, MetricPoint
from contract.buckets import bucket_starts

ZURICH, HALL, CAME = ZoneInfo("Europe/Zurich"), "Hall", MetricKey.ENTRANCES
OPENS, CLOSES = 9, 13
MOST_OFF = 0.0051
Kind = tuple[int, int]
"""Weekday and hour."""
Counted = Mapping[datetime, float]
"""Local start of an hour -> part of its minutes that is counted; of others all is."""


def hours_of(range_: TimeRange) -> list[datetime]:
    hours = (start.astimezone(ZURICH) for start in bucket_starts(*range_, Granularity.HOUR, ZURICH))
    return [hour for hour in hours if OPENS <= hour.hour < CLOSES]


def period(range_: TimeRange, people: Callable[[datetime], float], parts: Counted) -> Period:
    """Each hour has as many of its people as of its minutes."""
    counted = {hour: parts.get(hour, 1.0) for hour in hours_of(range_)}
    points = [
        MetricPoint(timestamp=hour.astimezone(UTC), metrics={CAME: people(hour) * part})
        for hour, part in counted.items()
        if part
    ]
    table = bucket_table({HALL: points}, [CAME], range_, Granularity.HOUR, ZURICH)
    known = {hour.astimezone(UTC): 60 * part for hour, part in counted.items() if part and people(hour)}
    return Period(range_, table, {HALL: known})


def verdict_of(
    ranges: tuple[TimeRange, TimeRange], step: Step, people: Callable[[datetime], float], parts: Counted
) -> Verdict:
    own, other = (period(one, people, parts) for one in ranges)
    beside = counterparts(starts_of(own.table), starts_of(other.table), step, Granularity.HOUR, ZURICH)
    found = ComparedTotals(Granularity.HOUR, ZURICH, own, other, beside, is_over=True).verdict((HALL, CAME))
    assert found is not None
    return found


def ranges_of(first: date, days: int | None, step: relativedelta) -> tuple[TimeRange, TimeRange]:
    """So many days, or a month, and what lies `step` before."""
    after = first + (relativedelta(months=1) if days is None else timedelta(days=days))
    range_ = range_of_days(first, after, ZURICH)
    return range_, other_range(range_, step, range_.end + timedelta(days=1), ZURICH)


MONTH, YEAR, WEEK, DAY = (
    relativedelta(months=1), relativedelta(years=1), relativedelta(weeks=1), relativedelta(days=1)
)  # fmt: skip
PERIODS = st.one_of(
    st.tuples(st.dates(date(2024, 1, 1), date(2026, 6, 1)).map(lambda day: day.replace(day=1)), st.none(),
              st.sampled_from([MONTH, YEAR])),
    st.tuples(st.dates(date(2025, 1, 1), date(2026, 6, 1)), st.integers(7, 20),
              st.sampled_from([YEAR, relativedelta(days=17), relativedelta(weeks=3)])),
)  # fmt: skip
WEEKS = st.lists(st.integers(0, 300), min_size=28, max_size=28)


@settings(max_examples=50, deadline=None)
@given(PERIODS, WEEKS, st.data())
def test_no_percentage_is_one_of_missing_hours(
    about: tuple[date, int | None, relativedelta], week: list[int], data: st.DataObject
) -> None:
    """Where each weekday and hour always brings as many, two periods differ by their weekdays alone."""

    def people(hour: datetime) -> float:
        return week[hour.weekday() * 4 + hour.hour - OPENS]

    ranges = ranges_of(*about)
    both = [hours_of(one) for one in ranges]
    missing = data.draw(st.lists(st.sampled_from(both[0] + both[1]), max_size=25))
    found = verdict_of(ranges, about[2], people, dict.fromkeys(missing, 0.0))
    seen = {(hour.weekday(), hour.hour) for hours in both for hour in hours if hour not in missing}
    true = [sum(people(one) for one in hours if (one.weekday(), one.hour) in seen) for hours in both]
    if found.is_fair and found.present and found.earlier:
        assert found.present / found.earlier == pytest.approx(true[0] / true[1], rel=MOST_OFF)
    if found.shared:
        assert found.shared.change.present == pytest.approx(found.shared.change.earlier)
    if not missing:
        assert found.is_fair
        assert (found.present, found.earlier) == tuple(true)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 300), min_size=4, max_size=4), st.data())
def test_of_days_beside_other_weekdays_no_percentage_is_one_of_missing_hours(
    day: list[int], data: st.DataObject
) -> None:
    """Where each day brings as many as the day before."""
    ranges = ranges_of(date(2026, 6, 3), data.draw(st.integers(1, 4)), DAY)
    both = [hours_of(one) for one in ranges]
    missing = data.draw(st.lists(st.sampled_from(both[0] + both[1]), max_size=6))
    found = verdict_of(ranges, DAY, lambda hour: day[hour.hour - OPENS], dict.fromkeys(missing, 0.0))
    if found.is_fair and found.present is not None:
        assert found.present == pytest.approx(found.earlier, rel=MOST_OFF)
    if found.shared:
        assert found.shared.change.present == found.shared.change.earlier


def busy_saturdays(hour: datetime) -> float:
    return 100 if hour.weekday() == 5 else 0 if hour.weekday() == 6 else 30


def missing_days(days: Collection[date]) -> Counted:
    return {
        datetime(day.year, day.month, day.day, hour, tzinfo=ZURICH): 0.0
        for day in days
        for hour in range(OPENS, CLOSES)
    }


@pytest.mark.parametrize(
    ("missing", "lacking"),
    [
        ([], (0, 0)),
        ([date(2026, 5, 16)], (400, 0)),
        ([date(2026, 5, 30)], (400, 0)),  # the fifth of its month: beside a Thursday and no Saturday
        ([date(2026, 4, 11)], (0, 400)),  # beside a Monday
        ([date(2026, 4, 12)], (0, 0)),  # a Sunday, on which nobody comes
        ([date(2026, 5, 2), date(2026, 4, 4)], (400, 400)),
    ],
)
def test_a_missing_day_lacks_what_its_weekday_brings(
    missing: list[date], lacking: tuple[float, float]
) -> None:
    """May of 2026 has five Saturdays, April four."""
    ranges = ranges_of(date(2026, 5, 1), None, MONTH)
    found = verdict_of(ranges, MONTH, busy_saturdays, missing_days(missing))
    assert tuple(found.lacking) == pytest.approx(lacking)
    assert found.is_fair is not any(lacking)


def test_where_all_saturdays_of_one_month_are_missing_those_of_the_other_tell() -> None:
    saturdays = [date(2026, 5, 2) + timedelta(weeks=n) for n in range(5)]
    ranges = ranges_of(date(2026, 5, 1), None, MONTH)
    found = verdict_of(ranges, MONTH, busy_saturdays, missing_days(saturdays))
    assert not found.is_fair
    assert found.lacking == (2000, 0)


def test_where_both_months_lack_all_saturdays_the_other_days_are_compared() -> None:
    """That they are closed, or that the counter is off then, no count tells."""
    saturdays = [date(2026, 4, 4) + timedelta(weeks=n) for n in range(9)]
    found = verdict_of(
        ranges_of(date(2026, 5, 1), None, MONTH), MONTH, busy_saturdays, missing_days(saturdays)
    )
    assert found.is_fair
    assert (found.present, found.earlier) == (21 * 120, 22 * 120)


def test_an_afternoon_that_is_half_counted_lacks_the_other_half() -> None:
    half = {datetime(2026, 5, 16, hour, tzinfo=ZURICH): 0.5 for hour in range(OPENS, CLOSES)}
    found = verdict_of(ranges_of(date(2026, 5, 1), None, MONTH), MONTH, busy_saturdays, half)
    assert found.lacking.present == pytest.approx(200, rel=0.1), "it lowers what is usual a little"
    assert not found.is_fair


def test_what_changes_a_percentage_by_less_than_half_of_one_is_no_hindrance() -> None:
    """One hour of 4,460 people: 30 of them."""
    few = {datetime(2026, 5, 13, OPENS, tzinfo=ZURICH): 0.5}
    found = verdict_of(ranges_of(date(2026, 5, 1), None, MONTH), MONTH, busy_saturdays, few)
    assert 10 < found.lacking.present < 20
    assert found.is_fair


@pytest.mark.parametrize(
    ("day", "hour", "part", "is_fair"), [(16, 12, 0.45, False), (13, 9, 0.6, True), (16, 12, 1, True)]
)
def test_where_the_fullest_hour_may_be_missing_the_highest_numbers_have_no_percentage(
    day: int, hour: int, part: float, *, is_fair: bool
) -> None:
    """It is few of the 5,962 people of the month."""

    def people(hour: datetime) -> float:
        return 50 if (hour.weekday(), hour.hour) == (5, 12) else 48

    few = {datetime(2026, 5, day, hour, tzinfo=ZURICH): part}
    found = verdict_of(ranges_of(date(2026, 5, 1), None, MONTH), MONTH, people, few)
    assert found.is_fair
    assert found.are_peaks_fair is is_fair


def test_a_second_hour_of_the_night_in_which_the_clocks_go_back_moves_no_other() -> None:
    def people(hour: datetime) -> float:
        return hour.weekday() * 10 + hour.hour

    range_ = range_of_days(date(2026, 10, 1), date(2026, 11, 1), ZURICH)
    ranges = range_, other_range(range_, MONTH, range_.end + timedelta(days=1), ZURICH)
    gone = dict.fromkeys((datetime(2026, 10, 16, hour, tzinfo=ZURICH) for hour in range(OPENS, CLOSES)), 0.0)
    found = verdict_of(ranges, MONTH, people, gone)
    assert found.shared is not None
    assert found.shared.change.present == found.shared.change.earlier


def test_an_hour_without_counts_beside_a_closed_one_makes_no_percentage() -> None:
    """From Sunday on, which is closed, held against three days from Thursday on: its first two hours lack
    counts, and a hundred of 1,200 people each.
    """
    ranges = ranges_of(date(2026, 11, 1), 3, relativedelta(days=3))

    def people(hour: datetime) -> float:
        return 0.0 if hour.weekday() == 6 else 100.0

    silent = {datetime(2026, 10, 29, hour, tzinfo=ZURICH): 0.0 for hour in (9, 10)}
    found = verdict_of(ranges, relativedelta(days=3), people, silent)
    assert not found.is_fair
    assert found.minutes_earlier == (10 * 60, 12 * 60)
    assert found.lacking.earlier == pytest.approx(2 * 100 * 4 / 5), "as five counted days have it on average"
    assert verdict_of(ranges, relativedelta(days=3), people, {}).is_fair
