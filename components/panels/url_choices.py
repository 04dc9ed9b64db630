"""Several things chosen at once, their identities kept in the URL as a repeated parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from analysis.names import distinct_labels
from components.panels.unknown_in_link import asked_in_link
from components.panels.url_choice import is_left_out
from components.plain_text import plain


def url_choices(
    label: str,
    options: Mapping[str, str],
    parameter: str,
    *,
    usual: Sequence[str] = (),
    placeholder: str | None = None,
    explanation: str | None = None,
) -> list[str]:
    """Those of `options` (id -> label) that are chosen, in the order of choosing.

    `usual` holds while the URL names none of the options. What else the URL names stays in it until somebody
    chooses.
    """
    widget = f"choose-several-{parameter}"
    shown = distinct_labels(options)
    asked = asked_in_link(parameter)
    known = [id_ for id_ in asked if id_ in options]
    remembered = (
        usual if asked or is_left_out(parameter) else st.session_state.get(_remembered(parameter), usual)
    )
    st.session_state[widget] = known or [id_ for id_ in remembered if id_ in options]
    chosen: list[str] = st.multiselect(
        plain(label),
        list(options),
        format_func=shown.__getitem__,
        key=widget,
        placeholder=placeholder,
        help=plain(explanation) if explanation else None,
        on_change=_follow,
        args=(parameter, widget),
    )
    if len(known) == len(asked):
        _write(parameter, chosen)
    return chosen


def _follow(parameter: str, widget: str) -> None:
    _write(parameter, st.session_state[widget])


def _write(parameter: str, chosen: Sequence[str]) -> None:
    st.session_state[_remembered(parameter)] = list(chosen)
    if not chosen:
        st.query_params.pop(parameter, None)
    elif st.query_params.get_all(parameter) != list(chosen):
        st.query_params[parameter] = list(chosen)


def _remembered(parameter: str) -> str:
    """Session key that outlives the widget, so that the page opens on the same choice again."""
    return f"chosen-several-{parameter}"
