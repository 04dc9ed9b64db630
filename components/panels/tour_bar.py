"""The tour, above the pages it leads to: its stop, the sentence, back, next. The link names the stop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from components.page_frame import TOURED
from components.panels.unknown_in_link import asked_in_link, unknown_in_link
from components.panels.url_choice import forget
from components.plain_text import plain
from components.sentences.tour_words import STOPS, Stop
from page_list import PAGES

_PARAMETER: Final = "tour"
_SHOWN: Final = "tour-stop"
"""Session key: the stop that was shown last."""
_LED: Final = "tour-begun"
"""Session key: whether this visitor was led into it."""
_FIRST: Final = "pages/replay.py"
_ELSEWHERE: Final = "This stop is on another page."
_PATHS: Final = {page.address: f"pages/{page.name}.py" for page in PAGES}


def lead_into_tour() -> None:
    """Whoever opens the bare address sees its first stop, once a browser: at night nothing else moves."""
    if not (st.query_params or st.session_state.get(_LED) or TOURED in st.context.cookies.to_dict()):
        st.session_state[_LED] = True
        st.switch_page(_FIRST, query_params={_PARAMETER: "1"})


def is_toured() -> bool:
    """Whether this visitor has seen a stop of it."""
    return bool(st.session_state.get(_LED)) or _PARAMETER in st.query_params


def stop_in_link() -> int | None:
    """1 and on; None: no tour, or what is no stop of one, which is said."""
    asked = asked_in_link(_PARAMETER)
    known = {str(number): number for number in range(1, STOPS + 1)}
    unknown_in_link({_PARAMETER: set(known)})
    number = known.get(asked[0]) if len(asked) == 1 else None
    if number is None:
        st.session_state.pop(_SHOWN, None)
    return number


def lead_to(stops: Sequence[Stop], number: int, address: str) -> None:
    """Where the link names the stop alone, it is completed: so a tour begins at a short link.

    What another stop set, as the weekday of one, is not remembered at the next; which site it was, is.
    """
    stop = stops[number - 1]
    if address == stop.page and set(st.query_params) == {_PARAMETER}:
        for name, value in stop.link.items():
            st.query_params[name] = value
    if st.session_state.get(_SHOWN) != number:
        st.session_state[_SHOWN] = number
        for name in {name for one in stops for name in one.link} - {"site", *stop.link}:
            forget(name)


def tour_bar(stops: Sequence[Stop], number: int, address: str) -> None:
    """`number` is the stop's, from 1 on; `address` that of the page that is shown, which may be another."""
    is_here = address == stops[number - 1].page
    with st.container(border=True, key="tour"):
        count, sentence = f"Tour, {number} of {len(stops)}.", stops[number - 1].sentence
        st.markdown(f"**{plain(count)}** {plain(sentence if is_here else _ELSEWHERE)}")
        with st.container(horizontal=True, vertical_alignment="center"):
            # Each has its place, empty or not: whoever pressed one by the keyboard stands on the same one
            # afterwards. A link that is drawn into an empty place may be gone for a moment, and the focus.
            _link("Go there", "tour", None if is_here else _way_to(stops, number))
            _link("Back", "arrow_back", _way_to(stops, number - 1) if number > 1 else None)
            _link("Next", "arrow_forward", _way_to(stops, number + 1) if number < len(stops) else None)
            st.page_link("pages/overview.py", label="End the tour", icon=":material/close:")


def _link(label: str, icon: str, way: tuple[str, dict[str, str]] | None) -> None:
    if way is None:
        st.empty()
        return
    page, link = way
    st.page_link(_PATHS[page], label=label, icon=f":material/{icon}:", query_params=link)


def _way_to(stops: Sequence[Stop], number: int) -> tuple[str, dict[str, str]]:
    """The address of its page, and the parameters of the link."""
    stop = stops[number - 1]
    return stop.page, {**stop.link, _PARAMETER: str(number)}
