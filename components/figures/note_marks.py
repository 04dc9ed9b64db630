"""Notes on a chart that is looked at, not zoomed into: a line through it, numbered at the top.

History has several panels, and places of its own on its axis: `components/figures/history_notes.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

from components.figures.template import palette_of

MOST_DRAWN: Final = 30
"""More lines would be a curtain; a list has them all."""


class NoteMarks(NamedTuple):
    """Parts of a figure's layout."""

    shapes: list[dict[str, Any]]
    annotations: list[dict[str, Any]]


def note_marks(places: Sequence[float], theme: str | None) -> NoteMarks:
    """`places` are those of all notes on the x axis, ascending; those of one place share a line."""
    colour = palette_of(theme).text
    drawn = groupby(enumerate(places[:MOST_DRAWN], 1), key=lambda numbered: numbered[1])
    together = [(place, ", ".join(str(number) for number, _ in numbered)) for place, numbered in drawn]
    return NoteMarks(
        [
            {
                "type": "line", "x0": place, "x1": place, "yref": "paper", "y0": 0, "y1": 1,
                "line": {"color": colour, "width": 1, "dash": "dashdot"},
            }
            for place, _ in together
        ],
        [
            {
                "x": place, "xanchor": "left", "yref": "paper", "y": 1, "yanchor": "top", "text": numbers,
                "showarrow": False, "font": {"color": colour},
            }
            for place, numbers in together
        ],
    )  # fmt: skip
