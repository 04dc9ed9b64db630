"""A narrowing of a list to one of a few states, kept in the URL by its identity."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from components.plain_text import plain


def url_pills(label: str, options: Mapping[str, str], parameter: str) -> str | None:
    """One of `options` (id -> Markdown), or None while none is pressed. `label` is for screen readers."""
    asked = st.query_params.get(parameter, "")
    chosen = asked if asked in options else None
    widget = f"choose-{parameter}"
    st.session_state[widget] = chosen
    st.pills(
        plain(label),
        options=list(options),
        format_func=options.__getitem__,
        key=widget,
        on_change=_follow,
        args=(parameter, widget),
        label_visibility="collapsed",
    )
    return chosen


def _follow(parameter: str, widget: str) -> None:
    chosen: str | None = st.session_state[widget]
    if chosen is None:
        st.query_params.pop(parameter, None)
    else:
        st.query_params[parameter] = chosen
