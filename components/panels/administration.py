"""What pages that administer share: why one may not, what was done last, why something was not done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import streamlit as st

from analysis.names import LONGEST_NAME
from components.panels.page_parts import draw_anew, was_by_itself
from components.plain_text import code, plain
from components.sentences.administration_words import not_done_words, reason_words, verdict_words

_DONE: Final = "administration-done"
"""Session key: page -> what was done on it last, in a sentence."""
_NOT_DONE: Final = "administration-not-done"
"""Session key: on which page something was not done last, and why: said on while that runs by itself."""
_SHOWN: Final = "administration-shown"
"""Session key: the page that is shown."""
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
    failed_on, error = st.session_state.get(_NOT_DONE, (None, None))
    if error and failed_on == page:
        with place.container():
            _say_not_done(error)
    elif sentence := _done().get(page):
        with place.container(border=True, horizontal=True, vertical_alignment="center", key="notice"):
            st.markdown(f":material/check_circle: {plain(sentence)}", width="stretch")
            st.button("Close", key="close-notice", icon=":material/close:", on_click=_forget, args=(page,))


def attempt(change: Callable[[], None], refused: type[Exception], *, reads_anew: bool = False) -> None:
    """Do it; where it is `refused`, it is said why.

    Where nobody knows whether it was done, a page that `reads_anew` does so at once, so that it shows what
    stands there now; `done_panel` says on what happened.
    """
    try:
        change()
    except refused as error:
        not_done_panel(error)
        if reads_anew and getattr(error, "is_undecided", False):
            draw_anew()


def not_done_panel(error: Exception) -> None:
    """Why the service did not do it, or why it is not known whether it did: what it says itself, where it
    says something, and of which field.
    """
    _done().clear()
    if notice := st.session_state.get(_NOTICE):
        notice.empty()
    st.session_state[_NOT_DONE] = (st.session_state.get(_SHOWN), error)
    _say_not_done(error)


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
