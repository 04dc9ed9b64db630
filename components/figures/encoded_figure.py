"""A figure that has been encoded: who shows it again, or to somebody else, looks at none of its points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
import plotly.graph_objects as go
from plotly.basedatatypes import BaseFigure
from plotly.io.json import to_json_plotly


class EncodedFigure(BaseFigure):  # type: ignore[misc]  # plotly has no types
    """What Streamlit shows as it does the figure of which it is made.

    It has none of a figure's properties: of a figure it is only what is asked for its parts, as JSON whatever
    is a list or has parts itself.
    """

    def __init__(self, figure: go.Figure) -> None:
        parts, known = figure.to_dict(), dict[int, orjson.Fragment]()
        self._traces = [_encoded(trace, known) for trace in parts["data"]]
        self._look = _encoded(parts["layout"], known)

    def to_dict(self) -> dict[str, Any]:
        # Plotly takes something out of each trace.
        return {"data": [dict(trace) for trace in self._traces], "layout": dict(self._look)}


def _encoded(parts: Mapping[str, Any], known: dict[int, orjson.Fragment]) -> dict[str, Any]:
    """`known` are the parts that several traces share, by identity."""
    return {
        name: part if part is None or isinstance(part, str | int | float) else _fragment(part, known)
        for name, part in parts.items()
    }


def _fragment(part: Any, known: dict[int, orjson.Fragment]) -> orjson.Fragment:
    if id(part) not in known:
        known[id(part)] = orjson.Fragment(to_json_plotly(part).encode())
    return known[id(part)]
