"""The one look of every figure, made from the theme: a plotly template for light and one for dark."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Final

import plotly.graph_objects as go
import plotly.io as pio

from analysis.names import LONGEST_NAME, one_line
from components.number_format import Formats
from components.theme import ACCENT, ACCENT_ON_DARK, DARK, LIGHT, SERIES, Palette

_FONT: Final = '"Source Sans", "Source Sans Pro", "Segoe UI", Roboto, sans-serif'
_LIGHT_NAME: Final = "headroom_light"
_DARK_NAME: Final = "headroom_dark"


def palette_of(theme: str | None) -> Palette:
    """`dark` or anything else, as Streamlit tells the viewer's theme."""
    return DARK if theme == "dark" else LIGHT


def series_colours(theme: str | None) -> tuple[str, ...]:
    """Colours of the lines of one chart, in order."""
    if theme != "dark":
        return SERIES
    return (ACCENT_ON_DARK, *(colour for colour in SERIES[1:] if colour != ACCENT_ON_DARK))


def colours_on_white(theme: str | None) -> dict[str, str]:
    """What the colours of a figure of this theme become where it is saved; empty where they stay."""
    return dict(zip((*DARK, ACCENT_ON_DARK), (*LIGHT, ACCENT), strict=True)) if theme == "dark" else {}


def template_name(theme: str | None) -> str:
    """Name of the registered template."""
    return _DARK_NAME if theme == "dark" else _LIGHT_NAME


CLOSED_SHADE: Final = "rgba(128, 128, 128, 0.1)"
"""Over which lines and grid are seen, in both themes."""


def closed_shape(left: float, right: float) -> dict[str, object]:
    """Closed time between two places of the x axis, below all else."""
    return {
        "type": "rect", "x0": left, "x1": right, "yref": "paper", "y0": 0, "y1": 1,
        "fillcolor": CLOSED_SHADE, "line": {"width": 0}, "layer": "below",
    }  # fmt: skip


def look(theme: str | None, formats: Formats, revision: str) -> dict[str, str]:
    """Of a figure's layout: its template and the viewer's separators.

    While `revision` stays the same, a redrawn chart keeps the viewer's zoom.
    """
    return {"template": template_name(theme), "separators": formats.separators, "uirevision": revision}


def plotly_text(text: str, longest: int = LONGEST_NAME) -> str:
    """Text that is not ours, on one line: plotly would read tags, placeholders and formulas in it."""
    shown = one_line(text, longest)
    return shown.replace("&", "&amp;").replace("<", "&lt;").replace("$", "&#36;").replace("%{", "% {")


def plotly_name(text: str, longest: int) -> str:
    """Likewise, on up to two lines of so many letters: a phone has no room for one of all."""
    lines = wrap(one_line(text, LONGEST_NAME), longest, max_lines=2, placeholder="…")
    return "<br>".join(map(plotly_text, lines))


def rows_of(names: Sequence[str]) -> int:
    """How many lines the highest of those that `plotly_name` gave has."""
    return 1 + max((name.count("<br>") for name in names), default=0)


def _template(palette: Palette, colours: tuple[str, ...]) -> go.layout.Template:
    axis = {
        "gridcolor": palette.line,
        "linecolor": palette.line,
        "zeroline": False,
        "ticks": "",
        "tickfont": {"color": palette.quiet_text, "size": 12},
        "automargin": True,
    }
    return go.layout.Template(
        layout={
            "font": {"family": _FONT, "color": palette.text, "size": 13},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "colorway": colours,
            "margin": {"l": 8, "r": 8, "t": 28, "b": 8},
            "xaxis": {**axis, "showgrid": False, "showline": True, "fixedrange": False},
            "yaxis": {**axis, "rangemode": "tozero", "fixedrange": True, "nticks": 5, "tickformat": ",.2~f"},
            "hovermode": "x",
            "hoverlabel": {
                "bgcolor": palette.raised,
                "bordercolor": palette.line,
                "font": {"color": palette.text, "family": _FONT},
            },
            "legend": {"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "font": {"size": 12}},
            # Plotly makes its own of the ground, which is transparent here: dark grey on black.
            "modebar": {
                "bgcolor": palette.surface,
                "color": palette.quiet_text,
                "activecolor": palette.text,
            },
            "annotationdefaults": {"font": {"color": palette.quiet_text, "size": 12}, "showarrow": False},
            "bargap": 0.1,
        }
    )


pio.templates[_LIGHT_NAME] = _template(LIGHT, series_colours("light"))
pio.templates[_DARK_NAME] = _template(DARK, series_colours("dark"))
