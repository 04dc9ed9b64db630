"""A chart that is looked at, not zoomed into: what bars and maps of whole hours and days are drawn by."""

from __future__ import annotations

from typing import Final

import plotly.graph_objects as go
import streamlit as st

from components.figures.plotly_locale import locale_config
from components.number_format import Formats

_CONFIG: Final = {"displaylogo": False, "modeBarButtonsToRemove": ["select2d", "lasso2d", "zoom2d", "pan2d"]}


def fixed_chart(figure: go.Figure, key: str, alt: str, formats: Formats) -> None:
    """`key` is the chart's own on its page; `alt` tells it to those who do not see it."""
    st.plotly_chart(figure, theme=None, key=key, config=_CONFIG | locale_config(formats), alt=alt)
