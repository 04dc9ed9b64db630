"""Whether whoever looks may change what the dashboard keeps, asked before a control is drawn that does.

What is pressed is held where it is written, whatever is drawn: this is so that nobody writes in vain.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import streamlit as st

from components.plain_text import plain

_REFUSAL: Final = "change-refusal"
"""Session key: what says why they may not."""

_WITHOUT_SITE: Final = "change-without-site"
"""Session key: what says whom to ask who sees no site."""

Refusal = Callable[[str | None], str]
"""Why they may change nothing that is kept of the site of an id, or for all (None); empty: they may."""


def ask_before_changes(refusal: Refusal, without_site: Callable[[], str]) -> None:
    """Before any page is drawn. `without_site`: whom to ask who sees no site; empty: they may set one up."""
    st.session_state[_REFUSAL] = refusal
    st.session_state[_WITHOUT_SITE] = without_site


def whom_to_ask_for_a_site() -> str:
    """Empty: whoever looks may set one up."""
    asked: Callable[[], str] | None = st.session_state.get(_WITHOUT_SITE)
    return asked() if asked else ""


def may_change(site_id: str | None = None) -> bool:
    """Whether they may change what is kept of the site; None: of no site in particular."""
    return not _refusal(site_id)


def may_change_or_say(site_id: str | None = None) -> bool:
    """Likewise; where they may not it is said why, in the place of what they would press."""
    if refusal := _refusal(site_id):
        st.caption(f":material/lock: {plain(refusal)}")
    return not refusal


def _refusal(site_id: str | None) -> str:
    asked: Refusal | None = st.session_state.get(_REFUSAL)
    return asked(site_id) if asked else ""
