"""Which past hours tell what such an hour usually has: none of a minute or two, however many there are."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from analysis.bands import Band
from analysis.open_time import Opening
from analysis.time_range import TimeRange
from tests.analysis.test_estimates import (
    CAME,
    EIGHT_TO_TWELVE,
    TUESDAY,
    WITHIN,
    Minutes,
    clocks,
    minute_of,
    request_of,
    told,
    weeks,
)
from tests.analysis.test_open_only import ZURICH
from tests.counting_service import Minute

NINE, TEN = 9 * 60, 10 * 60


def with_lone_minutes(minutes: Minutes, lone: range, *, kept: range = range(NINE, NINE + 1)) -> Minutes:
    """Of the hour from 9 of those weeks before, `kept` minutes alone are counted, and 500 are inside then."""
    found = dict(minutes)
    for week in lone:
        day = TUESDAY - timedelta(weeks=week)
        for clock in range(NINE, TEN):
            at = minute_of(day, clock, ZURICH)
            if clock in kept:
                found[at] = Minute(50, 0, 500)
            else:
                del found[at]
    return found


@pytest.mark.parametrize("kept", [1, 3, 20, 40])
@pytest.mark.parametrize("opening", [None, EIGHT_TO_TWELVE])
def test_of_hours_that_lack_many_of_their_minutes_no_usual_hour_is_made(
    kept: int, opening: Opening | None
) -> None:
    minutes = weeks(missing=range(NINE, TEN))
    found = told(with_lone_minutes(minutes, range(1, 9), kept=range(NINE, NINE + kept)), opening=opening)
    assert found.hours == {}
    assert found.untold == {CAME: {TUESDAY: 60}, WITHIN: {TUESDAY: 60}}


@pytest.mark.parametrize("opening", [None, EIGHT_TO_TWELVE])
def test_the_whole_ones_tell_it_where_these_are_the_fewer(opening: Opening | None) -> None:
    """Of the five weeks before the minute alone is there; six, seven and eight weeks ago all of the hour."""
    found = told(with_lone_minutes(weeks(missing=range(NINE, TEN)), range(1, 6)), opening=opening)
    assert clocks(found, CAME) == {9: Band(360, 420, 480, 3)}
    assert clocks(found, WITHIN) == {9: Band(60, 70, 80, 3)}


@pytest.mark.parametrize("counted", [1, 20])
def test_an_hour_that_lacks_minutes_that_such_ones_lack_too_is_not_whole(counted: int) -> None:
    lone = with_lone_minutes(weeks(missing=range(NINE + counted, TEN)), range(1, 9))
    found = told(lone)
    assert found.hours == {}
    assert found.untold == {CAME: {TUESDAY: 60 - counted}}, "the average inside is there"


def test_an_hour_that_most_such_days_count_for_forty_five_minutes_is_expected_to_be_so_again() -> None:
    found = told(with_lone_minutes(weeks(missing=range(NINE, TEN)), range(1, 9), kept=range(NINE, NINE + 45)))
    assert clocks(found, CAME) == {9: Band(45 * 50, 45 * 50, 45 * 50, 8)}


def test_days_of_three_hours_of_which_the_middle_one_has_a_minute_are_no_slow_counter() -> None:
    """An hour within a day tells how often a counter reports, but not where hours beside it have more."""
    minutes = {
        at: one for at, one in weeks(missing=range(NINE, TEN)).items() if at.astimezone(ZURICH).hour < 11
    }
    found = told(with_lone_minutes(minutes, range(1, 9)))
    assert found.hours == {}
    assert found.untold == {CAME: {TUESDAY: 60}, WITHIN: {TUESDAY: 60}}


def test_a_minute_before_opening_is_no_hour_that_is_missing() -> None:
    """Somebody switches the counter on at one minute to eight; on the Tuesday nothing is counted at all."""
    minutes = weeks(missing=range(1440))
    for week in range(1, 9):
        minutes[minute_of(TUESDAY - timedelta(weeks=week), 8 * 60 - 1, ZURICH)] = Minute(1, 0, 1)
    found = told(minutes)
    assert set(clocks(found, CAME)) == set(clocks(found, WITHIN)) == {8, 9, 10, 11}
    assert found.days[CAME][TUESDAY].minutes == 240
    assert found.untold == {}


@pytest.mark.parametrize("opening", [None, EIGHT_TO_TWELVE])
def test_a_range_of_one_hour_with_a_lone_minute_lacks_the_others(opening: Opening | None) -> None:
    """Its sum is its average, as if a service answered both alike; the weeks before show that it does not."""
    asked = request_of()
    hour = replace(asked, range=TimeRange(minute_of(TUESDAY, NINE, ZURICH), minute_of(TUESDAY, TEN, ZURICH)))
    found = told(weeks(missing=range(NINE + 1, TEN)), hour, opening)
    assert clocks(found, CAME) == {9: Band(59, 59 * 4.5, 59 * 8, 8)}
