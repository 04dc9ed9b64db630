"""Below pages that tell of what is over: for how long it is remembered, and how to have it read again."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Final

import streamlit as st

from analysis.belief import LONGEST_BELIEF
from components.panels.viewer import page_moment, page_present, viewer_formats
from components.plain_text import plain

_READ: Final = "read-again-at"
"""Session key: what the page was of when it was pressed last, and that moment."""


def read_again(page: str, forget: Callable[[], float]) -> None:
    """`forget` what is remembered of what the page, of that name, shows, and tell how many seconds ago that
    was done: the run that follows reads it, as far as nobody has since.
    """
    shown = f"{page} {sorted(st.query_params.to_dict().items())}"

    def press() -> None:
        forgotten_at = page_present() - timedelta(seconds=forget())
        st.session_state[_READ] = shown, page_moment(forgotten_at, seconds=True)

    pressed_of, moment = st.session_state.get(_READ, ("", ""))
    longest = viewer_formats().duration(LONGEST_BELIEF.total_seconds())
    said = (
        f"Read again at {moment}."
        if pressed_of == shown
        else f"What is over is remembered for up to {longest}: counts that come late may be missing so long."
    )
    with st.container(horizontal=True, vertical_alignment="center", key="read-again"):
        st.caption(plain(said), width="content")
        st.button("Read again", on_click=press, type="tertiary", icon=":material/refresh:", key="read-past")
