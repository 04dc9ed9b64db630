"""A field for a number that may be unknown, also once it was known."""

from __future__ import annotations

from typing import TypeVar

import streamlit as st

from components.panels._compat import is_told_by_browser

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
    """What stands in it; None: it is empty. `known` stands in it at first. `bounds`: the least and the most.

    Streamlit puts a field that is emptied back to its default, so that it has none.
    """
    if key not in st.session_state and not is_told_by_browser(key):
        st.session_state[key] = known
    least, most = bounds
    return st.number_input(
        label, least, most, None, step=step, format=number_format, key=key, placeholder=placeholder
    )
