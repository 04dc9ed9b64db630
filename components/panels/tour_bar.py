"""The tour, above the pages it leads to: its stop, the sentence, back, next. The link names the stop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from components.panels.unknown_in_link import asked_in_link
from components.plain_text import plain
from components.sentences.tour_words import STOPS, Stop

_PARAMETER: Final = "tour"


def stop_in_link() -> int | None:
    """1 and on; None: no tour, or what is no stop of one."""
    asked = asked_in_link(_PARAMETER)
    known = {str(number): number for number in range(1, STOPS + 1)}
    return known.get(asked[0]) if len(asked) == 1 else None


def lead_to(stop: Stop, address: str) -> None:
    """Where the link names the stop alone, it is completed: so a tour begins at a short link."""
    if address == stop.page and set(st.query_params) == {_PARAMETER}:
        for name, value in stop.link.items():
            st.query_params[name] = value


def tour_bar(stops: Sequence[Stop], number: int) -> None:
    """`number` is the stop's, from 1 on."""
    with st.container(border=True, key="tour"):
        st.markdown(f"**Tour, {number} of {len(stops)}.** {plain(stops[number - 1].sentence)}")
        with st.container(horizontal=True, vertical_alignment="center"):
            if number > 1:
                _step(stops, number - 1, "Back", ":material/arrow_back:")
            if number < len(stops):
                _step(stops, number + 1, "Next", ":material/arrow_forward:")
            st.page_link("pages/overview.py", label="End the tour", icon=":material/close:")


def _step(stops: Sequence[Stop], number: int, label: str, icon: str) -> None:
    stop = stops[number - 1]
    query = {**stop.link, _PARAMETER: str(number)}
    st.page_link(f"pages/{stop.page}.py", label=label, icon=icon, query_params=query)
