from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import isnan
from typing import Any
from zoneinfo import ZoneInfo

import plotly.graph_objects as go
import pytest

from analysis.bands import Band
from analysis.bucket_table import bucket_table, cut_buckets, starts_of
from analysis.error_part import ErrorPart
from analysis.history_data import HistoryData, InsideBand
from analysis.notes import Note
from analysis.open_time import OpenTime
from analysis.time_range import TimeRange
from components.figures.history_chart import history_chart
from components.figures.template import plotly_text
from components.number_format import Formats, formats_of
from contract import Granularity, MetricKey, MetricPoint
from gauge.levels import Thresholds

ZURICH = ZoneInfo("Europe/Zurich")
INSIDE, ENTRANCES, EXITS, TIME = (
    MetricKey.VISITORS_INSIDE,
    MetricKey.ENTRANCES,
    MetricKey.EXITS,
    MetricKey.TIME_SPENT,
)
READ = Formats(now=datetime(2026, 6, 2, tzinfo=UTC))
START = datetime(2026, 6, 1, 6, tzinfo=UTC)


def data(
    metrics: Sequence[MetricKey],
    labels: Sequence[str] = ("Shop",),
    *,
    missing: Sequence[int] = (),
    **more: Any,
) -> HistoryData:
    """Six hours of which the last has run for 30 minutes; the value of each is its number, times 60."""
    range_ = TimeRange(START, START + timedelta(hours=5, minutes=30))
    points = [
        MetricPoint(timestamp=START + timedelta(hours=n), metrics=dict.fromkeys(metrics, 60 * n))
        for n in range(6)
        if n not in missing
    ]
    table = bucket_table(dict.fromkeys(labels, points), metrics, range_, Granularity.HOUR, ZURICH)
    cut = cut_buckets(starts_of(table), range_, Granularity.HOUR, ZURICH)
    return HistoryData(table, cut, Granularity.HOUR, ZURICH, range_, **more)


def chart(shown: HistoryData, theme: str = "light") -> go.Figure:
    thresholds = Thresholds(filling=60, full=80)
    return history_chart(shown, theme=theme, formats=READ, revision="one view", thresholds=thresholds)


def traces(figure: go.Figure, name: str) -> list[Any]:
    return [trace for trace in figure.data if trace.name == name]


def heights(trace: Any) -> list[float | None]:
    """None where a line has a gap: numpy's arrays have NaN there."""
    return [None if value is None or isnan(value) else value for value in trace.y]


def test_a_band_lies_behind_the_line_of_people_inside_alone_with_gaps_and_within_the_axis() -> None:
    band = InsideBand(ErrorPart(-0.5, 0.5, 20, 18, 800), ((0, 10), (40, 500), None, (170, 190), None, None))
    figure = chart(data([INSIDE, ENTRANCES], band=band))
    (drawn,) = traces(figure, "by past days")
    assert heights(drawn) == [10, 500, 40, 0, None, 190, 190, 170, 170, None]
    edges = [at.replace(tzinfo=ZURICH) for at in drawn.x if at is not None]
    assert edges[0] == START + timedelta(minutes=30)
    assert edges[4:6] == [START + timedelta(hours=3), START + timedelta(hours=4)]
    names = [trace.name for trace in figure.data]
    assert names.index("by past days") < names.index("Shop")
    assert figure.layout.yaxis.range[1] > 500
    assert traces(chart(data([INSIDE])), "by past days") == []


def test_closed_time_is_shaded_in_each_panel_to_the_minute() -> None:
    """From 06:00 to 09:30 UTC, of which the last half hour is no whole bucket, and the very last minutes."""
    closed = (
        TimeRange(START, START + timedelta(hours=3, minutes=30)),
        TimeRange(START + timedelta(hours=5), START + timedelta(hours=5, minutes=30)),
    )
    shades = traces(chart(data([INSIDE, ENTRANCES], closed=closed)), "closed")
    assert len(shades) == 2
    for shade in shades:
        edges = [at.replace(tzinfo=ZURICH) for at in shade.x if at is not None]
        assert [edges[0], edges[2]] == list(closed[0])
        assert [edges[5], edges[7]] == list(closed[1])
    assert traces(chart(data([INSIDE])), "closed") == []


def test_a_note_is_a_numbered_line_at_its_time_through_all_panels() -> None:
    notes = {
        name: Note(at=START + timedelta(hours=hours), text="sale")
        for name, hours in (("before", -1), ("first", 1.5), ("second", 4))
    }
    figure = chart(data([INSIDE, ENTRANCES], notes=notes))
    lines = [shape for shape in figure.layout.shapes if shape.line.dash == "dashdot"]
    places = [datetime.fromisoformat(line.x0).replace(tzinfo=ZURICH) for line in lines]
    assert places == [START + timedelta(hours=hours) for hours in (1.5, 1.5, 4, 4)]
    numbers = [one.text for one in figure.layout.annotations if str(one.text).isdigit()]
    assert numbers == ["2", "3"]


def sides_of_numbers(*hours: float) -> list[str]:
    """Of notes at so many hours of six: where the line of each lies, as seen from its number."""
    notes = {str(hour): Note(at=START + timedelta(hours=hour), text="sale") for hour in hours}
    figure = chart(data([INSIDE, ENTRANCES], notes=notes, capacity=220))
    return [one.xanchor for one in figure.layout.annotations if str(one.text).isdigit()]


def test_no_number_of_a_note_stands_beside_the_plot_where_limits_have_their_names() -> None:
    assert sides_of_numbers(0.5, 3, 5.9) == ["left", "left", "right"]
    assert sides_of_numbers(5.4, 6) == ["right", "right"]


def test_numbers_of_notes_side_by_side_stand_on_the_same_side_of_their_lines() -> None:
    assert sides_of_numbers(2, 5.1, 5.5, 5.9) == ["left", "right", "right", "right"]
    assert sides_of_numbers(0, 1) == ["left", "left"]


def test_a_gap_stays_a_gap() -> None:
    figure = chart(data([INSIDE], missing=[2]))
    line = traces(figure, "Shop")[0]
    assert heights(line)[2] is None
    assert not line.connectgaps


def test_what_is_missing_is_hatched() -> None:
    (hatch,) = traces(chart(data([INSIDE], missing=[2, 3])), "no data")
    assert (hatch.x[0], hatch.x[2]) == (datetime(2026, 6, 1, 10), datetime(2026, 6, 1, 12))  # noqa: DTZ001 - local
    assert hatch.fillpattern.shape == "/"
    assert traces(chart(data([INSIDE])), "no data") == []


def test_no_line_takes_its_colour_from_how_many_were_drawn_before_it() -> None:
    """Paper knows the colours of the theme; plotly gives an unnamed one by its place in the chart."""
    figure = chart(spoilt(INSIDE, ENTRANCES, missing=[4]), "dark")
    assert traces(figure, "no data")
    lines = [trace for trace in figure.data if isinstance(trace, go.Scatter)]
    assert [trace.name for trace in lines if trace.line.color is None] == []


def test_the_bucket_that_is_not_over_is_dotted_and_not_part_of_the_line() -> None:
    line, unfinished = traces(chart(data([INSIDE])), "Shop")
    assert heights(line)[5] is None
    assert unfinished.line.dash == "dot"
    assert heights(unfinished) == [None, None, None, None, 240, 300]


def test_a_bar_that_is_not_over_is_paler_and_outlined() -> None:
    figure = chart(data([ENTRANCES]))
    (bars,) = traces(figure, "Shop")
    assert isinstance(bars, go.Bar)
    assert list(bars.marker.opacity) == [1, 1, 1, 1, 1, 0.4]
    assert [shape.line.dash for shape in figure.layout.shapes] == ["dot"]


def test_bars_of_hours_that_lack_minutes_or_open_within_are_paler_and_outlined_too() -> None:
    starts = starts_of(data([ENTRANCES]).table)
    # Open from 08:30 UTC on, and of the hour from 10:00 not even half of its minutes are counted.
    opening = OpenTime((TimeRange(START + timedelta(hours=2, minutes=30), START + timedelta(hours=9)),))
    few = {starts[4]: 20.0}
    figure = chart(data([ENTRANCES, INSIDE], open_time=opening, minutes={"Shop": few}))
    (bars,) = [trace for trace in figure.data if isinstance(trace, go.Bar)]
    assert list(bars.marker.opacity) == [1, 1, 0.4, 1, 0.4, 0.4]
    dotted = [shape for shape in figure.layout.shapes if shape.type == "rect"]
    assert [(shape.line.dash, shape.y1) for shape in dotted] == [("dot", 120), ("dot", 240), ("dot", 300)]
    line, *_ = [trace for trace in traces(figure, "Shop") if trace.type == "scatter"]
    assert heights(line)[:5] == [0, 60, 120, 180, 240], "people inside belong to moments"


def test_steps_of_hours_that_lack_minutes_are_dotted_of_the_door_that_lacks_them_alone() -> None:
    starts = starts_of(data([ENTRANCES]).table)
    shown = data([ENTRANCES], ["Hall", "Café"], minutes={"Hall": {starts[2]: 30.0}})
    for name, dotted in (("Hall", [120, 120, 300, 300]), ("Café", [300, 300])):
        whole, part = traces(chart(shown), name)
        assert (part.line.dash, [y for y in heights(part) if y is not None]) == ("dot", dotted)
        assert len([y for y in heights(whole) if y is not None]) == 12 - len(dotted)


def test_days_whose_nights_are_not_counted_are_whole() -> None:
    start = datetime(2026, 6, 1, 22, tzinfo=UTC)
    range_ = TimeRange(start, start + timedelta(days=3))
    points = [MetricPoint(timestamp=start + timedelta(days=n), metrics={ENTRANCES: 600}) for n in range(3)]
    table = bucket_table({"Shop": points}, (ENTRANCES,), range_, Granularity.DAY, ZURICH)
    starts = starts_of(table)
    few = dict.fromkeys(starts, 600.0)
    shown = HistoryData(table, [False] * 3, Granularity.DAY, ZURICH, range_, minutes={"Shop": few})
    assert list(traces(chart(shown), "Shop")[0].marker.opacity) == [1, 1, 1]
    ends = [at + timedelta(hours=hours) for at, hours in zip(starts, (10, 10, 20), strict=True)]
    opening = OpenTime(tuple(map(TimeRange, starts, ends)))
    bounded = replace(shown, open_time=opening)
    assert list(traces(chart(bounded), "Shop")[0].marker.opacity) == [1, 1, 0.4]


def test_bars_stand_on_their_buckets() -> None:
    (bars,) = traces(chart(data([ENTRANCES])), "Shop")
    assert bars.offset == 0
    assert bars.x[0] == datetime(2026, 6, 1, 8)  # noqa: DTZ001 - local
    assert max(bars.width) <= 3_600_000


def test_the_last_bucket_before_a_gap_keeps_its_width_in_steps() -> None:
    line = traces(chart(data([ENTRANCES], ["Hall", "Café"], missing=[2])), "Hall")[0]
    assert heights(line)[:8] == [0, 0, 60, 60, None, None, 180, 180]


def test_different_units_stand_in_panels_of_their_own() -> None:
    figure = chart(data([INSIDE, ENTRANCES, TIME]))
    assert len({trace.yaxis for trace in figure.data}) == 3
    assert figure.layout.xaxis.matches == figure.layout.xaxis2.matches == "x3"


def test_entrances_and_exits_share_a_scale() -> None:
    figure = chart(data([ENTRANCES, EXITS]))
    assert figure.layout.yaxis.range == figure.layout.yaxis2.range


def test_numbers_below_0_are_within_the_chart_and_so_is_what_is_missing_beside_them() -> None:
    shown = data([INSIDE], missing=[2])
    assert chart(shown).layout.yaxis.range[0] == 0
    figure = chart(replace(shown, table=shown.table - 120))
    assert figure.layout.yaxis.range[0] < -120
    (hatch,) = traces(figure, "no data")
    assert (hatch.y[0], hatch.y[1]) == figure.layout.yaxis.range


def test_time_inside_is_drawn_in_minutes() -> None:
    assert traces(chart(data([TIME])), "Shop")[0].y[4] == 4


def test_few_lines_carry_their_names_and_many_have_a_legend() -> None:
    few = chart(data([INSIDE], ["Hall", "Café"]))
    assert {"Hall", "Café"} <= {annotation.text for annotation in few.layout.annotations}
    assert not few.layout.showlegend
    assert chart(data([INSIDE], ["a", "b", "c", "d"])).layout.showlegend


def test_names_do_not_lie_on_each_other() -> None:
    figure = chart(data([INSIDE], ["Hall", "Café", "Stairs"]))
    places = sorted(a.y for a in figure.layout.annotations if a.text in {"Hall", "Café", "Stairs"})
    assert places[1] - places[0] > 10
    assert places[2] - places[1] > 10
    assert places[2] <= 0.9 * figure.layout.yaxis.range[1], "below the title of the panel"


def test_an_earlier_period_is_a_thin_line() -> None:
    shown = data([INSIDE])
    week = timedelta(weeks=1)
    starts = [start - week for start in starts_of(shown.table)[:-1]]
    figure = chart(data([INSIDE], earlier=shown.table * 2, earlier_starts=[*starts, None]))
    (earlier,) = traces(figure, "Shop, before")
    assert earlier.line.width == 1
    assert [text.partition("<br>")[0] for text in earlier.hovertext[:5]] == [
        f"Mon 25 May, {hour:02}:00–{hour + 1:02}:00" for hour in range(8, 13)
    ]
    assert figure.layout.yaxis.range[1] > 600


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("capacity", "drawn", "named"),
    [
        (300, [300, 240, 180], ["Capacity", "Full 80 %", "Filling 60 %"]),
        (400, [320, 240], ["Full 80 %", "Filling 60 %"]),
        (60, [60, 48, 36], ["Capacity", "Filling 60 %"]),
        (25, [25, 20, 15], ["Capacity"]),
        (5000, [], []),
        (None, [], []),
    ],
)
def test_the_limits_are_drawn_below_the_curves_where_they_are_within_reach(
    capacity: float | None, drawn: list[float], named: list[str], theme: str
) -> None:
    figure = chart(data([INSIDE, ENTRANCES], capacity=capacity), theme)
    lines = [shape for shape in figure.layout.shapes if shape.type == "line"]
    assert [line.y0 for line in lines] == drawn
    assert {line.layer for line in lines} <= {"below"}
    words = ("Capacity", "Full", "Filling")
    texts = [one.text.replace("\N{NO-BREAK SPACE}", " ") for one in figure.layout.annotations]
    assert [text for text in texts if text.startswith(words)] == named


def test_a_limit_is_named_right_of_the_plot_at_the_height_of_its_line() -> None:
    figure = chart(data([INSIDE, ENTRANCES], capacity=220))
    names = [one for one in figure.layout.annotations if one.text.startswith(("Capacity", "Full", "Filling"))]
    assert [(one.xref, one.x, one.xanchor) for one in names] == [("x domain", 1, "left")] * 3
    assert [(one.yref, one.y, one.yanchor) for one in names] == [("y", y, "middle") for y in (220, 176, 132)]
    assert figure.layout.margin.r > 50


def test_without_a_limit_the_plot_has_the_whole_width() -> None:
    assert chart(data([INSIDE], capacity=5000)).layout.margin.r is None


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_redrawn_chart_keeps_the_viewers_zoom(theme: str) -> None:
    assert chart(data([INSIDE]), theme).layout.uirevision == "one view"


def test_numbers_are_separated_as_the_viewer_writes_them() -> None:
    figure = history_chart(
        data([INSIDE]), theme=None, formats=formats_of("de-DE"), revision="", thresholds=Thresholds()
    )
    assert figure.layout.separators == ",."


def test_a_name_is_text_and_no_markup() -> None:
    label = "<b>Hall</b> %{x}"
    (trace, _) = traces(chart(data([INSIDE], [label, "Shop"])), plotly_text(label))
    assert "<br>&lt;b>Hall" in trace.hovertext[0]
    assert "%{x}" not in trace.hovertext[0]


def test_a_point_says_when_it_was_and_as_many_digits_as_mean_something() -> None:
    shown = data([INSIDE, TIME])
    shown = replace(shown, table=shown.table / 7)
    inside, _, stay, _ = traces(chart(shown), "Shop")
    assert inside.hovertext[1] == "Mon 1 Jun, 09:00–10:00<br><b>8.6</b> inside on average"
    assert inside.hovertext[2] == "Mon 1 Jun, 10:00–11:00<br><b>17</b> inside on average"
    assert stay.hovertext[2] == "Mon 1 Jun, 10:00–11:00<br><b>0.3</b> min inside per person on average"


def test_a_chart_of_nothing_is_hatched_all_over() -> None:
    (hatch,) = traces(chart(data([INSIDE], missing=range(6))), "no data")
    assert hatch.x[0] == datetime(2026, 6, 1, 8)  # noqa: DTZ001 - local


def spoilt(*metrics: MetricKey, labels: Sequence[str] = ("Shop",), **more: Any) -> HistoryData:
    """The number inside means nothing from 09:30 to 10:30 local."""
    stretch = TimeRange(START + timedelta(hours=1, minutes=30), START + timedelta(hours=2, minutes=30))
    return data(metrics, labels, untrusted={"Shop": [stretch]}, **more)


@pytest.mark.parametrize("metric", [INSIDE, TIME])
def test_a_number_inside_that_cannot_be_trusted_is_grey_and_says_so(metric: MetricKey) -> None:
    grey, line, _ = traces(chart(spoilt(metric)), "Shop")
    assert [place for place, value in enumerate(heights(line)) if value is None] == [1, 2, 5]
    assert grey.line.color != line.line.color
    assert [place for place, value in enumerate(heights(grey)) if value is not None] == [0, 1, 2, 3]
    assert [text.endswith("<br>cannot be trusted") for text in grey.hovertext[:4]] == [
        False,
        True,
        True,
        False,
    ]


def test_entrances_are_trusted_where_the_number_inside_is_not() -> None:
    figure = chart(spoilt(INSIDE, ENTRANCES))
    (bars,) = [trace for trace in figure.data if isinstance(trace, go.Bar)]
    assert not any("trusted" in text for text in bars.hovertext)


def test_a_zone_whose_number_cannot_be_trusted_leaves_the_others_and_the_legend_alone() -> None:
    labels = ("Shop", "Hall", "Café", "Roof")
    figure = chart(spoilt(INSIDE, labels=labels))
    assert sum(bool(trace.showlegend) for trace in figure.data) == len(labels)
    assert not any("trusted" in text for trace in traces(figure, "Hall") for text in trace.hovertext)


def test_the_other_period_says_where_its_number_cannot_be_trusted() -> None:
    shown, day = data([INSIDE]), timedelta(days=1)
    starts = [start - day for start in starts_of(shown.table)]
    stretch = TimeRange(starts[1], starts[3])
    beside = replace(
        shown, earlier=shown.table, earlier_starts=starts, earlier_range=TimeRange(starts[0], starts[5]),
        earlier_untrusted={"Shop": [stretch]},
    )  # fmt: skip
    (before,) = traces(chart(beside), "Shop, before")
    assert ["trusted" in text for text in before.hovertext] == [False, True, True, False, False, False]


def test_an_average_says_on_how_few_minutes_it_rests() -> None:
    starts = starts_of(data([INSIDE]).table)
    few = {starts[1]: 1.0, starts[2]: 59.0}
    line = traces(chart(data([INSIDE], minutes={"Shop": few})), "Shop")[0]
    assert line.hovertext[1].endswith("<b>60</b> inside on average<br>counted in 1 of 60 minutes")
    assert not any("counted" in line.hovertext[place] for place in (0, 2, 3))


def test_a_change_of_the_clocks_is_a_named_line_through_each_panel() -> None:
    night = TimeRange(datetime(2026, 10, 24, 22, tzinfo=UTC), datetime(2026, 10, 25, 6, tzinfo=UTC))
    points = [
        MetricPoint(timestamp=night.start + timedelta(hours=n), metrics={INSIDE: n, ENTRANCES: 1})
        for n in range(8)
    ]
    table = bucket_table({"Shop": points}, (INSIDE, ENTRANCES), night, Granularity.HOUR, ZURICH)
    figure = chart(HistoryData(table, [False] * 8, Granularity.HOUR, ZURICH, night))
    lines = [(line.xref, line.yref, line.y0, line.y1) for line in figure.layout.shapes]
    assert lines == [("x", "y domain", 0, 1), ("x2", "y2 domain", 0, 1)]
    named = [note.yref for note in figure.layout.annotations if note.text == "clocks go back"]
    assert named == ["y domain", "y2 domain"]


def test_an_estimate_is_a_hatched_bar_upon_what_is_counted_with_its_ends() -> None:
    starts = [START + timedelta(hours=n) for n in range(6)]
    bands = {starts[2]: Band(80, 100, 130, 5), starts[3]: Band(10, 20, 40, 5)}
    shown = data([ENTRANCES], missing=[2], estimates={("Shop", ENTRANCES): bands})
    (drawn,) = traces(chart(shown), "estimated")
    assert (drawn.type, list(drawn.base), list(drawn.y)) == ("bar", [0, 180], [100, 20])
    assert (list(drawn.error_y.array), list(drawn.error_y.arrayminus)) == ([30, 20], [20, 10])
    assert drawn.marker.pattern.shape == "\\"
    assert "estimated: about <b>100</b> more came in, not counted<br>80 to 130 on 5" in drawn.hovertext[0]
    (counted,), (alone,) = (traces(chart(one), "Shop") for one in (shown, data([ENTRANCES], missing=[2])))
    assert heights(counted) == heights(alone), "what is counted is drawn as without them"


def test_an_estimate_of_people_inside_is_an_open_dot_within_the_axis() -> None:
    bands = {START + timedelta(hours=2): Band(300, 400, 900, 4)}
    figure = chart(data([INSIDE], missing=[2], estimates={("Shop", INSIDE): bands}))
    (drawn,) = traces(figure, "estimated")
    assert (drawn.mode, drawn.marker.symbol, list(drawn.y)) == ("markers", "circle-open", [400])
    assert figure.layout.yaxis.range[1] > 900


def test_without_estimates_none_are_drawn() -> None:
    assert traces(chart(data([ENTRANCES], missing=[2])), "estimated") == []
