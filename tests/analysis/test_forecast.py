from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date, timedelta
from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.forecast import BACK_WEEKS, WEEKS, Day, Expected, forecast, past_error

MONDAY = date(2026, 6, 29)
HOURS = range(9, 18)


def days_before(last: date, weeks: int) -> list[date]:
    return [last - timedelta(days=ago) for ago in range(7 * weeks, 0, -1)]


def steady(weeks: int = WEEKS, people: float = 50) -> list[Day]:
    """Every day the same."""
    return [Day(day, dict.fromkeys(HOURS, people)) for day in days_before(MONDAY, weeks)]


def scattered(seed: int, weeks: int, *, day_factor: float = 0.0) -> list[Day]:
    """Poisson counts with a shape over the day; whole days run above or below it by `day_factor`."""
    random = np.random.default_rng(seed)
    found = []
    for day in days_before(MONDAY, weeks):
        runs = math.exp(random.normal(0, day_factor))
        shape = {hour: 20 + 12 * (hour - 9) for hour in HOURS}
        found.append(Day(day, {hour: float(random.poisson(runs * usual)) for hour, usual in shape.items()}))
    return found


def test_days_that_never_differ_are_expected_again() -> None:
    found = forecast(steady(), Day(MONDAY, {9: 50, 10: 50}), range(11, 18))
    assert found.hours == dict.fromkeys(range(11, 18), Expected(50, 50, 50))
    assert (found.days, found.closed, found.is_unlike) == (WEEKS, 0, False)


def test_the_middle_is_the_median_of_the_weekday_where_nothing_tells_how_today_runs() -> None:
    past = scattered(1, WEEKS)
    found = forecast(past, Day(MONDAY, {}), HOURS)
    for hour in HOURS:
        own = [one.hours[hour] for one in past if one.day.weekday() == MONDAY.weekday()]
        assert found.hours[hour].median == pytest.approx(median(own))


def test_the_band_is_the_errors_of_the_same_forecast_on_past_days() -> None:
    """By brute force: each day against the median of the other days of its weekday."""
    past = scattered(2, WEEKS)
    band = forecast(past, Day(MONDAY, {}), [12]).hours[12]
    scores = []
    for one in past:
        others = [
            other.hours[12] for other in past
            if other.day.weekday() == one.day.weekday() and other.day != one.day
        ]  # fmt: skip
        scores.append((one.hours[12] - median(others)) / math.sqrt(median(others) + 1))
    scores.sort()
    spread = math.sqrt(band.median + 1)
    last = math.ceil((len(scores) + 1) * 0.9)
    first = math.floor((len(scores) + 1) * 0.1)
    assert band.low == pytest.approx(band.median + scores[first - 1] * spread)
    assert band.high == pytest.approx(band.median + scores[last - 1] * spread)


def test_a_day_that_runs_high_is_carried_on_where_past_days_went_on_so() -> None:
    past = scattered(3, WEEKS, day_factor=0.4)
    usual = {hour: value.median for hour, value in forecast(past, Day(MONDAY, {}), HOURS).hours.items()}
    busy = Day(MONDAY, {hour: 1.5 * usual[hour] for hour in (9, 10, 11)})
    carried = forecast(past, busy, range(12, 18)).hours
    assert all(1.2 * usual[hour] < carried[hour].median < 1.6 * usual[hour] for hour in range(12, 18))


def test_a_day_that_runs_high_tells_little_where_hours_scatter_alone() -> None:
    past = scattered(4, WEEKS)
    usual = {hour: value.median for hour, value in forecast(past, Day(MONDAY, {}), HOURS).hours.items()}
    busy = Day(MONDAY, {hour: 1.5 * usual[hour] for hour in (9, 10, 11)})
    carried = forecast(past, busy, range(12, 18)).hours
    assert all(carried[hour].median < 1.2 * usual[hour] for hour in range(12, 18))


def test_hours_after_the_first_to_come_are_not_known_yet() -> None:
    past = scattered(3, WEEKS, day_factor=0.4)
    told = forecast(past, Day(MONDAY, {9: 60, 10: 70, 13: 1000}), [11, 12])
    assert told == forecast(past, Day(MONDAY, {9: 60, 10: 70}), [11, 12])


def test_too_few_days_of_the_weekday_expect_nothing() -> None:
    two_weeks = forecast(steady(2), Day(MONDAY, {}), HOURS)
    assert (two_weeks.hours, two_weeks.days) == ({}, 2)
    assert forecast([], Day(MONDAY, {}), HOURS).hours == {}
    assert forecast(steady(3), Day(MONDAY, {}), HOURS).hours.keys() == set(HOURS)


def test_an_hour_that_few_days_have_is_left_out_alone() -> None:
    past = [
        Day(one.day, {hour: value for hour, value in one.hours.items() if hour != 12 or one.day.day % 7 == 1})
        for one in steady()
    ]
    assert forecast(past, Day(MONDAY, {}), HOURS).hours.keys() == set(HOURS) - {12}


def test_older_weeks_and_later_days_are_not_used() -> None:
    past = steady()
    older = [Day(day, dict.fromkeys(HOURS, 900.0)) for day in days_before(past[0].day, 3)]
    later = [Day(MONDAY + timedelta(days=ahead), dict.fromkeys(HOURS, 900.0)) for ahead in range(7)]
    assert forecast([*older, *past, *later], Day(MONDAY, {}), HOURS) == forecast(past, Day(MONDAY, {}), HOURS)


def test_at_hours_at_which_the_place_is_closed_nobody_is_expected() -> None:
    past = [Day(one.day, {**dict.fromkeys(range(24), 0.0), **one.hours}) for one in scattered(5, WEEKS)]
    found = forecast(past, Day(MONDAY, {}), range(24)).hours
    assert all(found[hour] == Expected(0, 0, 0) for hour in set(range(24)) - set(HOURS))


def test_on_a_weekday_that_is_always_closed_nobody_is_expected() -> None:
    past = [
        Day(one.day, one.hours if one.day.weekday() != 0 else dict.fromkeys(HOURS, 0.0))
        for one in scattered(6, WEEKS)
    ]
    found = forecast(past, Day(MONDAY, dict.fromkeys(range(9, 12), 0.0)), range(12, 18))
    assert set(found.hours.values()) == {Expected(0, 0, 0)}
    assert (found.closed, found.is_unlike) == (0, False)


def test_a_holiday_says_nothing_of_a_working_day() -> None:
    past = scattered(7, WEEKS)
    holiday = MONDAY - timedelta(weeks=2)
    closed = [
        Day(one.day, dict.fromkeys(HOURS, 0.0)) if one.day == holiday else one for one in past
    ]  # fmt: skip
    without = [one for one in past if one.day != holiday]
    found = forecast(closed, Day(MONDAY, {}), HOURS)
    assert found.hours == forecast(without, Day(MONDAY, {}), HOURS).hours
    assert (found.days, found.closed) == (WEEKS - 1, 1)


def test_where_few_come_a_day_of_nobody_is_one_like_the_others() -> None:
    """Two people on one Monday and none on the next: the forecast rests on both."""
    past = [
        Day(day, {9: 1.0, 17: 1.0} if (MONDAY - day).days % 14 else {9: 0.0, 17: 0.0})
        for day in days_before(MONDAY, WEEKS)
    ]
    found = forecast(past, Day(MONDAY, {}), [9, 17])
    assert (found.days, found.closed) == (WEEKS, 0)


def test_a_day_on_which_nobody_has_come_yet_is_told_as_unlike_the_others() -> None:
    past = scattered(8, WEEKS)
    found = forecast(past, Day(MONDAY, {9: 0, 10: 0}), range(11, 18))
    assert found.is_unlike
    assert found.hours == {}
    assert not forecast(past, Day(MONDAY, {9: 0, 10: 1}), range(11, 18)).is_unlike
    assert not forecast(past, Day(MONDAY, {}), range(11, 18)).is_unlike  # no counts is not nobody


@given(
    seed=st.integers(0, 10_000),
    so_far=st.dictionaries(st.sampled_from(HOURS), st.floats(-100, 1e9), max_size=5),
    origin=st.integers(9, 17),
)
def test_a_band_holds_its_middle_and_nobody_less_than_nobody_is_expected(
    seed: int, so_far: Mapping[int, float], origin: int
) -> None:
    found = forecast(scattered(seed, WEEKS), Day(MONDAY, so_far), range(origin, 18))
    for band in found.hours.values():
        assert 0 <= band.low <= band.median <= band.high < math.inf


def test_the_band_holds_four_fifths_of_what_comes() -> None:
    """Of 60 seeds, each a new past and a new day of the same kind."""
    within = hours = 0
    for seed in range(60):
        *past, today = scattered(seed, WEEKS + 1, day_factor=0.2)[-7 * WEEKS - 1 :]
        so_far = {hour: value for hour, value in today.hours.items() if hour < 12}
        for hour, band in forecast(past, Day(today.day, so_far), range(12, 18)).hours.items():
            hours += 1
            within += band.low <= today.hours[hour] <= band.high
    assert hours == 60 * 6
    assert 0.75 <= within / hours <= 0.87


def test_the_error_is_that_of_forecasts_made_on_past_days_from_what_was_known() -> None:
    past = scattered(9, WEEKS + BACK_WEEKS, day_factor=0.2)
    error = past_error(past, MONDAY, range(12, 18))
    assert error is not None
    misses, within = [], 0
    for one in past[-7 * BACK_WEEKS :]:
        before = [other for other in past if other.day < one.day]
        so_far = {hour: value for hour, value in one.hours.items() if hour < 12}
        for hour, band in forecast(before, Day(one.day, so_far), range(12, 18)).hours.items():
            misses.append(abs(one.hours[hour] - band.median))
            within += band.low <= one.hours[hour] <= band.high
    assert (error.days, error.hours, error.within) == (28, 28 * 6, within)
    assert error.mean == pytest.approx(sum(misses) / len(misses))


def test_hours_at_which_nobody_comes_make_no_error_look_smaller() -> None:
    past = [Day(one.day, {**one.hours, 22: 0.0}) for one in scattered(9, WEEKS + BACK_WEEKS)]
    with_night = past_error(past, MONDAY, [12, 22])
    assert with_night is not None
    assert with_night.hours == 28


def test_without_enough_days_before_them_past_days_tell_no_error() -> None:
    assert past_error(steady(3), MONDAY, HOURS) is None
    assert past_error([], MONDAY, HOURS) is None
    assert past_error(steady(), MONDAY, []) is None
