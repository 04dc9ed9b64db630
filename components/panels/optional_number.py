"""A field for a number that may be unknown, also once it was known."""

from __future__ import annotations

from typing import TypeVar

import streamlit as st

from components.panels._compat import is_told_by_browser
from components.panels.viewer import viewer_formats
from components.plain_text import plain
from components.sentences.number_words import bounds_words

Number = TypeVar("Number", int, float)


def optional_number(
    label: str,
    bounds: tuple[Number, Number | None],
    known: Number | None,
    key: str,
    *,
    step: Number | None = None,
    number_format: str | None = None,
    placeholder: str = "Unknown",
) -> Number | None:
    """What stands in it; None: it is empty. `known` stands in it at first. `bounds`: the least and the most;
    that it is beyond them is said below it.

    Streamlit puts a field that is emptied back to its default, so that it has none. One with bounds of
    Streamlit's own goes on showing what is beyond them, and the page with what was before.
    """
    if key not in st.session_state and not is_told_by_browser(key):
        st.session_state[key] = known
    least, most = bounds
    step = step or type(least)(1)
    written: Number | None = st.number_input(
        label, value=None, step=step, format=number_format, key=key, placeholder=placeholder
    )
    if written is not None and not (least <= written and (most is None or written <= most)):
        st.caption(f":material/error: {plain(bounds_words(least, most, viewer_formats()))}")
    return written
