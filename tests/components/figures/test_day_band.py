from __future__ import annotations

from analysis.bands import Band
from analysis.rhythm_answer import HourOfDay
from components.figures.day_band import day_band
from components.number_format import Formats
from contract import MetricKey

BANDS = {9: Band(10, 20, 40, 4), 11: Band(0, 5, 5, 3)}
ENTRANCES, TIME = MetricKey.ENTRANCES, MetricKey.TIME_SPENT


def test_a_band_reaches_from_its_low_to_its_high_end() -> None:
    bars, medians = day_band(BANDS, [], ENTRANCES, theme="light", formats=Formats(), revision="a").data
    assert (list(bars.x), list(bars.base), list(bars.y)) == ([9.5, 11.5], [10, 0], [30, 5])
    assert list(medians.y) == [20, 5]
    assert bars.text[0] == "09:00 to 10:00: median 20 came in, between 10 and 40 on all 4 days"


def test_an_hour_of_today_without_counts_is_not_bridged() -> None:
    day = [HourOfDay(9, 12), HourOfDay(10, None), HourOfDay(11, 3)]
    *_, today = day_band(BANDS, day, ENTRANCES, theme="dark", formats=Formats(), revision="a").data
    assert list(today.y) == [12, None, 3]
    assert today.connectgaps is False
    assert list(today.text) == ["Today 09:00 to 10:00: 12 came in", "", "Today 11:00 to 12:00: 3 came in"]


def test_a_time_inside_is_drawn_in_minutes() -> None:
    bars, _ = day_band(
        {9: Band(60, 90, 180, 4)}, [], TIME, theme="light", formats=Formats(), revision="a"
    ).data
    assert (list(bars.base), list(bars.y)) == ([1], [2])


def test_closed_hours_are_shaded() -> None:
    figure = day_band(BANDS, [], ENTRANCES, closed={8, 12}, theme="light", formats=Formats(), revision="a")
    assert [(shape.x0, shape.x1) for shape in figure.layout.shapes] == [(8, 9), (12, 13)]


def test_notes_of_today_are_numbered_and_those_of_one_minute_share_a_line() -> None:
    figure = day_band(
        BANDS, [], ENTRANCES, notes=[9.25, 14, 14], theme="light", formats=Formats(), revision="a"
    )
    assert [shape.x0 for shape in figure.layout.shapes] == [9.25, 14]
    assert [(one.x, one.text) for one in figure.layout.annotations] == [(9.25, "1"), (14, "2, 3")]


def test_a_day_without_any_number_has_no_line_in_the_legend() -> None:
    figure = day_band(BANDS, [HourOfDay(9, None)], TIME, theme="light", formats=Formats(), revision="a")
    assert [trace.name for trace in figure.data] == ["usual", "median"]
