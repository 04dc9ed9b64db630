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
    hours_on,
    is_whole,
    quietest_hour,
)
from contract import Granularity, MetricPoint
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


def test_hours_that_are_never_counted_are_not_missed() -> None:
    known = hours(WEEKS, dict.fromkeys(range(9, 20), 5.0))
    expected = expected_hours(WEEKS, known, ZURICH)
    assert expected.sum() == 28 * 11
    rows = slice(4, 28)
    assert counted_of(known, expected, rows) == (11 * 60, 11 * 60)
    assert is_whole(known, expected, rows)


def test_an_hour_that_other_weeks_have_is_missed() -> None:
    known = hours(WEEKS, dict.fromkeys(range(9, 20), 5.0))
    known.came[10] = np.nan
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
    known.came[: 24 * 9] = np.nan
    expected = expected_hours(WEEKS, known, ZURICH)
    assert not expected[: 24 * 9].any()
    assert expected[24 * 9 :].all()
    assert not is_whole(known, expected, slice(4, 28)), "nothing at all is counted"
