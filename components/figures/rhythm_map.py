"""A week as a map: a row for each weekday from Monday, a column for each hour, the stronger the more."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

import plotly.graph_objects as go

from analysis.rhythm import DAYS_A_WEEK, HOURS_A_DAY, Cell, Hour
from components.figures.template import look, palette_of, series_colours
from components.number_format import Formats
from components.sentences.rhythm_words import amount, hour_name, hours_text, in_units, weekday_name
from contract import METRICS, MetricKey

_HEIGHT: Final = 350
_TICK_HOURS: Final = 3
_SHORT: Final = 3
"""Letters of a weekday beside its row: a phone has room for no more."""


def rhythm_map(
    cells: Mapping[Hour, Cell],
    metric: MetricKey,
    marked: Collection[Hour],
    *,
    closed: Collection[Hour] = (),
    theme: str | None,
    formats: Formats,
    revision: str,
) -> go.Figure:
    """`cells` are all of a week; `marked` hours have a dot, those of few days a cross, and those that are
    `closed` in a usual week a stroke, whoever is counted then.

    An hour of which no day could be used stays blank.
    """
    palette, accent = palette_of(theme), series_colours(theme)[0]
    hours, days = range(HOURS_A_DAY), range(DAYS_A_WEEK)
    rows = [[(Hour(day, hour), cells[Hour(day, hour)]) for hour in hours] for day in days]
    names = [weekday_name(day)[:_SHORT] for day in days]
    heat: dict[str, Any] = {
        "type": "heatmap",
        "x": [hour + 0.5 for hour in hours],
        "y": names,
        "z": [[_shown(cell, metric) for _, cell in row] for row in rows],
        "text": [
            [hour_text(hour, cell, metric, formats, is_closed=hour in closed) for hour, cell in row]
            for row in rows
        ],
        "hoverinfo": "text",
        "hoverongaps": True,
        "colorscale": [[0, palette.raised], [1, accent]],
        "zmin": 0,
        "zmax": max([1, *(_shown(cell, metric) or 0 for cell in cells.values())]),
        "xgap": 1,
        "ygap": 1,
        "colorbar": {
            "orientation": "h", "thickness": 8, "outlinewidth": 0, "y": -0.16, "yanchor": "top", "nticks": 5,
            "tickfont": {"color": palette.quiet_text, "size": 12}, "tickformat": ",.2~f",
        },
    }  # fmt: skip
    few = [hour for row in rows for hour, cell in row if cell.value is not None and cell.is_of_few_days]
    layout = {
        **look(theme, formats, revision),
        "height": _HEIGHT,
        "hovermode": "closest",
        "showlegend": False,
        "annotations": [{
            "text": f"<b>{METRICS[metric].label}</b>  {METRICS[metric].counted}, on average",
            "xref": "paper", "x": 0, "xanchor": "left", "yref": "paper", "y": 1, "yanchor": "bottom",
        }],
        "xaxis": {
            "range": [0, HOURS_A_DAY],
            "tickvals": list(range(0, HOURS_A_DAY + 1, _TICK_HOURS)),
            "ticktext": [
                hour_name(tick % HOURS_A_DAY, formats) for tick in range(0, HOURS_A_DAY + 1, _TICK_HOURS)
            ],
            "tickangle": 0,
            "fixedrange": True,
            "showline": False,
        },
        "yaxis": {
            # Each row has its name however low the chart is, and no mark at the edge makes room beyond it.
            "range": [DAYS_A_WEEK - 0.5, -0.5], "tickvals": names, "categoryarray": names, "tickformat": "",
            "fixedrange": True, "showgrid": False,
        },
    }  # fmt: skip
    quiet = palette.quiet_text
    marks = [
        _marks(hours, names, {"color": colour, **shape})
        for hours, colour, shape in (
            # Strokes have the colour of their line alone.
            (closed, quiet, {"size": 9, "symbol": "line-ne", "line": {"width": 1, "color": quiet}}),
            (marked, palette.text, {"size": 5, "line": {"width": 1, "color": palette.surface}}),
            (few, quiet, {"size": 5, "symbol": "x-thin", "line": {"width": 1, "color": quiet}}),
        )
        if hours
    ]
    return go.Figure({"data": [heat, *marks], "layout": layout})


def _shown(cell: Cell, metric: MetricKey) -> float | None:
    return None if cell.value is None else in_units(cell.value, metric)


def _marks(hours: Collection[Hour], names: list[str], marker: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [one.hour + 0.5 for one in hours],
        "y": [names[one.weekday] for one in hours],
        "marker": marker,
        "hoverinfo": "skip",
    }


def hour_text(hour: Hour, cell: Cell, metric: MetricKey, formats: Formats, *, is_closed: bool = False) -> str:
    """`Monday 09:00 to 10:00: 31 came in on average, 4 of 4 days`. `is_closed`: in a usual week."""
    if not cell.days.expected:
        return f"{weekday_name(hour.weekday)} {hours_text(hour.hour, hour.hour + 1, formats)}: closed"
    days = f"{formats.number(cell.days.present)} of {formats.number(cell.days.expected)} days"
    spoilt = f", {cell.spoilt} not to be trusted" if cell.spoilt else ""
    spoilt = f"{spoilt}; closed in a usual week" if is_closed else spoilt
    when = f"{weekday_name(hour.weekday)} {hours_text(hour.hour, hour.hour + 1, formats)}"
    if cell.value is None:
        return f"{when}: no number, {days}{spoilt}"
    said = f"{amount(cell.value, metric, formats)} {METRICS[metric].counted}"
    return f"{when}: {said} on average, {days}{spoilt}"
