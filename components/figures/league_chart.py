"""The places of a league as bars, the highest on top; a short line marks what each had in the time before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import plotly.graph_objects as go

from analysis.league import Ranked, Terms
from components.figures.template import look, palette_of, plotly_name, plotly_text, rows_of, series_colours
from components.number_format import Formats
from components.sentences.league_words import change_words, in_column, minutes_words, value_words

_ROW: Final = {1: 40, 2: 56}
"""Pixels, by the lines of the names."""
_AROUND: Final = 46
_LONGEST: Final = 20
"""Characters of a line of a name, so that half of a phone's width is left to the bars."""


def league_chart(
    rows: Sequence[Ranked], terms: Terms, *, theme: str | None, formats: Formats, revision: str
) -> go.Figure:
    """As high as it has rows."""
    palette, accent = palette_of(theme), series_colours(theme)[0]
    places = list(range(len(rows)))
    names = [plotly_name(f"{one.rank} {one.place.label}", _LONGEST) for one in rows]
    bars: dict[str, Any] = {
        "type": "bar",
        "orientation": "h",
        "y": places,
        "x": [in_column(one.value, terms) for one in rows],
        "marker": {"color": accent},
        "width": 0.62,
        "hovertext": [_hover(one, terms, formats) for one in rows],
        "hoverinfo": "text",
    }
    told = [
        (place, one)
        for place, one in zip(places, rows, strict=True)
        if one.earlier is not None and one.is_fair
    ]
    marks: dict[str, Any] = {
        "type": "scatter",
        "mode": "markers",
        "y": [place for place, _ in told],
        "x": [in_column(one.earlier, terms) for _, one in told],
        "marker": {"symbol": "line-ns", "size": 24, "line": {"width": 3, "color": palette.text}},
        "hovertext": [_hover(one, terms, formats) for _, one in told],
        "hoverinfo": "text",
    }
    whole = [f"{one.rank} {plotly_text(one.place.label)}" for one in rows]
    layout = {
        **look(theme, formats, revision),
        "height": _AROUND + _ROW[rows_of(names)] * len(rows),
        "margin": {"t": 8, "b": 30, "r": 40},
        "hovermode": "closest",
        "showlegend": False,
        "yaxis": {
            "tickvals": places,
            "ticktext": _numbered(names, rows, terms, formats),
            "ticklabelstandoff": 6,
            "range": [len(rows) - 0.5, -0.5],
            "fixedrange": True,
            "showgrid": False,
            "showline": False,
        },
        "xaxis": {
            "rangemode": "tozero",
            "fixedrange": True,
            "nticks": 4,
            "tickangle": 0,
            "tickformat": ",.2~f",
        },
        # A saved picture is three times as wide as a phone: it has the names whole.
        "meta": {"ticktextOfPicture": _numbered(whole, rows, terms, formats)},
    }
    return go.Figure({"data": [bars, *([marks] if told else [])], "layout": layout})


def _numbered(names: Sequence[str], rows: Sequence[Ranked], terms: Terms, formats: Formats) -> list[str]:
    """The number below the name: within a bar, one of nothing has no room for it."""
    return [
        f"{name}<br>{value_words(one.value, terms, formats)}" for name, one in zip(names, rows, strict=True)
    ]


def _hover(one: Ranked, terms: Terms, formats: Formats) -> str:
    change = change_words(one, terms, formats)
    before = "" if one.earlier is None else f", before {value_words(one.earlier, terms, formats)}"
    if before and not one.is_fair:
        before += f", counted: {minutes_words(one.entry.minutes_earlier, formats)}"
    said = f"{value_words(one.value, terms, formats)}{before}{f' ({change})' if change else ''}"
    counted = minutes_words(one.entry.minutes, formats)
    return f"{plotly_text(one.place.label)}<br>{said}<br>counted: {counted}"
