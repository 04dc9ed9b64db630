"""Addresses of what the History page shows, to be copied: one that moves on with time, and one that stays."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from analysis.comparison import step_back
from components.number_format import Formats
from components.panels.history_choices import HistoryChoice
from components.panels.viewer import dashboard_address
from components.plain_text import plain
from components.sentences.range_words import range_text
from components.tables.history_link import LINKED, Parameters, fixed_parameters


def link_panel(choice: HistoryChoice, formats: Formats) -> None:
    """A range given by dates has one address, which stays."""
    request, named = choice.request, choice.range.named
    parameters = {name: st.query_params.get_all(name) for name in LINKED}
    step = step_back(choice.against, request.range, named, request.timezone)
    if named is not None:
        st.caption(plain(f"Shows “{named.label}” as of when it is opened:"))
        _address(parameters)
    fixed = fixed_parameters(parameters, request, choice.against, step)
    if fixed is None:
        st.caption("No address can name this very period: an end of it lies in an hour that came twice.")
        return
    st.caption(plain(f"Shows {range_text(request.range, request.timezone, formats)} whenever it is opened:"))
    _address(fixed)


def _address(parameters: Parameters) -> None:
    st.code(
        dashboard_address(f"history?{urlencode(parameters, doseq=True, safe=':/')}"),
        language=None,
        wrap_lines=True,
    )
