from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from analysis.bucket_table import Completeness
from analysis.count_days import counted_of
from analysis.expected_minutes import held_minutes_of, lacking, usual_minutes
from analysis.history_request import HistoryRequest
from analysis.open_hours import METRICS_OF_HOURS
from analysis.open_time import OpenTime
from analysis.subject import Subject, SubjectKind
from analysis.time_range import TimeRange
from analysis.trust_grid import place_grid
from contract import Granularity
from contract.buckets import bucket_starts
from contract.minutes import MINUTE
from tests.counting_service import CountingService, Minute

ZURICH = ZoneInfo("Europe/Zurich")
MONDAY = datetime(2026, 6, 1, tzinfo=ZURICH)
DAYS = 28
STARTS = tuple(bucket_starts(MONDAY, MONDAY + timedelta(days=DAYS), Granularity.HOUR, ZURICH))
Day = dict[int, float]
"""Hour of the clock -> counted minutes."""
USUAL: Day = {9: 30} | dict.fromkeys(range(10, 20), 60.0) | {20: 15}


def usual(days: list[Day]) -> dict[int, float]:
    known = {24 * number + hour: minutes for number, day in enumerate(days) for hour, minutes in day.items()}
    counted = np.array([row in known for row in range(len(STARTS))])
    return usual_minutes(STARTS, counted, known, ZURICH)


def test_hours_with_which_a_day_begins_and_ends_have_the_minutes_of_most_days() -> None:
    short = USUAL | {9: 12}
    found = usual([short if number == 9 else USUAL for number in range(DAYS)])
    assert {found[24 * day + 9] for day in range(DAYS)} == {30}, "also on the day that has twelve"
    assert {found[24 * day + 20] for day in range(DAYS)} == {15}
    assert 24 + 12 not in found, "no edge"


def test_a_saturday_that_opens_later_has_its_own_minutes() -> None:
    late = {hour: minutes for hour, minutes in USUAL.items() if hour > 10} | {10: 45.0}
    found = usual([late if number % 7 == 5 else USUAL for number in range(DAYS)])
    assert [found.get(24 * day + 10) for day in range(7)] == [None] * 5 + [45] + [None]
    assert found[9] == 30


@pytest.mark.parametrize("share", [2, 3, 4])
def test_a_counter_that_fails_on_many_days_at_other_minutes_makes_nothing_usual(share: int) -> None:
    """Of one in so many days alone the afternoon is counted whole."""
    dead = [
        {9: 30.0} | dict.fromkeys(range(10, 14), 60.0) | {14: float(7 * number % 60 + 1)}
        for number in range(DAYS)
    ]
    found = usual([USUAL if number % share == 0 else dead[number] for number in range(DAYS)])
    held = held_minutes_of(STARTS, found, None, ZURICH)
    assert not any(24 * day + 14 in held for day in range(DAYS)), "all of the hour is to be there"


def test_an_hour_that_lacks_minutes_between_counted_ones_is_never_usual() -> None:
    found = usual([USUAL | {13: 20.0} for _ in range(DAYS)])
    assert not any(24 * day + 13 in found for day in range(DAYS))


def test_two_days_make_nothing_usual() -> None:
    assert usual([USUAL, USUAL]) == {}


def test_open_minutes_are_held_and_more_where_more_are_usual() -> None:
    opens, closes = MONDAY + timedelta(hours=9, minutes=30), MONDAY + timedelta(hours=20, minutes=15)
    open_time = OpenTime((TimeRange(opens, closes),))
    assert held_minutes_of(STARTS, {}, open_time, ZURICH) == {9: 30, 20: 15}
    often = {9: 10.0, 20: 40.0, 21: 5.0}
    assert held_minutes_of(STARTS, often, open_time, ZURICH) == {9: 30, 20: 40, 21: 5}
    assert held_minutes_of(STARTS, {9: 60.0}, open_time, ZURICH) == {20: 15}, "counted beyond its opening"
    assert held_minutes_of(STARTS, often, None, ZURICH) == often


def test_an_hour_lacks_minutes_where_more_are_missing_than_hardly_matter() -> None:
    held = {9: 30.0, 20: 15.0, 33: 30.0, 44: 15.0}
    known = {9: 30.0, 20: 12.0, 33: 26.0, 10: 5.0}
    assert lacking(known, held) == {33: Completeness(26, 30)}


def counted_in_all(counted: Mapping[datetime, Minute]) -> Completeness:
    """Of the minutes of `DAYS` days in the hall, how many the whole way to a verdict takes for counted."""
    end = MONDAY + timedelta(days=DAYS)
    hall = Subject(SubjectKind.ZONE, "hall", "Hall")
    request = HistoryRequest(
        "shop", (hall,), METRICS_OF_HOURS, TimeRange(MONDAY, end), ZURICH, end, Granularity.HOUR
    )
    grid = place_grid(request, CountingService(counted, end).run)
    assert grid is not None
    return counted_of(grid.hours[hall], grid.expected[hall], slice(0, len(grid.starts)))


def test_a_counter_that_reports_every_hour_is_not_told_from_a_service_that_heeds_no_aggregation() -> None:
    """Its sums are its averages: nothing is said of minutes, and its hours count whole."""
    counted = {MONDAY + number * timedelta(hours=1): Minute(1, 1, 1) for number in range(DAYS * 24)}
    found = counted_in_all(counted)
    assert found == (DAYS * 24 * 60, DAYS * 24 * 60)


@pytest.mark.parametrize("every", [7, 30])
def test_of_a_counter_that_reports_every_few_minutes_the_empty_hours_are_counted_as_the_others(
    every: int,
) -> None:
    """People come from nine to five; by brute force, as many minutes have counts as there are reports."""
    moments = [MONDAY + number * MINUTE for number in range(1, DAYS * 24 * 60, every)]
    counted = {at: Minute(*(3 * [int(9 <= at.hour < 17)])) for at in moments}
    found = counted_in_all(counted)
    assert found.present == pytest.approx(len(moments), rel=0.005)
    assert found.expected == DAYS * 24 * 60
