"""Choices whose identities, not labels, stand in the URL: one, several at once, or a filter.

Streamlit's own binding writes a select box's label; a link by id survives a renaming, and two sites may
share a name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from analysis.names import distinct_labels
from components.panels.unknown_in_link import asked_in_link, is_unclear
from components.plain_text import plain


def url_choice(
    label: str,
    options: Mapping[str, str],
    parameter: str,
    *,
    lead: str = "",
    is_needed: bool = False,
    governs: Sequence[str] = (),
) -> str | None:
    """One of `options` (id -> label), kept in the URL as `parameter`; None when there are none.

    `lead` is chosen while the URL names nothing (default: the first); the URL then stays as it is only for
    the lead "", which means "no restriction". Where the URL names what is no option, or several, it stays as
    it is, nothing is selected, and the page goes on with `lead`, or with None where the choice `is_needed`.

    `governs` are parameters whose values mean something under this choice alone: another one drops them, and
    a URL that names this choice without them means it without them, whatever was chosen before.
    """
    if not options:
        return None
    widget = f"choose-{parameter}"
    unclear, usual = is_unclear(parameter, options), lead if lead in options else next(iter(options))
    asked = asked_in_link(parameter)
    named = asked or [
        usual if is_left_out(parameter) else st.session_state.get(_remembered(parameter), usual)
    ]
    for governed in governs:
        st.session_state[_left_out(governed)] = bool(asked)
    st.session_state[widget] = None if unclear else named[0] if named[0] in options else usual
    chosen: str | None = st.selectbox(
        plain(label),
        list(options),
        index=None if unclear else 0,
        format_func=distinct_labels(options).__getitem__,
        key=widget,
        placeholder="Choose",
        on_change=_follow,
        args=(parameter, widget, governs),
    )
    if unclear or chosen is None:
        return None if is_needed else usual
    keep_in_link(parameter, chosen)
    return chosen


def url_pills(label: str, options: Mapping[str, str], parameter: str, *, nothing: str) -> str:
    """`url_choice` as a row of pills; `nothing` is the id for which no pill stands."""
    widget = f"choose-{parameter}"
    asked = asked_in_link(parameter)
    unclear = is_unclear(parameter, {*options, nothing})
    named = asked[0] if asked else st.session_state.get(_remembered(parameter), nothing)
    st.session_state[widget] = named if named in options and not unclear else None
    chosen: str | None = st.pills(
        plain(label),
        options=list(options),
        format_func=lambda id_: plain(options[id_]),
        key=widget,
        on_change=lambda: keep_in_link(parameter, st.session_state[widget] or nothing),
    )
    if not unclear:
        keep_in_link(parameter, chosen or nothing)
    return chosen or nothing


def is_left_out(parameter: str) -> bool:
    """Whether the URL, where it does not name the parameter, names what governs it: a link, or a step back.

    Then the browser is where no value was chosen, and one that is remembered would undo that step.
    """
    return bool(st.session_state.get(_left_out(parameter)))


def _follow(parameter: str, widget: str, governs: Sequence[str]) -> None:
    chosen: str | None = st.session_state[widget]
    if chosen is None:
        return
    keep_in_link(parameter, chosen)
    for governed in governs:
        st.query_params.pop(governed, None)
        forget(governed)


def remembered(parameter: str) -> str:
    """What was chosen before on whichever page; empty: nothing, or the link says that it is not meant."""
    return "" if is_left_out(parameter) else st.session_state.get(_remembered(parameter), "")


def remember_link(parameter: str) -> None:
    """Remember what the URL names before anything is read: whoever goes on at once goes on with it."""
    asked = asked_in_link(parameter)
    if len(asked) == 1:
        st.session_state[_remembered(parameter)] = asked[0]


def keep_in_link(parameter: str, chosen: str) -> None:
    """Write a choice to the URL, and remember it for the next page; empty: nothing is chosen."""
    st.session_state[_remembered(parameter)] = chosen
    _write(parameter, [chosen] if chosen else [])


def forget(parameter: str) -> None:
    """What was chosen before does not stand on the next page, unless the URL names it."""
    st.session_state.pop(_remembered(parameter), None)


def _write(parameter: str, values: Sequence[str]) -> None:
    if not values:
        st.query_params.pop(parameter, None)
    elif st.query_params.get_all(parameter) != list(values):
        st.query_params[parameter] = list(values)


def _remembered(parameter: str) -> str:
    """Session key that outlives the widget, so that the next page opens on the same choice."""
    return f"chosen-{parameter}"


def _left_out(parameter: str) -> str:
    """Session key, set anew by each run of a page that has what governs the parameter."""
    return f"left-out-{parameter}"


def url_choices(
    label: str,
    options: Mapping[str, str],
    parameter: str,
    *,
    usual: Sequence[str] = (),
    placeholder: str | None = None,
    explanation: str | None = None,
) -> list[str]:
    """The chosen ids of `options` (id -> label), in the order of choosing.

    `usual` holds while the URL names none of the options. What else the URL names stays in it until somebody
    chooses.
    """
    widget = f"choose-several-{parameter}"
    shown = distinct_labels(options)
    asked = asked_in_link(parameter)
    known = [id_ for id_ in asked if id_ in options]
    remembered = (
        usual
        if asked or is_left_out(parameter)
        else st.session_state.get(_remembered_several(parameter), usual)
    )
    st.session_state[widget] = known or [id_ for id_ in remembered if id_ in options]
    chosen: list[str] = st.multiselect(
        plain(label),
        list(options),
        format_func=shown.__getitem__,
        key=widget,
        placeholder=placeholder,
        help=plain(explanation) if explanation else None,
        on_change=lambda: _write_several(parameter, st.session_state[widget]),
    )
    if len(known) == len(asked):
        _write_several(parameter, chosen)
    return chosen


def _write_several(parameter: str, chosen: Sequence[str]) -> None:
    st.session_state[_remembered_several(parameter)] = list(chosen)
    _write(parameter, chosen)


def _remembered_several(parameter: str) -> str:
    """Session key that outlives the widget, so that the page opens on the same choice again."""
    return f"chosen-several-{parameter}"


def url_filter(label: str, options: Mapping[str, str], parameter: str) -> str | None:
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
        on_change=lambda: _write(parameter, list(filter(None, [st.session_state[widget]]))),
        label_visibility="collapsed",
    )
    return chosen
