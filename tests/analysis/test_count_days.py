from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from analysis.bucket_table import Completeness
from analysis.count_days import (
    Hours,
    count_days,
    counted_of,
    expected_hours,
    hours_before,
    hours_on,
    is_whole,
    quietest_hour,
    silent_from,
)
from contract import Granularity, MetricKey, MetricPoint
from contract.buckets import bucket_starts, local_midnight

ZURICH = ZoneInfo("Europe/Zurich")


def starts_of_days(first: date, days: int) -> list[datetime]:
    start, end = (local_midnight(first + timedelta(days=day), ZURICH) for day in (0, days))
    return list(bucket_starts(start, end, Granularity.HOUR, ZURICH))


def hours(starts: list[datetime], open_hours: dict[int, float], nights: float = np.nan) -> Hours:
    """The same every day: who comes and goes by the hour of the clock."""
    flow = np.array([open_hours.get(start.astimezone(ZURICH).hour, nights) for start in starts])
    unknown = np.full(len(starts), np.nan)
    return Hours(flow, flow.copy(), unknown, unknown, {})


WEEKS = starts_of_days(date(2026, 6, 1), 28)


def test_points_are_laid_on_their_hours_and_what_is_missing_stays_missing() -> None:
    points = [
        MetricPoint(timestamp=WEEKS[1], metrics={"entrances": 3, "exits": 1, "visitorsInside": 2.5}),
        MetricPoint(timestamp=WEEKS[2], metrics={"entrances": 3}),
        MetricPoint(timestamp=WEEKS[3] + timedelta(minutes=7), metrics={"entrances": 9, "exits": 9}),
    ]
    found = hours_on(WEEKS, points)
    assert found.there[:4].tolist() == [False, True, False, False]
    assert found.net[1] == 2
    assert found.inside[1] == 2.5
    assert np.isnan(found.came[3])


@pytest.mark.parametrize(
    ("flows", "nights", "quietest"),
    [
        (dict.fromkeys(range(9, 20), 50.0), 0.0, 4),
        (dict.fromkeys(range(9, 20), 50.0), np.nan, 4),
        (dict.fromkeys(range(24), 50.0) | {2: 1.0}, 0.0, 2),
        (dict.fromkeys((*range(13), *range(18, 24)), 50.0), 0.0, 13),
    ],
)
def test_a_day_begins_at_its_quietest_hour_and_of_equals_at_the_one_near_four(
    flows: dict[int, float], nights: float, quietest: int
) -> None:
    assert quietest_hour(WEEKS, hours(WEEKS, flows, nights), ZURICH) == quietest


def test_days_go_from_that_hour_to_the_next_and_are_whole_on_the_grid() -> None:
    end = WEEKS[-1] + timedelta(hours=1)
    days = count_days(WEEKS, 4, ZURICH, end=end)
    assert len(days) == 27
    assert [day.date for day in days[:2]] == [date(2026, 6, 1), date(2026, 6, 2)]
    assert {day.after - day.first for day in days} == {24}
    assert WEEKS[days[0].first].astimezone(ZURICH).hour == 4
    assert len(count_days(WEEKS[:-20], 4, ZURICH, end=WEEKS[-20])) == 27
    assert len(count_days(WEEKS[:-21], 4, ZURICH, end=WEEKS[-21])) == 26


def test_days_on_which_the_clocks_change_have_an_hour_less_or_more() -> None:
    for changes, length in ((date(2026, 3, 29), 23), (date(2026, 10, 25), 25)):
        starts = starts_of_days(changes, 3)
        for begin in (0, 1):
            days = count_days(starts, begin, ZURICH, end=starts[-1] + timedelta(hours=1))
            assert [own.after - own.first for own in days] == [length, 24, 24][: 3 - begin], begin


@pytest.mark.parametrize(("begin", "label"), [(0, 1), (11, 1), (12, 2), (23, 2)])
def test_a_day_has_the_date_of_most_of_its_hours_and_of_halves_the_later(begin: int, label: int) -> None:
    """The first that begins at that hour begins on the first of June."""
    days = count_days(WEEKS, begin, ZURICH, end=WEEKS[-1] + timedelta(hours=1))
    assert days[0].date == date(2026, 6, label)
    for day in days:
        held = [start.astimezone(ZURICH).date() for start in WEEKS[day.rows]]
        assert day.date == max(reversed(held), key=held.count)


@pytest.mark.parametrize("begin", range(24))
def test_no_two_days_have_the_same_date_where_the_clocks_change(begin: int) -> None:
    for changes in (date(2026, 3, 27), date(2026, 10, 23)):
        starts = starts_of_days(changes, 5)
        dates = [day.date for day in count_days(starts, begin, ZURICH, end=starts[-1] + timedelta(hours=1))]
        assert dates == [dates[0] + timedelta(days=number) for number in range(len(dates))]


def test_hours_that_are_never_counted_are_not_missed() -> None:
    known = hours(WEEKS, dict.fromkeys(range(9, 20), 5.0))
    expected = expected_hours(WEEKS, known, ZURICH)
    assert expected.sum() == 28 * 11
    rows = slice(4, 28)
    assert counted_of(known, expected, rows) == (11 * 60, 11 * 60)
    assert is_whole(known, expected, rows)


def test_an_hour_that_other_weeks_have_is_missed() -> None:
    known = hours(WEEKS, dict.fromkeys(range(9, 20), 5.0))
    known.came[10] = known.went[10] = np.nan
    expected = expected_hours(WEEKS, known, ZURICH)
    assert counted_of(known, expected, slice(4, 28)) == (10 * 60, 11 * 60)
    assert not is_whole(known, expected, slice(4, 28))
    assert is_whole(known, expected, slice(28, 52))


def test_an_hour_with_few_minutes_is_not_whole() -> None:
    known = hours(WEEKS, dict.fromkeys(range(24), 5.0))
    known = Hours(known.came, known.went, known.inside, known.spent, {10: Completeness(40, 60)})
    expected = expected_hours(WEEKS, known, ZURICH)
    assert counted_of(known, expected, slice(4, 28)) == (23 * 60 + 40, 24 * 60)
    assert not is_whole(known, expected, slice(4, 28))


def test_what_was_before_the_first_count_is_not_missed() -> None:
    known = hours(WEEKS, dict.fromkeys(range(24), 5.0))
    known.came[: 24 * 9] = known.went[: 24 * 9] = np.nan
    expected = expected_hours(WEEKS, known, ZURICH, begin=24 * 9)
    assert not expected[: 24 * 9].any()
    assert expected[24 * 9 :].all()
    assert counted_of(known, expected, slice(0, len(WEEKS))) == (19 * 24 * 60, 19 * 24 * 60)
    assert not is_whole(known, expected, slice(4, 28)), "nothing at all is counted"


def test_a_place_that_is_silent_while_its_site_is_counted_lacks_its_hours() -> None:
    """The site begins on the third day at nine; this zone of it is counted from the tenth day on."""
    known = without(hours(WEEKS, dict.fromkeys(range(24), 5.0)), slice(0, 24 * 9))
    expected = expected_hours(WEEKS, known, ZURICH, begin=24 * 2 + 9)
    assert not expected[: 24 * 2 + 9].any()
    assert counted_of(known, expected, slice(0, len(WEEKS))) == (19 * 24 * 60, (25 * 24 + 15) * 60)


def without(known: Hours, rows: slice) -> Hours:
    known.came[rows] = known.went[rows] = np.nan
    return known


@pytest.mark.parametrize("open_hours", [range(24), range(9, 20)])
def test_a_counter_that_has_been_dead_for_three_weeks_is_not_complete(open_hours: range) -> None:
    known = without(hours(WEEKS, dict.fromkeys(open_hours, 5.0)), slice(24 * 7, None))
    expected = expected_hours(WEEKS, known, ZURICH)
    assert expected.sum() == 28 * len(open_hours)
    assert counted_of(known, expected, slice(0, len(WEEKS))) == (
        7 * 60 * len(open_hours), 28 * 60 * len(open_hours)
    )  # fmt: skip
    row = silent_from(known, expected)
    assert row == (6 * 24 + open_hours[-1]) + 1
    assert not is_whole(known, expected, slice(24 * 20 + 4, 24 * 21 + 4))


def test_a_counter_that_goes_on_has_not_stopped() -> None:
    known = hours(WEEKS, dict.fromkeys(range(9, 20), 5.0))
    assert silent_from(known, expected_hours(WEEKS, known, ZURICH)) is None
    assert silent_from(without(known, slice(None)), expected_hours(WEEKS, known, ZURICH)) is None


def test_a_place_that_is_closed_on_sundays_misses_nothing_then() -> None:
    known = hours(WEEKS, dict.fromkeys(range(9, 20), 5.0))
    for week in range(4):
        without(known, slice(24 * (7 * week + 6), 24 * (7 * week + 7)))
    assert expected_hours(WEEKS, known, ZURICH).sum() == 4 * 6 * 11


@pytest.mark.parametrize(
    ("open_hours", "first", "is_known"),
    [
        (range(24), 24 * 2, False),  # midnight: four hours of the day that began at four
        (range(24), 24 * 2 + 4, True),
        (range(9, 20), 24 * 2 + 9, True),
        (range(9, 20), 24 * 2 + 12, False),
    ],
)
def test_the_day_in_which_counts_begin_is_whole_only_with_all_hours_that_later_days_have(
    open_hours: range, first: int, *, is_known: bool
) -> None:
    known = without(hours(WEEKS, dict.fromkeys(open_hours, 5.0)), slice(0, first))
    days = count_days(WEEKS, 4, ZURICH, end=WEEKS[-1] + timedelta(hours=1))
    begun = next(day for day in days if day.first <= first < day.after)
    begin = int(known.counted.argmax())
    expected = expected_hours(WEEKS, known, ZURICH, begin=begin)
    before = hours_before(WEEKS, known, ZURICH, days, begin=begin)
    assert is_whole(known, expected | before, begun.rows) == is_known
    assert not (expected | before)[: begun.first].any()
    counted = 60 * sum(known.counted[begun.rows])
    assert counted_of(known, expected, begun.rows) == (counted, counted), "and what was before lacks nothing"
    assert is_whole(known, expected | before, days[days.index(begun) + 1].rows)


def test_a_first_day_that_no_other_can_be_held_against_is_not_known_to_be_whole() -> None:
    starts = WEEKS[:28]
    known = without(hours(starts, dict.fromkeys(range(24), 5.0)), slice(0, 24))
    days = count_days(starts, 4, ZURICH, end=starts[-1] + timedelta(hours=1))
    expected = expected_hours(starts, known, ZURICH, begin=24)
    assert counted_of(known, expected, days[0].rows) == (240, 240)
    before = hours_before(starts, known, ZURICH, days, begin=24)
    assert not is_whole(known, expected | before, days[0].rows)


def test_hours_that_tell_one_way_are_counted_and_no_day_of_them_is_whole() -> None:
    known = hours(WEEKS, dict.fromkeys(range(24), 5.0))
    known.went[:] = np.nan
    expected = expected_hours(WEEKS, known, ZURICH)
    assert counted_of(known, expected, slice(4, 28)) == (1440, 1440)
    assert not is_whole(known, expected, slice(4, 28))
    assert known.lacks is known.lacks_within(slice(4, 28)) is MetricKey.EXITS
    both = hours(WEEKS, dict.fromkeys(range(24), 5.0))
    both.came[10] = np.nan
    assert (both.lacks, both.lacks_within(slice(4, 28))) == (None, MetricKey.ENTRANCES)
