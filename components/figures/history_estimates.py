"""What is estimated of missing times, upon the history chart: hatched bars or open dots, with their bands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from analysis.bands import Band
from analysis.bucket_table import starts_of
from analysis.history_data import HistoryData
from components.figures.bucket_axis import BucketAxis
from components.figures.stacked_panels import Panel
from components.figures.template import plotly_text, series_colours
from components.number_format import Formats
from contract import METRICS, MetricKey, MetricKind

_DECIMAL_BELOW = 10
"""Of fewer people an average has a decimal."""


def estimate_tops(data: HistoryData, metric: MetricKey) -> list[float]:
    """How high they reach on the axis of a metric."""
    return [
        _base(data, (label, metric)).get(start, 0.0) + band.high
        for (label, own), rows in data.estimates.items()
        if own is metric
        for start, band in rows.items()
    ]


def draw_estimates(
    panel: Panel,
    metric: MetricKey,
    data: HistoryData,
    axis: BucketAxis,
    texts: Sequence[str],
    *,
    theme: str | None,
    formats: Formats,
) -> None:
    """`texts` say when each bucket is. Of one zone or door people who came or went are bars upon the counted
    ones; of several, and of people inside, they are dots.
    """
    colours = series_colours(theme)
    for index, label in enumerate(data.labels):
        bands = data.estimates.get((label, metric), {})
        rows = [(row, bands[start]) for row, start in enumerate(starts_of(data.table)) if start in bands]
        if not rows:
            continue
        colour = colours[index % len(colours)]
        base = _base(data, (label, metric))
        starts = starts_of(data.table)
        bases = [base.get(starts[row], 0.0) for row, _ in rows]
        name = plotly_text(label) if len(data.labels) > 1 else ""
        common: dict[str, Any] = {
            "name": f"{name} estimated".strip(),
            "hovertext": [_bubble(texts[row], name, band, metric, formats) for row, band in rows],
            "hoverinfo": "text",
            "showlegend": False,
            "error_y": {
                "type": "data", "symmetric": False, "thickness": 1, "width": 0, "color": colour,
                "array": [band.high - band.median for _, band in rows],
                "arrayminus": [band.median - band.low for _, band in rows],
            },
        }  # fmt: skip
        if METRICS[metric].kind is MetricKind.FLOW and len(data.labels) == 1:
            panel.trace(
                type="bar", x=[axis.left[row] for row, _ in rows], y=[band.median for _, band in rows],
                base=bases, offset=0, width=[0.92 * axis.widths[row] for row, _ in rows],
                marker={
                    "color": "rgba(0,0,0,0)", "line": {"color": colour, "width": 1},
                    "pattern": {"shape": "\\", "fgcolor": colour, "size": 6, "solidity": 0.3},
                },
                **common,
            )  # fmt: skip
        else:
            panel.trace(
                type="scatter", mode="markers", x=axis.middle[[row for row, _ in rows]],
                y=[one + band.median for one, (_, band) in zip(bases, rows, strict=True)],
                marker={"symbol": "circle-open", "size": 7, "color": colour, "line": {"width": 1.5}},
                **common,
            )  # fmt: skip


def _base(data: HistoryData, column: tuple[str, MetricKey]) -> Mapping[datetime, float]:
    """What is counted beside it: of who came or went, a part of the bucket may be."""
    if METRICS[column[1]].kind is not MetricKind.FLOW:
        return {}
    cells = zip(starts_of(data.table), data.table[column].fillna(0.0), strict=True)
    return {start: float(value) for start, value in cells}


def _bubble(when: str, name: str, band: Band, metric: MetricKey, formats: Formats) -> str:
    low, median, high = (
        formats.number(one, 0 if one >= _DECIMAL_BELOW else 1) for one in (band.low, band.median, band.high)
    )
    more = " more" if METRICS[metric].kind is MetricKind.FLOW else ""
    what = f"{METRICS[metric].counted}, not counted"
    of = f"{name}: " if name else ""
    return (
        f"{when}<br>{of}estimated: about <b>{median}</b>{more} {what}"
        f"<br>{low} to {high} on {band.days} such days before"
    )
