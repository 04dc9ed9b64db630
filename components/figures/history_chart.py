"""The past as charts over one time axis: a panel per metric, a colour per zone or passage.

Levels are lines through the middle of their buckets, flows are bars or, where there are several or many,
steps. What is missing is hatched and never bridged; a bucket that the range holds only in part is dashed;
an earlier period is a thin line.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, Final
from zoneinfo import ZoneInfo

import plotly.graph_objects as go

from analysis.bucket_table import starts_of
from analysis.history_data import HistoryData
from analysis.time_range import TimeRange
from components.figures.bucket_axis import bucket_axis
from components.figures.history_band import draw_band
from components.figures.history_estimates import draw_estimates
from components.figures.history_notes import draw_notes
from components.figures.history_panel import MOST_DIRECT_LABELS, HistoryPanel
from components.figures.stacked_panels import Panel, StackedPanels
from components.figures.template import look
from components.number_format import Formats
from components.sentences.range_words import span_words
from contract import CROSSINGS, Granularity
from contract.buckets import next_bucket_start
from gauge.levels import Thresholds

_PANEL_HEIGHT: Final = 230
_LEGEND_ROW_HEIGHT: Final = 22
_LEGEND_ENTRIES_A_ROW: Final = 2
"""On the narrowest screen."""


def history_chart(
    data: HistoryData, *, theme: str | None, formats: Formats, revision: str, thresholds: Thresholds
) -> go.Figure:
    """One panel per metric, sharing the time axis."""
    drawn = history_panels(data, theme=theme, formats=formats, revision=revision, thresholds=thresholds)
    return drawn.figure()


def history_panels(
    data: HistoryData, *, theme: str | None, formats: Formats, revision: str, thresholds: Thresholds
) -> StackedPanels:
    """What that chart is made of."""
    starts = starts_of(data.table)
    axis = bucket_axis(starts, data.granularity, data.timezone, formats)
    metrics = data.metrics
    panels = StackedPanels(len(metrics))
    stacked = [Panel(panels, row) for row in range(1, len(metrics) + 1)]
    texts = _texts(starts, data.range, data, formats)
    earlier_texts = _texts(data.earlier_starts, data.earlier_range, data, formats)
    for panel, metric in zip(stacked, metrics, strict=True):
        draw_band(panel, metric, data, axis, theme)
        HistoryPanel(panel, metric, data, axis, texts, earlier_texts, theme, formats, thresholds).draw()
        draw_estimates(panel, metric, data, axis, texts, theme=theme, formats=formats)
        panel.x_axis.update(axis.layout)
    draw_notes(stacked, data, axis, theme)
    _share_flow_range([panel for panel, metric in zip(stacked, metrics, strict=True) if metric in CROSSINGS])
    panels.layout |= look(theme, formats, revision)
    panels.layout |= {
        "height": _PANEL_HEIGHT * len(metrics) + 60, "barmode": "overlay", "showlegend": False,
    }  # fmt: skip
    if len(data.labels) > MOST_DIRECT_LABELS:
        _make_room_for_legend(panels.layout, len(data.labels))
    return panels


def _make_room_for_legend(layout: dict[str, Any], entries: int) -> None:
    room = _LEGEND_ROW_HEIGHT * -(-entries // _LEGEND_ENTRIES_A_ROW)
    layout["showlegend"] = True
    layout["legend"] = {"yref": "container", "y": 1, "yanchor": "top"}
    layout["margin"]["t"] = 28 + room
    layout["height"] += room


def _share_flow_range(panels: Sequence[Panel]) -> None:
    """Entrances and exits are read against each other: one scale for both."""
    tops = [panel.y_axis["range"][1] for panel in panels]
    for panel in panels:
        panel.y_axis["range"] = [0, max(tops)]


def _texts(
    starts: Sequence[datetime | None], range_: TimeRange | None, data: HistoryData, formats: Formats
) -> list[str]:
    """When each bucket is, as far as the range holds it; nothing for one that has no counterpart."""
    return list(_texts_of(tuple(starts), range_, data.granularity, data.timezone, formats))


@lru_cache(
    maxsize=8
)  # of a year by the hour they are a third of its chart, and each choice of a page draws it
def _texts_of(
    starts: tuple[datetime | None, ...],
    range_: TimeRange | None,
    granularity: Granularity,
    timezone: ZoneInfo,
    formats: Formats,
) -> tuple[str, ...]:
    def text(start: datetime) -> str:
        end = next_bucket_start(start, granularity, timezone)
        if range_ is not None and range_.start < end and start < range_.end:
            start, end = max(start, range_.start), min(end, range_.end)
        first, last = (moment.astimezone(timezone) for moment in (start, end))
        return span_words(first, last, granularity, formats)

    return tuple("" if start is None else text(start) for start in starts)
