"""A choice whose identity, not its label, stands in the URL.

Streamlit's own binding writes a select box's label; a link by id survives a renaming, and two sites may
share a name.
"""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from components.plain_text import distinct_labels, plain


def url_choice(label: str, options: Mapping[str, str], parameter: str, *, lead: str = "") -> str | None:
    """One of `options` (id -> label), kept in the URL as `parameter`; None when there are none.

    `lead` is chosen while the URL names none of the options (default: the first); the URL then stays as
    it is only for the lead "", which means "no restriction".
    """
    if not options:
        return None
    widget = f"choose-{parameter}"
    asked = st.query_params.get(parameter, "")
    remembered = st.session_state.get(_remembered(parameter), lead)
    st.session_state[widget] = next(
        (choice for choice in (asked, remembered, lead) if choice in options), next(iter(options))
    )
    chosen: str = st.selectbox(
        plain(label),
        list(options),
        format_func=distinct_labels(options).__getitem__,
        key=widget,
        on_change=_follow,
        args=(parameter, widget),
    )
    _write(parameter, chosen)
    return chosen


def _follow(parameter: str, widget: str) -> None:
    _write(parameter, st.session_state[widget])


def _write(parameter: str, chosen: str) -> None:
    st.session_state[_remembered(parameter)] = chosen
    if not chosen:
        st.query_params.pop(parameter, None)
    elif st.query_params.get(parameter) != chosen:
        st.query_params[parameter] = chosen


def _remembered(parameter: str) -> str:
    """Session key that outlives the widget, so that the next page opens on the same choice."""
    return f"chosen-{parameter}"
