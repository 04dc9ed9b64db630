"""A page that stays open for weeks is drawn anew once what it was drawn from has changed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Final

import streamlit as st

from components.panels.page_parts import by_itself

_LOOK_AGAIN: Final = timedelta(seconds=30)


def drawn_anew_where(is_changed: Callable[[], bool], key: str) -> None:
    """It is asked twice a minute, for as long as somebody looks."""

    @by_itself(_LOOK_AGAIN, key=key)
    def look() -> None:
        if is_changed():
            st.rerun()

    look()
