"""Which site opens where a link names none: kept for everybody who opens the dashboard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import streamlit as st

from analysis.names import LONGEST_NAME, one_line
from components.plain_text import plain
from contract import SiteSummary

_WIDGET: Final = "open-first"

KeepFirst = Callable[[str | None], None]
"""Keeps the id of the site that opens first; None: keep none."""


def first_site_panel(site: SiteSummary, first: str | None, known: set[str], keep: KeepFirst) -> None:
    """Whether `site` opens first; nothing where it is the only one. `known` are the ids of all sites."""
    if len(known) <= 1 and (first is None or first in known):
        return
    st.session_state[_WIDGET] = site.id == first
    st.checkbox(
        "Open this site first, on every browser",
        key=_WIDGET,
        on_change=_follow,
        args=(site.id, keep),
    )
    if first is not None and first not in known:
        gone = one_line(first, LONGEST_NAME)
        st.caption(plain(f"The site that is to open first, “{gone}”, is not among those this key can read."))


def _follow(site_id: str, keep: KeepFirst) -> None:
    keep(site_id if st.session_state[_WIDGET] else None)
