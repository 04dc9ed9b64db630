"""What each day's count leaves: a bar up where people are left inside, down where more went out than came."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import plotly.graph_objects as go

from analysis.residue import DayBalance
from components.figures.day_axis import day_axis
from components.figures.note_marks import note_marks
from components.figures.template import look, palette_of, series_colours
from components.number_format import Formats
from components.sentences.trust_words import day_words

_HEIGHT: Final = 270
_LEAST: Final = 12
"""People up to which the axis goes at least: an error of one or two is drawn small."""


def residue_chart(
    days: Sequence[DayBalance],
    *,
    notes: Sequence[float] = (),
    theme: str | None,
    formats: Formats,
    revision: str,
) -> go.Figure:
    """A day that is not counted whole has a cross and no bar; one whose number is spoilt is hatched.

    `notes` are places on the axis, ascending, the first day from -0.5 to 0.5; they are numbered.
    """
    palette, accent = palette_of(theme), series_colours(theme)[0]
    names = [one.date.isoformat() for one in days]
    bars: dict[str, Any] = {
        "type": "bar",
        "x": names,
        "y": [one.residue if one.is_whole else None for one in days],
        "marker": {
            "color": accent,
            "pattern": {"shape": ["/" if one.is_spoilt else "" for one in days], "size": 6},
        },
        "text": [day_words(one, formats) for one in days],
        "textposition": "none",
        "hoverinfo": "text",
    }
    missing = [one for one in days if not one.is_whole]
    crosses: dict[str, Any] = {
        "type": "scatter",
        "mode": "markers",
        "x": [one.date.isoformat() for one in missing],
        "y": [0] * len(missing),
        "marker": {"symbol": "x-thin", "size": 8, "line": {"width": 2, "color": palette.quiet_text}},
        "text": [day_words(one, formats) for one in missing],
        "hoverinfo": "text",
    }
    noted = note_marks(notes, theme)
    layout = {
        **look(theme, formats, revision),
        "height": _HEIGHT,
        "hovermode": "closest",
        "showlegend": False,
        "shapes": noted.shapes,
        "annotations": noted.annotations,
        "xaxis": day_axis(days, formats),
        "yaxis": {
            "zeroline": True, "zerolinecolor": palette.quiet_text, "rangemode": "normal",
            **({"range": [-_LEAST, _LEAST]} if all(abs(one.residue) < _LEAST for one in days) else {}),
        },
    }  # fmt: skip
    return go.Figure({"data": [bars, *([crosses] if missing else [])], "layout": layout})
