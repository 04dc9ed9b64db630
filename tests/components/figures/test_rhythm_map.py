from __future__ import annotations

import pytest

from analysis.bucket_table import Completeness
from analysis.rhythm import DAYS_A_WEEK, HOURS_A_DAY, Cell, Hour
from components.figures.rhythm_map import hour_text, rhythm_map
from components.number_format import Formats, formats_of
from components.theme import DARK, LIGHT, Palette
from contract import MetricKey

NONE = Cell(None, Completeness(0, 4))
WEEK = {Hour(day, hour): NONE for day in range(DAYS_A_WEEK) for hour in range(HOURS_A_DAY)}
INSIDE, TIME = MetricKey.VISITORS_INSIDE, MetricKey.TIME_SPENT


def test_an_hour_without_counts_is_blank_and_a_counted_nobody_is_not() -> None:
    cells = WEEK | {Hour(0, 9): Cell(0, Completeness(4, 4))}
    (heat,) = rhythm_map(cells, INSIDE, (), theme="light", formats=Formats(), revision="a").data
    assert (heat.z[0][9], heat.z[0][10]) == (0, None)
    assert list(heat.y) == ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]


def test_few_days_have_a_cross_and_power_hours_a_dot() -> None:
    cells = WEEK | {
        Hour(0, 9): Cell(5, Completeness(1, 4)),
        Hour(1, 9): Cell(5, Completeness(2, 4)),
        Hour(6, 23): Cell(5, Completeness(4, 4)),
    }
    _, dots, crosses = rhythm_map(
        cells, INSIDE, [Hour(6, 23)], theme="dark", formats=Formats(), revision="a"
    ).data
    assert (list(dots.x), list(dots.y)) == ([23.5], ["Sun"])
    assert (list(crosses.x), list(crosses.y)) == ([9.5], ["Mon"])


def test_a_closed_hour_has_a_stroke_and_keeps_who_is_counted_in_it() -> None:
    cells = WEEK | {Hour(0, 9): Cell(5, Completeness(4, 4))}
    heat, strokes = rhythm_map(
        cells, INSIDE, (), closed=[Hour(0, 9)], theme="light", formats=Formats(), revision="a"
    ).data
    assert (list(strokes.x), list(strokes.y)) == ([9.5], ["Mon"])
    assert heat.z[0][9] == 5
    assert heat.text[0][9].endswith("on average, 4 of 4 days; closed in a usual week")
    assert "closed" not in heat.text[0][10]


def test_each_weekday_is_named_and_no_mark_at_the_edge_makes_room_beyond_the_squares() -> None:
    layout = rhythm_map(
        WEEK, INSIDE, (), closed=[Hour(6, 3)], theme="light", formats=Formats(), revision="a"
    ).layout
    assert list(layout.yaxis.tickvals) == ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    assert list(layout.yaxis.range) == [6.5, -0.5]


@pytest.mark.parametrize(("theme", "palette"), [("light", LIGHT), ("dark", DARK)])
def test_strokes_and_crosses_have_a_colour_of_the_theme(theme: str, palette: Palette) -> None:
    """Plotly draws both by their line alone, which is dark grey where it has no colour."""
    cells = WEEK | {Hour(0, 9): Cell(5, Completeness(1, 4))}
    _, *marks = rhythm_map(
        cells, INSIDE, (), closed=[Hour(6, 3)], theme=theme, formats=Formats(), revision="a"
    ).data
    assert [one.marker.line.color for one in marks] == [palette.quiet_text] * 2


def test_a_time_inside_is_drawn_in_minutes() -> None:
    cells = WEEK | {Hour(0, 9): Cell(90, Completeness(4, 4))}
    (heat,) = rhythm_map(cells, TIME, (), theme="light", formats=Formats(), revision="a").data
    assert heat.z[0][9] == 1.5


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (
            Cell(31.26, Completeness(3, 4)),
            "Tuesday 23:00 to 00:00: 31 inside on average, 3 of 4 days",
        ),
        (
            Cell(None, Completeness(0, 4), 2),
            "Tuesday 23:00 to 00:00: no number, 0 of 4 days, 2 not to be trusted",
        ),
    ],
)
def test_a_square_tells_on_how_many_days_it_rests(cell: Cell, said: str) -> None:
    assert hour_text(Hour(1, 23), cell, INSIDE, Formats()) == said


def test_hours_are_those_of_the_readers_clock() -> None:
    said = hour_text(Hour(1, 13), NONE, INSIDE, formats_of("en-US"))
    assert said.startswith("Tuesday 1:00\u00a0PM to 2:00\u00a0PM")
