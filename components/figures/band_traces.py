"""A day upon a band: bars from the low to the high end of each hour, a mark at the median, a line on top."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from components.figures.template import palette_of, series_colours

_WIDTH: Final = 0.92
"""Of an hour."""


def bars(
    places: Sequence[float],
    lows: Sequence[float],
    highs: Sequence[float],
    texts: Sequence[str],
    *,
    name: str,
    theme: str | None,
) -> dict[str, Any]:
    """`places` are middles of hours on the x axis; all in the units of the chart."""
    return {
        "type": "bar",
        "name": name,
        "x": list(places),
        "base": list(lows),
        "y": [high - low for low, high in zip(lows, highs, strict=True)],
        "width": _WIDTH,
        "marker": {"color": palette_of(theme).line, "line": {"width": 0}},
        "text": list(texts),
        "textposition": "none",
        "hoverinfo": "text",
    }


def marks(
    places: Sequence[float], medians: Sequence[float], *, name: str, theme: str | None
) -> dict[str, Any]:
    """A stroke across each bar, which tells."""
    return {
        "type": "scatter",
        "name": name,
        "mode": "markers",
        "x": list(places),
        "y": list(medians),
        "marker": {
            "symbol": "line-ew", "size": 11, "line": {"width": 2, "color": palette_of(theme).quiet_text}
        },
        "hoverinfo": "skip",
    }  # fmt: skip


def today_line(
    places: Sequence[float], values: Sequence[float | None], texts: Sequence[str], *, theme: str | None
) -> dict[str, Any]:
    """Broken where a value is None."""
    accent = series_colours(theme)[0]
    return {
        "type": "scatter",
        "name": "today",
        "mode": "lines+markers",
        "connectgaps": False,
        "x": list(places),
        "y": list(values),
        "line": {"color": accent, "width": 2},
        "marker": {"size": 6, "color": accent},
        "text": list(texts),
        "hoverinfo": "text",
    }
