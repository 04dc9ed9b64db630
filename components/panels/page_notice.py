"""What is amiss with all that is shown, above every page, for as long as it is."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Final

import streamlit as st

from components.panels.page_parts import by_itself
from components.plain_text import plain

_EVERY: Final = timedelta(seconds=5)


def page_notice(read: Callable[[], str | None], key: str) -> None:
    """The sentence that `read` gives; empty or None: all is well. `key` tells it from others.

    While there is one it is read anew by itself: it tells since when and what comes next, and must not stay
    once all is well again. Its place is there without it, too: what is being typed below would be lost with
    each that comes.
    """

    @by_itself(_EVERY, key=f"notice-{key}")
    def show() -> None:
        if said := read():
            st.warning(plain(said), icon=":material/warning:")

    place = st.empty()
    if read():
        with place:
            show()
