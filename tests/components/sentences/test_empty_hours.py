from __future__ import annotations

from analysis.bucket_table import Completeness
from analysis.rhythm import Cell, Hour, Rhythm
from components.number_format import Formats
from components.sentences.empty_hours import empty_hours_words
from contract import MetricKey

FORMATS = Formats()
INSIDE, ENTRANCES, TIME = MetricKey.VISITORS_INSIDE, MetricKey.ENTRANCES, MetricKey.TIME_SPENT
SUNDAY = frozenset(Hour(6, hour) for hour in range(24))


def week(*empty: Hour, days: int = 4) -> Rhythm:
    """Ten in each hour but these."""
    hours = (Hour(day, hour) for day in range(7) for hour in range(24))
    enough, few = Completeness(4, 4), Completeness(days, 4)
    return Rhythm({hour: Cell(0, few) if hour in empty else Cell(10, enough) for hour in hours}, {})


def test_open_hours_in_which_nobody_comes_are_named_by_day() -> None:
    found = week(*(Hour(4, hour) for hour in range(20, 24)), Hour(5, 0), Hour(5, 1), Hour(6, 12))
    (said,) = empty_hours_words(found, SUNDAY, ENTRANCES, FORMATS)
    assert said == (
        "Nobody came in during 6 of the 144 open hours of a week: on Fridays from 20:00 to 00:00"
        " and on Saturdays from 00:00 to 02:00."
    )


def test_of_many_the_first_is_named() -> None:
    found = week(*(Hour(day, 8) for day in range(4)))
    assert empty_hours_words(found, SUNDAY, INSIDE, FORMATS) == [
        "Nobody was inside during 4 of the 144 open hours of a week: first on Mondays from 08:00 to 09:00."
    ]


def test_hours_of_which_too_few_days_tell_are_not_among_those_that_are_told_of() -> None:
    """Whether somebody comes on Tuesdays, counted on one day of four, nobody knows."""
    found = week(Hour(0, 8))
    few = {Hour(1, hour): Cell(10, Completeness(1, 4), missed=3) for hour in range(24)}
    (said,) = empty_hours_words(Rhythm({**found.cells, **few}, {}), SUNDAY, INSIDE, FORMATS)
    assert said == (
        "Nobody was inside during 1 of the 120 open hours of a week of which enough days can be used:"
        " on Mondays from 08:00 to 09:00."
    )


def test_nothing_is_said_of_closed_hours_few_days_or_where_nobody_said_when_it_is_open() -> None:
    assert empty_hours_words(week(Hour(6, 3)), SUNDAY, ENTRANCES, FORMATS) == []
    assert empty_hours_words(week(Hour(0, 3), days=1), SUNDAY, ENTRANCES, FORMATS) == []
    assert empty_hours_words(week(Hour(0, 3)), frozenset(), ENTRANCES, FORMATS) == []
    assert empty_hours_words(week(Hour(0, 3)), SUNDAY, TIME, FORMATS) == []
