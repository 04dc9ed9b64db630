"""A figure that is encoded once is shown as the figure itself."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import plotly.graph_objects as go
import plotly.io as pio
import pytest
from plotly.tools import return_figure_from_figure_or_data

from components.figures.encoded_figure import EncodedFigure
from components.figures.template import template_name

HOSTILE = "</script>  & <b>8</b> / \\ \" 'é"
TRACES: list[dict[str, Any]] = [
    {
        "type": "scatter",
        "x": np.array(["2026-03-29T00:30", "2026-03-29T01:30"], dtype="datetime64[ms]"),
        "y": np.array([1.5, np.nan]),
        "hovertext": np.array([HOSTILE, ""], dtype=object),
        "marker": {"size": np.array([6, 0]), "color": "red"},
        "name": HOSTILE,
    },
    {"type": "bar", "x": [1, 2], "y": [3, None], "showlegend": False},
]
LAYOUT = {
    "template": template_name("dark"),
    "height": 300,
    "shapes": [{"type": "line", "x0": 0, "x1": 1}],
    "showlegend": True,
}


def spec(figure: go.Figure | EncodedFigure) -> Any:
    """As Streamlit hands it to the browser."""
    parts = return_figure_from_figure_or_data(figure, validate_figure=True)
    text = pio.to_json(parts, validate=False)
    # Plotly writes milliseconds where it writes times one by one.
    return json.loads(text.replace('.000"', '"'))


def test_it_is_the_same_to_the_browser_each_time() -> None:
    encoded, expected = EncodedFigure(TRACES, LAYOUT), spec(go.Figure(data=TRACES, layout=LAYOUT))
    assert [spec(encoded), spec(encoded)] == [expected, expected]


def test_no_text_can_end_the_script_that_holds_it() -> None:
    text = pio.to_json(EncodedFigure(TRACES, LAYOUT).to_dict(), validate=False)
    assert "<" not in text
    assert HOSTILE in json.loads(text)["data"][0]["hovertext"]


def test_what_no_figure_may_have_is_refused() -> None:
    with pytest.raises(ValueError, match="invented"):
        EncodedFigure([{"type": "scatter", "invented": 1}], LAYOUT)
