from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import plotly.graph_objects as go
import pytest

from components.figures.history_chart import history_chart
from components.figures.template import plotly_text
from components.number_format import Formats, formats_of
from components.tables.bucket_table import bucket_table, cut_buckets, starts_of
from components.tables.history_data import HistoryData
from components.tables.time_range import TimeRange
from contract import Granularity, MetricKey, MetricPoint

ZURICH = ZoneInfo("Europe/Zurich")
INSIDE, ENTRANCES, EXITS, TIME = (
    MetricKey.VISITORS_INSIDE,
    MetricKey.ENTRANCES,
    MetricKey.EXITS,
    MetricKey.TIME_SPENT,
)
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
    return HistoryData(table, cut, Granularity.HOUR, ZURICH, **more)


def chart(shown: HistoryData, theme: str = "light") -> go.Figure:
    return history_chart(shown, theme=theme, formats=Formats(), revision="one view")


def traces(figure: go.Figure, name: str) -> list[Any]:
    return [trace for trace in figure.data if trace.name == name]


def test_a_gap_stays_a_gap() -> None:
    figure = chart(data([INSIDE], missing=[2]))
    line = traces(figure, "Shop")[0]
    assert line.y[2] is None
    assert not line.connectgaps


def test_what_is_missing_is_hatched() -> None:
    (hatch,) = traces(chart(data([INSIDE], missing=[2, 3])), "no data")
    assert (hatch.x[0], hatch.x[2]) == (datetime(2026, 6, 1, 10), datetime(2026, 6, 1, 12))  # noqa: DTZ001 - local
    assert hatch.fillpattern.shape == "/"
    assert traces(chart(data([INSIDE])), "no data") == []


def test_the_bucket_that_is_not_over_is_dotted_and_not_part_of_the_line() -> None:
    line, unfinished = traces(chart(data([INSIDE])), "Shop")
    assert line.y[5] is None
    assert unfinished.line.dash == "dot"
    assert list(unfinished.y) == [None, None, None, None, 240, 300]


def test_a_bar_that_is_not_over_is_paler_and_outlined() -> None:
    figure = chart(data([ENTRANCES]))
    (bars,) = traces(figure, "Shop")
    assert isinstance(bars, go.Bar)
    assert list(bars.marker.opacity) == [1, 1, 1, 1, 1, 0.4]
    assert [shape.line.dash for shape in figure.layout.shapes] == ["dot"]


def test_bars_stand_on_their_buckets() -> None:
    (bars,) = traces(chart(data([ENTRANCES])), "Shop")
    assert bars.offset == 0
    assert bars.x[0] == datetime(2026, 6, 1, 8)  # noqa: DTZ001 - local
    assert max(bars.width) <= 3_600_000


def test_the_last_bucket_before_a_gap_keeps_its_width_in_steps() -> None:
    line = traces(chart(data([ENTRANCES], ["Hall", "Café"], missing=[2])), "Hall")[0]
    assert list(line.y[:8]) == [0, 0, 60, 60, None, None, 180, 180]


def test_different_units_stand_in_panels_of_their_own() -> None:
    figure = chart(data([INSIDE, ENTRANCES, TIME]))
    assert len({trace.yaxis for trace in figure.data}) == 3
    assert figure.layout.xaxis.matches == figure.layout.xaxis2.matches == "x3"


def test_entrances_and_exits_share_a_scale() -> None:
    figure = chart(data([ENTRANCES, EXITS]))
    assert figure.layout.yaxis.range == figure.layout.yaxis2.range


def test_time_inside_is_drawn_in_minutes() -> None:
    assert traces(chart(data([TIME])), "Shop")[0].y[4] == 4


def test_few_lines_carry_their_names_and_many_have_a_legend() -> None:
    few = chart(data([INSIDE], ["Hall", "Café"]))
    assert {"Hall", "Café"} <= {annotation.text for annotation in few.layout.annotations}
    assert not few.layout.showlegend
    assert chart(data([INSIDE], ["a", "b", "c", "d"])).layout.showlegend


def test_names_do_not_lie_on_each_other() -> None:
    figure = chart(data([INSIDE], ["Hall", "Café", "Stairs"]))
    heights = sorted(a.y for a in figure.layout.annotations if a.text in {"Hall", "Café", "Stairs"})
    assert heights[1] - heights[0] > 10
    assert heights[2] - heights[1] > 10


def test_an_earlier_period_is_a_thin_line() -> None:
    shown = data([INSIDE])
    figure = chart(data([INSIDE], earlier=shown.table * 2))
    (earlier,) = traces(figure, "Shop, before")
    assert earlier.line.width == 1
    assert figure.layout.yaxis.range[1] > 600


def test_the_capacity_is_drawn_where_it_is_within_reach() -> None:
    def capacities(capacity: float) -> list[str]:
        return [
            a.text
            for a in chart(data([INSIDE], capacity=capacity)).layout.annotations
            if a.text == "capacity"
        ]

    assert capacities(200) == ["capacity"]
    assert capacities(5000) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_redrawn_chart_keeps_the_viewers_zoom(theme: str) -> None:
    assert chart(data([INSIDE]), theme).layout.uirevision == "one view"


def test_numbers_are_separated_as_the_viewer_writes_them() -> None:
    figure = history_chart(data([INSIDE]), theme=None, formats=formats_of("de-DE"), revision="")
    assert figure.layout.separators == ",."


def test_a_name_is_text_and_no_markup() -> None:
    label = "<b>Hall</b> %{x}"
    (trace, _) = traces(chart(data([INSIDE], [label])), plotly_text(label))
    assert "&lt;b>Hall" in trace.hovertemplate
    assert "%{x}" not in trace.hovertemplate


def test_a_chart_of_nothing_is_hatched_all_over() -> None:
    (hatch,) = traces(chart(data([INSIDE], missing=range(6))), "no data")
    assert hatch.x[0] == datetime(2026, 6, 1, 8)  # noqa: DTZ001 - local
