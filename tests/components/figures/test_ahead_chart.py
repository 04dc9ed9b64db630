from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import plotly.graph_objects as go

from analysis.ahead_answer import Ahead, HourAhead
from analysis.forecast import Expected, Forecast
from analysis.time_range import TimeRange
from analysis.usable_hours import HourSoFar
from components.figures.ahead_chart import ahead_chart
from components.number_format import Formats
from contract import MetricKey
from contract.buckets import local_midnight

ZURICH = ZoneInfo("Europe/Zurich")
MIDNIGHT = datetime(2026, 6, 28, 22, tzinfo=UTC)
HOUR = timedelta(hours=1)


def day(*, midnight: datetime = MIDNIGHT, hours: int = 24) -> Ahead:
    """Five people an hour from 09:00 to 12:00, one hour of them missing; ten are expected until 15:00."""
    so_far = [
        HourSoFar(midnight + place * HOUR, None if place == 10 else 5 if place >= 9 else 0)
        for place in range(12)
    ]
    to_come = [
        HourAhead(midnight + place * HOUR, Expected(8, 10, 14) if place < 15 else Expected(0, 0, 0))
        for place in range(12, hours)
    ]
    return Ahead(tuple(so_far), tuple(to_come), Forecast({}, 5), None)


def drawn(found: Ahead, limits: Mapping[str, float] | None = None, ratio: int | None = None) -> go.Figure:
    return ahead_chart(
        found, MetricKey.VISITORS_INSIDE, limits or {}, ratio,
        timezone=ZURICH, theme="light", formats=Formats(), revision="a",
    )  # fmt: skip


def test_a_bar_reaches_from_the_low_to_the_high_end_of_what_is_expected() -> None:
    bars, middle, _ = drawn(day()).data
    assert (list(bars.x), list(bars.base), list(bars.y)) == ([12.5, 13.5, 14.5], [8, 8, 8], [6, 6, 6])
    assert list(middle.y) == [10, 10, 10]
    assert bars.text[0] == "12:00 to 13:00: 10 expected, 8 to 14 on eight days of ten"


def test_an_hour_of_today_without_counts_is_not_bridged() -> None:
    *_, today = drawn(day()).data
    assert list(today.y) == [*[0] * 9, 5, None, 5]
    assert today.connectgaps is False
    assert today.text[11] == "Today 11:00 to 12:00: 5 inside"


def test_closed_time_is_shaded() -> None:
    evening = TimeRange(MIDNIGHT + 20 * HOUR, MIDNIGHT + 24 * HOUR)
    figure = ahead_chart(
        day(), MetricKey.VISITORS_INSIDE, {}, None,
        closed=[evening], timezone=ZURICH, theme="light", formats=Formats(), revision="a",
    )  # fmt: skip
    assert [(shape.x0, shape.x1) for shape in figure.layout.shapes] == [(20, 24)]


def test_a_note_is_numbered_where_it_happened() -> None:
    figure = ahead_chart(
        day(), MetricKey.VISITORS_INSIDE, {}, None, notes=[MIDNIGHT + 10.5 * HOUR],
        timezone=ZURICH, theme="light", formats=Formats(), revision="a",
    )  # fmt: skip
    assert [(one.x, one.text) for one in figure.layout.annotations] == [(10.5, "1")]


def test_hours_before_the_first_and_after_the_last_people_take_no_room() -> None:
    assert list(drawn(day()).layout.xaxis.range) == [8, 16]


def test_the_few_hours_of_a_day_of_which_the_rest_is_not_known_are_all_named() -> None:
    so_far = [HourSoFar(MIDNIGHT + place * HOUR, 2 if place == 4 else None) for place in range(5)]
    to_come = [HourAhead(MIDNIGHT + place * HOUR, None) for place in range(5, 24)]
    axis = drawn(Ahead(tuple(so_far), tuple(to_come), Forecast({}, 5), None)).layout.xaxis
    named = dict(zip(axis.tickvals, axis.ticktext, strict=True))
    assert list(axis.range) == [3, 6]
    assert [named[place] for place in (3, 4, 5, 6)] == ["03:00", "04:00", "05:00", "06:00"]


def test_a_day_on_which_the_clocks_go_back_has_an_hour_twice() -> None:
    figure = drawn(day(midnight=local_midnight(date(2026, 10, 25), ZURICH), hours=25))
    ticks = dict(zip(figure.layout.xaxis.ticktext, figure.layout.xaxis.tickvals, strict=True))
    assert (ticks["00:00"], ticks["03:00"], ticks["21:00"]) == (0, 4, 22)


def test_limits_are_lines_with_words_unless_they_would_press_the_day_down() -> None:
    layout = drawn(day(), {"Filling from 14": 14, "Full from 18": 18, "Capacity 200": 200}).layout
    assert [one.text for one in layout.annotations] == ["Filling from 14", "Full from 18"]
    assert [one.y0 for one in layout.shapes] == [14, 18]
    assert layout.yaxis.range[1] > 18


def test_staff_stands_above_each_bar() -> None:
    layout = drawn(day(), ratio=4).layout
    assert [(one.text, one.x, one.y) for one in layout.annotations] == [
        ("3", 12.5, 14), ("3", 13.5, 14), ("3", 14.5, 14),
    ]  # fmt: skip


def test_before_anything_is_counted_or_expected_the_day_is_empty() -> None:
    nothing = Ahead((), (HourAhead(MIDNIGHT, None),), Forecast({}, 0), None)
    figure = drawn(nothing)
    assert list(figure.layout.xaxis.range) == [0, 1]
    assert len(figure.data) == 2
