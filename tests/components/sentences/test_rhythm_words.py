from __future__ import annotations

from collections.abc import Mapping

import pytest

from analysis.bands import Band
from analysis.bucket_table import Completeness
from analysis.reporting_rate import EACH_MINUTE, ReportingRate
from analysis.rhythm import Cell, Hour, PowerHours, Rhythm, power_hours
from analysis.rhythm_answer import HourOfDay
from components.number_format import Formats
from components.sentences.rhythm_words import (
    amount,
    extremes,
    minutes_words,
    named_hours,
    power_words,
    rests_on,
    usual_words,
    usual_words_today,
)
from contract import MetricKey

FORMATS = Formats()
INSIDE, ENTRANCES, TIME = MetricKey.VISITORS_INSIDE, MetricKey.ENTRANCES, MetricKey.TIME_SPENT
ALL = Completeness(4, 4)


def week(cells: dict[Hour, Cell]) -> Rhythm:
    return Rhythm(cells, {})


def test_the_busiest_and_the_quietest_hour_are_named_with_their_days() -> None:
    found = week({Hour(5, 14): Cell(61.4, ALL), Hour(0, 9): Cell(2.5, Completeness(3, 4))})
    assert extremes(found, INSIDE, FORMATS) == (
        "Most on Saturdays from 14:00 to 15:00: 61 inside on average, of 4 days."
        " Fewest on Mondays from 09:00 to 10:00: 2.5 inside on average, of 3 days."
    )


def test_one_hour_alone_is_no_quietest() -> None:
    found = week({Hour(5, 23): Cell(61.4, ALL)})
    assert extremes(found, INSIDE, FORMATS) == (
        "Most on Saturdays from 23:00 to 00:00: 61 inside on average, of 4 days."
    )


@pytest.mark.parametrize(
    "cell",
    [Cell(None, Completeness(0, 4)), Cell(9, Completeness(1, 4)), Cell(0, ALL)],
)
def test_what_rests_on_too_little_is_no_rhythm(cell: Cell) -> None:
    assert "enough days" in extremes(week({Hour(0, 9): cell}), INSIDE, FORMATS)


def test_a_young_place_needs_fewer_weeks_and_one_that_drifts_another_metric() -> None:
    young = week({Hour(0, 9): Cell(9, Completeness(2, 8))})
    assert extremes(young, INSIDE, FORMATS).endswith("Choose fewer weeks.")
    adrift = week({Hour(0, 9): Cell(None, Completeness(0, 8), 8)})
    assert extremes(adrift, INSIDE, FORMATS).startswith("The number inside cannot be trusted on most of")


def test_where_nothing_was_counted_before_more_weeks_are_no_advice() -> None:
    first = week({Hour(0, 9): Cell(9, Completeness(1, 1))})
    assert extremes(first, INSIDE, FORMATS).endswith("Choose more weeks.")
    assert extremes(first, INSIDE, FORMATS, is_all=True).endswith("Come back when a second week is counted.")
    silent = week({Hour(0, 9): Cell(None, Completeness(0, 8))})
    assert extremes(silent, INSIDE, FORMATS, is_all=True).endswith("to say when it is busy.")


def test_a_weekday_without_numbers_may_be_a_closed_one() -> None:
    assert usual_words(6, {}, INSIDE, FORMATS).startswith("Sundays have too few days")
    assert usual_words(6, {}, INSIDE, FORMATS, is_closed=True).startswith("The site is closed on Sundays,")


def test_a_time_inside_is_told_in_minutes_and_is_long_or_short() -> None:
    found = week({Hour(5, 14): Cell(1500, ALL), Hour(0, 9): Cell(330, ALL)})
    assert extremes(found, TIME, FORMATS) == (
        "Longest on Saturdays from 14:00 to 15:00: 25 min inside per person on average, of 4 days."
        " Shortest on Mondays from 09:00 to 10:00: 5.5 min inside per person on average, of 4 days."
    )


def test_power_hours_say_how_concentrated_a_week_is() -> None:
    found = PowerHours((Hour(5, 14), Hour(5, 15)), 0.8123, 70)
    assert power_words(found, FORMATS) == (
        "81\u00a0% of the entrances of a week come in 2 (dots) of the 70 hours in which anybody comes."
    )
    assert power_words(found, FORMATS, is_drawn=False).endswith("in which anybody comes.")


def of_days(days: Mapping[int, range], left_out: Mapping[int, range]) -> Rhythm:
    """Ten on all days in some hours of a weekday, and on too few days in those that are left out."""
    told = {Hour(day, hour): Cell(10, ALL) for day, hours in days.items() for hour in hours}
    few = {
        Hour(day, hour): Cell(10, Completeness(1, 4), partial=3)
        for day, hours in left_out.items()
        for hour in hours
    }
    return week(told | few)


def test_hours_that_are_left_out_are_named_beside_the_fullest_and_the_power_hours() -> None:
    """Twelve hours on six days, of which those of Tuesdays are left out, and an hour of the days before."""
    found = of_days(
        {0: range(9, 20), **dict.fromkeys((2, 3, 4, 5), range(8, 20))}, {0: range(8, 9), 1: range(8, 20)}
    )
    named = "on Mondays from 08:00 to 09:00 and on Tuesdays from 08:00 to 20:00"
    assert extremes(found, INSIDE, FORMATS).endswith(
        f" Not in this: 13 hours of the week of which too few days can be used, {named}."
    )
    power = power_hours(found)
    assert power is not None
    assert power_words(power, FORMATS) == (
        "81\u00a0% of the entrances of a week come in 48 (dots) of the 59 hours in which anybody comes,"
        f" without 13 hours of which too few days can be used: {named}."
    )
    assert power_words(power, FORMATS, named=found.left_out).endswith(
        "anybody comes, without 13 hours of which too few days can be used."
    )


def test_where_most_hours_are_left_out_no_hours_hold_most_of_a_week() -> None:
    """Of a place with people in 84 hours of the week 55 are left out: nobody knows how many come in them."""
    found = of_days({0: range(8, 20), 1: range(8, 20), 2: range(8, 13)}, {
        2: range(13, 20), **dict.fromkeys((3, 4, 5, 6), range(8, 20)),
    })  # fmt: skip
    power = power_hours(found)
    assert power is not None
    assert not power.are_told
    assert power_words(power, FORMATS) == (
        "Which hours bring most of the entrances of a week cannot be told: too few days can be used of 55 of"
        " the 84 hours in which anybody comes: on Wednesdays from 13:00 to 20:00 and on Thursdays to Sundays"
        " from 08:00 to 20:00."
    )


@pytest.mark.parametrize(
    ("hours", "said"),
    [
        ([Hour(6, hour) for hour in range(24)], "on Sundays"),
        ([Hour(day, 8) for day in range(7)], "on all weekdays from 08:00 to 09:00"),
        ([Hour(day, 8) for day in (0, 2)], "on Mondays and Wednesdays from 08:00 to 09:00"),
        ([Hour(0, 8), Hour(0, 10), Hour(1, 12), Hour(1, 14)], "on Mondays and Tuesdays"),
        ([Hour(0, 23), Hour(1, 0)], "on Mondays from 23:00 to 00:00 and on Tuesdays from 00:00 to 01:00"),
    ],
)
def test_hours_of_the_week_are_named_by_their_days(hours: list[Hour], said: str) -> None:
    assert named_hours(hours, FORMATS) == said


def test_what_is_missing_and_what_is_left_out_is_told() -> None:
    cells = {Hour(0, 9): Cell(5, Completeness(3, 4), 1), Hour(0, 10): Cell(None, Completeness(0, 4))}
    assert rests_on(cells, EACH_MINUTE, FORMATS) == (
        "3 of 8 hours are counted and used. 1 is left out because the number inside cannot be trusted then."
    )
    assert rests_on({Hour(0, 9): Cell(5, ALL)}, ReportingRate(8, 60 / 7), FORMATS) == (
        "All 4 hours are counted and used. Of a whole hour, 9 of the 60 minutes have counts."
    )


def test_a_usual_day_names_its_highest_hour_and_how_far_days_differ() -> None:
    bands = {9: Band(10, 20, 30, 4), 14: Band(48, 61, 70, 4)}
    assert usual_words(5, bands, INSIDE, FORMATS) == (
        "Saturdays are highest from 14:00 to 15:00: median 61 inside, between 48 and 70 on all 4 days."
    )
    assert (
        usual_words(5, {}, INSIDE, FORMATS)
        == "Saturdays have too few days that can be used to say what is usual."
    )


def test_nobody_is_usual_only_where_hours_with_people_are_not_left_out() -> None:
    empty = dict.fromkeys(range(8), Band(0, 0, 0, 4))
    assert usual_words(1, empty, INSIDE, FORMATS) == "Nobody is usually counted on Tuesdays."
    assert usual_words(1, empty, INSIDE, FORMATS, left_out=range(8, 20)) == (
        "Too little is known of Tuesdays to say what is usual: of 12 hours in which somebody may come, too"
        " few days can be used."
    )
    assert usual_words(1, empty | {9: Band(10, 20, 30, 4)}, INSIDE, FORMATS, left_out=[12]).endswith(
        " on all 4 days. Not in this: 1 hour of which too few days can be used, from 12:00 to 13:00."
    )


def test_an_hour_of_too_few_days_is_not_the_highest_of_a_usual_day() -> None:
    bands = {9: Band(10, 20, 30, 4), 14: Band(48, 61, 70, 2)}
    assert usual_words(5, bands, INSIDE, FORMATS, left_out=[14, 15]) == (
        "Saturdays are highest from 09:00 to 10:00: median 20 inside, between 10 and 30 on all 4 days."
        " Not in this: 2 hours of which too few days can be used, from 14:00 to 16:00."
    )


def test_an_old_number_of_today_does_not_stand_for_the_hours_since() -> None:
    """The morning was empty; of what came later no hour can be used."""
    night = [HourOfDay(hour, 0) for hour in range(8)]
    later = [HourOfDay(hour, None) for hour in range(8, 18)]
    said = "Nothing can be told of today since 08:00: no counts since then can be used."
    for metric in (INSIDE, ENTRANCES):
        assert usual_words_today([*night, *later], Band(0, 0, 0, 4), metric, FORMATS) == said
    day = [*night, HourOfDay(8, 5), *later[1:]]
    assert usual_words_today(day, Band(4, 5, 6, 4), INSIDE, FORMATS) == (
        "Today from 08:00 to 09:00: 5 inside, as usual (median 5, between 4 and 6 on all 4 days)."
        f" {said.replace('08:00', '09:00')}"
    )
    assert str(usual_words_today(day, Band(4, 5, 6, 4), TIME, FORMATS)).endswith("on all 4 days).")


@pytest.mark.parametrize(
    ("value", "said"), [(47, "less than usual"), (48, "as usual"), (70, "as usual"), (71, "more than usual")]
)
def test_today_is_unusual_only_outside_of_eight_days_of_ten(value: float, said: str) -> None:
    day = [HourOfDay(13, 3), HourOfDay(14, value)]
    assert usual_words_today(day, Band(48, 61, 70, 4), INSIDE, FORMATS) == (
        f"Today from 14:00 to 15:00: {value:.0f} inside, {said} (median 61, between 48 and 70 on all 4 days)."
    )


def test_who_came_today_is_summed_over_its_counted_hours() -> None:
    day = [HourOfDay(9, 30), HourOfDay(10, None), HourOfDay(11, 31)]
    assert usual_words_today(day, Band(48, 61, 70, 4), ENTRANCES, FORMATS) == (
        "Today in 2 of 3 hours: 61 came in, as usual (median 61, between 48 and 70 on all 4 days)."
    )
    assert usual_words_today([HourOfDay(9, None)], Band(48, 61, 70, 4), ENTRANCES, FORMATS) is None
    assert usual_words_today(day, None, ENTRANCES, FORMATS) is None


@pytest.mark.parametrize(
    ("value", "said"),
    [(0, "0"), (0.04, "under 0.1"), (0.1, "0.1"), (19.94, "19.9"), (20, "20"), (1234.5, "1,234")],
)
def test_small_means_have_a_decimal(value: float, said: str) -> None:
    assert amount(value, INSIDE, FORMATS) == said


@pytest.mark.parametrize(
    ("minutes", "said"),
    [
        (0, "0 min"),
        (0.4, "under 1 min"),
        (1.25, "1 min"),
        (1.6, "2 min"),
        (97.6, "98 min"),
        (145, "2 h 25 min"),
    ],
)
def test_minutes_a_day_are_told_in_minutes_however_few(minutes: float, said: str) -> None:
    assert minutes_words(minutes, Formats()) == said
