"""Panels one above the other, gathered as plain dictionaries and handed to plotly together.

A figure that is added to looks again at all it has: made by the piece, a chart takes three times as long.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from components.figures.encoded_figure import EncodedFigure


class StackedPanels:
    """What a figure of so many panels is made of; they share one x axis."""

    def __init__(self, count: int) -> None:
        self.traces: list[dict[str, Any]] = []
        self.layout: dict[str, Any] = {
            "shapes": [], "annotations": [], "margin": {},
            **{name: dict(axis) for name, axis in _axes(count).items()},
        }  # fmt: skip

    def figure(self) -> go.Figure:
        return go.Figure(data=self.traces, layout=self.layout)

    def encoded(self) -> EncodedFigure:
        """The same, to be shown."""
        return EncodedFigure(self.traces, self.layout)


class Panel:
    """One of them, by its row from 1 on."""

    def __init__(self, panels: StackedPanels, row: int) -> None:
        suffix = "" if row == 1 else str(row)
        self._panels, self.row = panels, row
        self.x, self.y = f"x{suffix}", f"y{suffix}"
        self.x_axis: dict[str, Any] = panels.layout[f"xaxis{suffix}"]
        self.y_axis: dict[str, Any] = panels.layout[f"yaxis{suffix}"]

    def trace(self, **trace: Any) -> None:
        self._panels.traces.append({"xaxis": self.x, "yaxis": self.y} | trace | _arrays(trace))

    def shape(self, **shape: Any) -> None:
        self._panels.layout["shapes"].append({"xref": self.x, "yref": self.y} | shape)

    def annotation(self, **annotation: Any) -> None:
        self._panels.layout["annotations"].append({"xref": self.x, "yref": self.y} | annotation)

    def mark(self, at: datetime, text: str, *, line: Mapping[str, Any], **look: Any) -> None:
        """A moment: a line through the panel and words right of its top; `look` says more of them."""
        height, place = f"{self.y} domain", at.isoformat()
        self.shape(type="line", x0=place, x1=place, yref=height, y0=0, y1=1, line=line)
        if text:
            words = {"yref": height, "y": 1, "yanchor": "top", "xanchor": "left", "text": text}
            self.annotation(**{"x": at} | words | look)

    def right_margin(self, pixels: int) -> None:
        """Of all panels."""
        self._panels.layout["margin"]["r"] = pixels


def _arrays(trace: dict[str, Any]) -> dict[str, Any]:
    """Its numbers and texts as numpy's arrays: of a list plotly looks at each element, several times.

    A number that is missing becomes NaN, which plotly draws as it draws none.
    """
    return {
        name: np.asarray(trace[name], dtype=kind)
        for name, kind in (("y", float), ("hovertext", object))
        if name in trace
    }


@cache
def _axes(count: int) -> dict[str, dict[str, Any]]:
    """Name -> where each axis lies."""
    grid = make_subplots(rows=count, cols=1, shared_xaxes=True, vertical_spacing=0.18 / max(1, count))
    layout = grid.layout.to_plotly_json()
    return {name: axis for name, axis in layout.items() if name.startswith(("xaxis", "yaxis"))}
