"""A part of a page that most readers leave closed."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st


@st.fragment
def folded(label: str, icon: str, draw: Callable[[], None]) -> None:
    """Nothing of it is made, sent or loaded before it is opened: tables and code have large scripts.

    Opening it draws it alone, from what the page was drawn from. `icon` is a Material symbol's name, and one
    part's on its page: `folded-<icon>` is the state that says whether it is open.
    """
    part = st.expander(label, icon=f":material/{icon}:", key=f"folded-{icon}", on_change="rerun")
    if part.open:
        with part:
            draw()
