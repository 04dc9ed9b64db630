"""How much is counted of each zone on each day: a row for each zone, the paler the more is missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import plotly.graph_objects as go

from analysis.residue import DayBalance
from analysis.trust_answer import ZoneTrust
from components.figures.day_axis import day_axis
from components.figures.template import look, palette_of, plotly_name, plotly_text, rows_of, series_colours
from components.number_format import Formats
from components.sentences.trust_words import day_words

_ROW: Final = {1: 30, 2: 38}
"""Pixels, by the lines of the names."""
_AROUND: Final = 80
_LONGEST: Final = 16
"""Letters of a zone beside its row, on each line: a phone has room for no more."""


def counted_map(
    zones: Sequence[ZoneTrust], *, theme: str | None, formats: Formats, revision: str
) -> go.Figure:
    """A day of which minutes are missing has a cross, too; one on which none are expected stays blank."""
    palette, accent = palette_of(theme), series_colours(theme)[0]
    days = [one.date.isoformat() for one in zones[0].days]
    rows = list(range(len(zones)))
    heat: dict[str, Any] = {
        "type": "heatmap",
        "x": days,
        "y": rows,
        "z": [[_percent(day) for day in one.days] for one in zones],
        "text": [
            [f"{plotly_text(one.subject.label)}: {day_words(day, formats)}" for day in one.days]
            for one in zones
        ],
        "hoverinfo": "text",
        "hoverongaps": True,
        "colorscale": [[0, palette.raised], [1, accent]],
        "zmin": 0,
        "zmax": 100,
        "xgap": 1,
        "ygap": 1,
        "showscale": False,
    }
    few = [
        (day.date.isoformat(), row) for row in rows for day in zones[row].days if not day.counted.is_complete
    ]
    crosses: dict[str, Any] = {
        "type": "scatter",
        "mode": "markers",
        "x": [day for day, _ in few],
        "y": [row for _, row in few],
        "marker": {
            "color": palette.text,
            "size": 6,
            "symbol": "x-thin",
            "line": {"width": 1.5, "color": palette.text},
        },
        "hoverinfo": "skip",
    }
    names = [plotly_name(one.subject.label, _LONGEST) for one in zones]
    layout = {
        **look(theme, formats, revision),
        "height": _AROUND + _ROW[rows_of(names)] * len(zones),
        "hovermode": "closest",
        "showlegend": False,
        "xaxis": day_axis(zones[0].days, formats),
        "yaxis": {
            # From 0 on, as the template has it, half of the uppermost row is cut off.
            "autorange": "reversed", "rangemode": "normal", "fixedrange": True, "showgrid": False,
            "tickvals": rows, "ticktext": names,
        },
        "meta": {"ticktextOfPicture": [plotly_text(one.subject.label) for one in zones]},
    }  # fmt: skip
    return go.Figure({"data": [heat, crosses], "layout": layout})


def _percent(day: DayBalance) -> float | None:
    return 100 * day.counted.present / day.counted.expected if day.counted.expected else None
