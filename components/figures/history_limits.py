"""What a place can hold, and where filling and full begin, on the history chart of people inside."""

from __future__ import annotations

from typing import Final

from components.figures.stacked_panels import Panel
from components.figures.template import palette_of
from components.number_format import Formats
from gauge.levels import Occupancy, Thresholds

_LIMIT_LABEL_GAP: Final = 0.07
"""Least distance of two labels beside the plot, as a part of the y axis: a line of text."""
_LETTER_WIDTH: Final = 5
"""Pixels of a label. A phone has no more room beside its plot: dates below it would be turned."""
_LABEL_DISTANCE: Final = 2
"""Pixels between the plot and a label beside it."""
_LABEL_EDGE: Final = 5
"""Pixels around a label."""
_ALL: Final = 100
"""Percent."""


def draw_limits(
    panel: Panel,
    capacity: float,
    thresholds: Thresholds,
    top: float,
    *,
    theme: str | None,
    formats: Formats,
) -> None:
    """Lines below the curves, as far as they are below `top`, where the axis ends.

    Each is named right of the plot at the height of its line, where no line and no curve is. A name that
    would lie on that of a higher line is left out: moved, it would stand beside another line.
    """
    line = {"color": palette_of(theme).quiet_text, "dash": "dash", "width": 1}
    named: list[tuple[float, str]] = []
    for value, name in _limits_of(capacity, thresholds, formats):
        if value > top:
            continue
        across = {"xref": f"{panel.x} domain", "x0": 0, "x1": 1}
        panel.shape(type="line", y0=value, y1=value, line=line, layer="below", **across)
        if not named or named[-1][0] - value >= _LIMIT_LABEL_GAP * top:
            named.append((value, name))
    for value, name in named:
        panel.annotation(
            text=name, xref=f"{panel.x} domain", x=1, xanchor="left", xshift=_LABEL_DISTANCE,
            y=value, yanchor="middle",
        )  # fmt: skip
    if named:
        widest = max(len(name) for _, name in named)
        panel.right_margin(_LABEL_DISTANCE + _LABEL_EDGE + _LETTER_WIDTH * widest)


def _limits_of(capacity: float, thresholds: Thresholds, formats: Formats) -> list[tuple[float, str]]:
    """From the highest down, at which number and what it is called, in few letters."""
    shares = [
        (share, f"{level.value.word} {formats.percent(share)}")
        for share, level in ((thresholds.full, Occupancy.FULL), (thresholds.filling, Occupancy.FILLING))
        if share < _ALL
    ]
    return [(capacity * share / _ALL, name) for share, name in [(_ALL, "Capacity"), *shares]]
