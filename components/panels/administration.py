"""What pages that administer share: why one may not, what was done last, why something was not done."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Final

import streamlit as st

from analysis.names import LONGEST_NAME
from components.panels.page_parts import draw_anew, was_by_itself
from components.panels.viewer import page_moment, page_present
from components.plain_text import code, plain
from components.sentences.administration_words import not_done_words, reason_words, verdict_words
from components.wall_frame import into_view

_DONE: Final = "administration-done"
"""Session key: page -> what was done on it last, in a sentence."""
_NOT_DONE: Final = "administration-not-done"
"""Session key: on which page something was not done last, why, and whether to scroll to that; said on while
the page runs by itself.
"""
_SHOWN: Final = "administration-shown"
"""Session key: the page that is shown."""
_TIMES: Final = "administration-times"
"""Session key: how often something was to be done."""
_NOTICE: Final = "administration-notice"
"""Session key: where that stands in this run of the page; what is not done takes its place."""


def refused_panel(refusal: str) -> None:
    """In the place of a page for somebody who may not administer."""
    st.warning(plain(refusal), icon=":material/lock:")


def say_done(page: str, sentence: str) -> None:
    """Until it is closed, or something else is done there; and draw the page anew."""
    _done()[page] = sentence
    st.rerun()


def done_panel(page: str) -> None:
    """What was done on the page, or was not done while nobody has pressed anything since."""
    st.session_state[_NOTICE] = place = st.empty()
    if not was_by_itself():
        st.session_state.pop(_NOT_DONE, None)
    st.session_state[_SHOWN] = page
    failed_on, error, is_to_be_seen = st.session_state.get(_NOT_DONE, (None, None, False))
    if error and failed_on == page:
        with place.container():
            if is_to_be_seen:
                _into_view("[data-testid=stAlert]")
            _say_not_done(error)
    elif sentence := _done().get(page):
        with place.container():
            _into_view("button")
            with st.container(border=True, horizontal=True, vertical_alignment="center", key="notice"):
                st.markdown(f":material/check_circle: {plain(sentence)}", width="stretch")
                st.button(
                    "Close", key="close-notice", icon=":material/close:", on_click=_forget, args=(page,)
                )


def attempt(change: Callable[[], None], refused: type[Exception], *, reads_anew: bool = False) -> None:
    """Do it; where it is `refused`, it is said why.

    A page that `reads_anew` then does so at once, so that it shows what stands there now; its `done_panel`
    says what happened, and is scrolled to: what was pressed may stand far below it.
    """
    waiting, asked_at = st.empty(), page_moment(page_present(), seconds=True)
    st.session_state[_TIMES] = st.session_state.get(_TIMES, 0) + 1
    try:
        with ExitStack() as spinning:
            with waiting.container():
                if reads_anew:
                    _into_view("[data-testid=stSpinner]")
                said = plain(f"Sent to the service at {asked_at}. Waiting for its answer.")
                spinning.enter_context(st.spinner(said))
            change()
    except refused as error:
        waiting.empty()
        _not_done_panel(error, is_to_be_seen=reads_anew)
        if reads_anew:
            draw_anew()
    else:
        waiting.empty()


def _not_done_panel(error: Exception, *, is_to_be_seen: bool) -> None:
    """Why the service did not do it, or why it is not known whether it did: what it says itself, where it
    says something, and of which field.
    """
    _done().clear()
    if notice := st.session_state.get(_NOTICE):
        notice.empty()
    st.session_state[_NOT_DONE] = (st.session_state.get(_SHOWN), error, is_to_be_seen)
    _say_not_done(error)


def _into_view(first: str) -> None:
    """Once for each press; the focus goes to `first` where what was pressed is gone."""
    into_view(
        f"{st.session_state.get(_SHOWN)}-{st.session_state.get(_TIMES, 0)}-{first}", first=first, always=True
    )


def _say_not_done(error: Exception) -> None:
    request_id = str(getattr(error, "request_id", ""))
    asked = f" Request id {code(request_id, LONGEST_NAME)}." if request_id else ""
    reasons = reason_words(getattr(error, "details", {}))
    listed = "".join(f"\n- {code(field, LONGEST_NAME)}: {plain(reason)}" for field, reason in reasons)
    verdict, rest = verdict_words(error)
    after = f"{listed}\n\n{plain(rest)}" if listed else f" {plain(rest)}"
    st.error(f"**{plain(verdict)}** {plain(not_done_words(error))}{after}{asked}", icon=":material/error:")


def _forget(page: str) -> None:
    _done().pop(page, None)


def _done() -> dict[str, str]:
    found: dict[str, str] = st.session_state.setdefault(_DONE, {})
    return found
