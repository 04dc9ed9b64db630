"""A figure whose parts are encoded: who shows it again, or to somebody else, looks at none of its points.

Plotly copies each text of a figure several times, and looks through its template anew for each figure: the
texts of bubbles are encoded without it, and a template once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

import orjson
import plotly.graph_objects as go
import plotly.io as pio
from plotly.basedatatypes import BaseFigure
from plotly.io.json import to_json_plotly

_TEXTS: Final = "hovertext"
_TEMPLATE: Final = "template"


class EncodedFigure(BaseFigure):  # type: ignore[misc]  # plotly has no types
    """What Streamlit shows as it does the figure of these traces and this layout, whose template has a name.

    It has none of a figure's properties: of a figure it is only what is asked for its parts, and those are
    JSON where they have parts themselves.
    """

    def __init__(self, traces: Sequence[Mapping[str, Any]], layout: Mapping[str, Any]) -> None:
        texts = [trace.get(_TEXTS) for trace in traces]
        light = [
            trace if own is None else {**trace, _TEXTS: ""} for trace, own in zip(traces, texts, strict=True)
        ]
        parts = go.Figure(data=light, layout={**layout, _TEMPLATE: {}}).to_dict()
        self._traces = [
            _encoded(trace) | ({} if own is None else {_TEXTS: _fragment(list(own))})
            for trace, own in zip(parts["data"], texts, strict=True)
        ]
        self._look = _encoded(parts["layout"]) | {_TEMPLATE: _template(layout[_TEMPLATE])}

    def to_dict(self) -> dict[str, Any]:
        # Plotly takes something out of each trace.
        return {"data": [dict(trace) for trace in self._traces], "layout": dict(self._look)}


def _encoded(parts: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: part if part is None or isinstance(part, str | int | float) else _fragment(part)
        for name, part in parts.items()
    }


@cache  # there are two
def _template(name: str) -> orjson.Fragment:
    return _fragment(pio.templates[name].to_plotly_json())


def _fragment(part: Any) -> orjson.Fragment:
    return orjson.Fragment(to_json_plotly(part).encode())
