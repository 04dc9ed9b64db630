"""The share of each door by hour of the clock: a row for each door, the stronger the larger its part."""

from __future__ import annotations

from typing import Final

import plotly.graph_objects as go

from analysis.door_hours import DoorHours
from components.figures.template import look, palette_of, plotly_name, plotly_text, rows_of, series_colours
from components.number_format import Formats
from components.sentences.door_words import share_words
from components.sentences.rhythm_words import hour_name

_ROW: Final = {1: 30, 2: 38}
"""Pixels, by the lines of the names."""
_AROUND: Final = 80
_LONGEST: Final = 16
"""Letters of a door beside its row, on each line: a phone has room for no more."""
_TICK_HOURS: Final = ((12, 3), (24, 6))
"""Up to so many hours wide, a tick at so many: a phone has room for five."""


def door_map(found: DoorHours, *, theme: str | None, formats: Formats, revision: str) -> go.Figure:
    """From the first hour in which anybody came to the last one; an hour in which nobody did stays blank."""
    palette, accent = palette_of(theme), series_colours(theme)[0]
    busy = [hour for hour in range(24) if found.of_hour(hour)]
    hours = range(busy[0], busy[-1] + 1)
    rows = range(len(found.doors))
    shares = [[found.share(door, hour) for hour in hours] for door in found.doors]
    heat = {
        "type": "heatmap",
        "x": [hour + 0.5 for hour in hours],
        "y": list(rows),
        "z": shares,
        "text": [[plotly_text(share_words(found, row, hour, formats)) for hour in hours] for row in rows],
        "hoverinfo": "text",
        "hoverongaps": True,
        "colorscale": [[0, palette.raised], [1, accent]],
        "zmin": 0,
        "zmax": found.largest_share,
        "xgap": 1,
        "ygap": 1,
        "showscale": False,
    }
    step = next(step for most, step in _TICK_HOURS if len(hours) <= most)
    ticks = [hour for hour in range(hours.start, hours.stop + 1) if hour % step == 0]
    names = [plotly_name(door.label, _LONGEST) for door in found.doors]
    layout = {
        **look(theme, formats, revision),
        "height": _AROUND + _ROW[rows_of(names)] * len(found.doors),
        "hovermode": "closest",
        "showlegend": False,
        "xaxis": {
            "range": [hours.start, hours.stop],
            "tickvals": ticks,
            "ticktext": [hour_name(tick % 24, formats) for tick in ticks],
            "tickangle": 0,
            "fixedrange": True,
            "showline": False,
        },
        "yaxis": {
            "autorange": "reversed", "fixedrange": True, "showgrid": False, "tickvals": list(rows),
            "ticktext": names,
        },
        "meta": {"ticktextOfPicture": [plotly_text(door.label) for door in found.doors]},
    }  # fmt: skip
    return go.Figure({"data": [heat], "layout": layout})
