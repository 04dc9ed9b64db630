"""The past as charts over one time axis: a panel per metric, a colour per zone or passage.

Levels are lines through the middle of their buckets, flows are bars or, where there are several or many,
steps. What is missing is hatched and never bridged; a bucket that the range holds only in part is dashed;
an earlier period is a thin line.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from analysis.bucket_table import starts_of
from analysis.history_data import HistoryData
from analysis.time_range import TimeRange
from components.figures.bucket_axis import bucket_axis
from components.figures.history_panel import MOST_DIRECT_LABELS, HistoryPanel
from components.figures.template import styled
from components.number_format import Formats
from components.sentences.range_words import span_words
from contract import CROSSINGS, MetricKey
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
    starts = starts_of(data.table)
    axis = bucket_axis(starts, data.granularity, data.timezone, formats)
    metrics = data.metrics
    figure = make_subplots(
        rows=len(metrics), cols=1, shared_xaxes=True, vertical_spacing=0.18 / max(1, len(metrics))
    )
    texts = _texts(starts, data.range, data, formats)
    earlier_texts = _texts(data.earlier_starts, data.earlier_range, data, formats)
    for row, metric in enumerate(metrics, start=1):
        HistoryPanel(figure, row, metric, data, axis, texts, earlier_texts, theme, formats, thresholds).draw()
    figure.update_xaxes(axis.layout)
    _share_flow_range(figure, metrics)
    styled(figure, theme, formats, revision)
    figure.update_layout(height=_PANEL_HEIGHT * len(metrics) + 60, barmode="overlay", showlegend=False)
    if len(data.labels) > MOST_DIRECT_LABELS:
        _make_room_for_legend(figure, len(data.labels))
    return figure


def _make_room_for_legend(figure: go.Figure, entries: int) -> None:
    room = _LEGEND_ROW_HEIGHT * -(-entries // _LEGEND_ENTRIES_A_ROW)
    figure.update_layout(
        showlegend=True,
        legend={"yref": "container", "y": 1, "yanchor": "top"},
        margin={"t": 28 + room},
        height=figure.layout.height + room,
    )


def _share_flow_range(figure: go.Figure, metrics: Sequence[MetricKey]) -> None:
    """Entrances and exits are read against each other: one scale for both."""
    rows = [row for row, metric in enumerate(metrics, start=1) if metric in CROSSINGS]
    tops = [next(figure.select_yaxes(row=row, col=1)).range[1] for row in rows]
    for row in rows:
        figure.update_yaxes(range=[0, max(tops)], row=row, col=1)


def _texts(
    starts: Sequence[datetime | None], range_: TimeRange | None, data: HistoryData, formats: Formats
) -> list[str]:
    """When each bucket is, as far as the range holds it; nothing for one that has no counterpart."""
    return ["" if start is None else _text(start, range_, data, formats) for start in starts]


def _text(start: datetime, range_: TimeRange | None, data: HistoryData, formats: Formats) -> str:
    end = next_bucket_start(start, data.granularity, data.timezone)
    if range_ is not None and range_.start < end and start < range_.end:
        start, end = max(start, range_.start), min(end, range_.end)
    first, last = (moment.astimezone(data.timezone) for moment in (start, end))
    return span_words(first, last, data.granularity, formats)
