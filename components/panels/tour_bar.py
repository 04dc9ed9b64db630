"""The tour, above the pages it leads to: its stop, the sentence, back, next. The link names the stop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from components.panels.unknown_in_link import asked_in_link
from components.plain_text import plain
from components.sentences.tour_words import STOPS, Stop
from page_list import PAGES

_PARAMETER: Final = "tour"
_PATHS: Final = {page.address: f"pages/{page.name}.py" for page in PAGES}


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
        place, sentence = f"Tour, {number} of {len(stops)}.", stops[number - 1].sentence
        st.markdown(f"**{plain(place)}** {plain(sentence)}")
        with st.container(horizontal=True, vertical_alignment="center"):
            if number > 1:
                page, link = _way_to(stops, number - 1)
                st.page_link(_PATHS[page], label="Back", icon=":material/arrow_back:", query_params=link)
            if number < len(stops):
                page, link = _way_to(stops, number + 1)
                st.page_link(_PATHS[page], label="Next", icon=":material/arrow_forward:", query_params=link)
            st.page_link("pages/overview.py", label="End the tour", icon=":material/close:")


def _way_to(stops: Sequence[Stop], number: int) -> tuple[str, dict[str, str]]:
    """The address of its page, and the parameters of the link."""
    stop = stops[number - 1]
    return stop.page, {**stop.link, _PARAMETER: str(number)}
