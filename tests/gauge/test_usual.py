"""What is usual at a minute of the day, as the browser reads it out of a typical day."""

from __future__ import annotations

import pytest

from tests.gauge_scripts import evaluated

SLOPE = [[1080 + 7.5, 7.0], [1095 + 7.5, 22.0], [1110 + 7.5, 37.0], [1200 + 7.5, 50.0]]
"""From 18:00 one person a minute, by means of quarters; then an hour without a count."""


@pytest.mark.parametrize(
    ("minute", "usual"),
    [
        (1087.5, 7.0),
        (1095, 14.5),
        (1100, 19.5),
        (1117.5, 37.0),
        (1080, None),
        (1118, None),
        (1150, None),
        (1207.5, None),
    ],
)
def test_the_usual_lies_between_the_middles_of_two_neighbouring_quarters(
    minute: float, usual: float | None
) -> None:
    assert evaluated("usualAt(given[0], given[1])", SLOPE, minute) == usual


OPEN_AT_NIGHT = [[0, 40.0], [7.5, 32.0], [1432.5, 60.0], [1440, 50.0]]


def compared(minute: float, age: float) -> str:
    """70 inside, counted so many minutes after midnight UTC and `age` minutes ago."""
    view = {
        "inside": 70,
        "age": 60 * age,
        "feed": {"measured_at": 60 * minute},
        "freshness": {"isTrusted": True},
        "now": 60 * (minute + age),
    }
    day = {"timezone": "UTC", "day_start": 0, "typical": OPEN_AT_NIGHT}
    call = "comparisonWords(Object.assign(given[0], { format: { number: String } }), given[1], '')"
    words: str = evaluated(call, view, day)
    return words


def test_a_number_is_compared_with_what_is_usual_when_it_was_counted() -> None:
    assert compared(0, 7) == "30 more than usual"
    assert compared(1436, 0) == "15 more than usual"
    assert compared(1439, 0.5) == "19 more than usual"


def test_a_number_that_is_older_than_a_quarter_of_an_hour_or_of_yesterday_is_not_compared() -> None:
    assert compared(0, 16) == ""
    assert compared(-1, 2) == ""


def test_a_typical_day_is_drawn_without_a_bridge_over_what_is_not_known() -> None:
    runs = evaluated("unbroken(given[0], isNextTo)", SLOPE)
    assert runs == [SLOPE[:3], SLOPE[3:]]


def test_a_step_of_today_is_drawn_where_its_mean_is() -> None:
    """One person a minute more: steps and the minutes that follow lie on one slope, however they came."""
    ramp = [[60 * minute, minute] for minute in range(1, 25)]
    steps = [[300 * step, 5 * step + 2] for step in range(4)]
    day = {"day_start": 0, "today": steps}
    curve = evaluated("curveOfToday(given[0], given[1])", day, ramp)
    assert [seconds for seconds, _ in curve] == [150, 450, 750, *range(900, 1500, 60)]
    assert all(abs(seconds / 60 - inside) <= 0.5 for seconds, inside in curve)
    assert evaluated("curveOfToday(given[0], given[1])", day, [])[-1] == [1050, 17]


def test_of_hours_no_curve_of_a_typical_day_is_named_because_none_is_drawn() -> None:
    hours = [[60 * hour + 7.5, 20.0] for hour in range(8, 20)]
    assert evaluated("hasCurve(given[0])", SLOPE)
    assert not evaluated("hasCurve(given[0])", [[0, 20.0], [7.5, 20.0], *hours])
    day = {"typical": hours, "typical_days": 6, "weekday": "Sunday"}
    assert evaluated("typicalWords(given[0])", day) == ""
    assert "6 past Sundays" in evaluated("typicalWords(given[0])", day | {"typical": SLOPE})


def test_between_two_neighbours_of_todays_curve_that_are_far_apart_nothing_was_counted() -> None:
    today = [[minute, 5, 60 * minute] for minute in (600, 605, 610, 700, 705)]
    hours = {"from": 540, "to": 720}
    found = "uncountedWithin(given[0], given[1], given[2])"
    assert evaluated(found, today, hours, []) == [[610, 700]]
    assert evaluated(found, today, {"from": 660, "to": 720}, []) == [[660, 700]]
    assert evaluated(found, today, hours, [[600, 720]]) == [], "it is closed, and shaded as that"
    assert evaluated(found, today[:3], hours, []) == []


@pytest.mark.parametrize(
    ("closed", "shaded"),
    [
        ([[0, 500], [7000, 9000], [12_000, 20_000]], [[7000, 9000], [12_000, 13_000]]),
        ([[0, 20_000]], [[6000, 13_000]]),
        ([], []),
    ],
)
def test_the_last_hours_shade_what_of_them_is_closed(
    closed: list[list[int]], shaded: list[list[int]]
) -> None:
    assert evaluated("closedSince({closed: given[0]}, 6000, 13000)", closed) == shaded


def test_a_day_of_which_nobody_said_when_it_is_open_has_no_shade() -> None:
    assert evaluated("closedSince({}, 6000, 13000)") == []


def test_in_the_second_of_an_hour_that_comes_twice_the_usual_of_the_first_stays() -> None:
    midnight = 1_792_879_200  # 25 October 2026 in Zurich
    typical = [[minute + 7.5, 10.0] for minute in range(0, 1440, 15)]
    day = {"timezone": "Europe/Zurich", "day_start": midnight, "typical": typical}
    line = evaluated("usualLine(given[0], given[1], 7200)", day, midnight + 3 * 3600 + 600)
    assert [seconds for seconds, _ in line] == [midnight + 60 * minute for minute in range(70, 191)]
    begun = evaluated("usualLine(given[0], given[1], 7200)", day, midnight + 1200)
    assert [seconds for seconds, _ in begun] == [midnight + 60 * minute for minute in range(8, 21)]
