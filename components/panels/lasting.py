"""Since when something lasts on a page, over its runs: that a part fails, that an answer is waited for.

It is kept by the monotonic clock, and told by the clock of the page as that goes now: the service's, which is
known better with each of its answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from time import monotonic

import streamlit as st

from components.panels.viewer import page_present


def moment_of(begun: float) -> datetime:
    """By the clock of the page, UTC; `begun` in monotonic seconds."""
    return page_present() - timedelta(seconds=monotonic() - begun)


class Lasting:
    """What lasts of one kind, in the session of a viewer; keys there begin with `kind`."""

    def __init__(self, kind: str) -> None:
        self._begun = f"{kind}-since"
        """Session key: since when, by what it is, in monotonic seconds."""
        self._seen = f"{kind}-in-this-run"
        """Session key: what lasted in this run of the page."""

    @contextmanager
    def remembered(self) -> Iterator[None]:
        """Wraps a run of a page: what does not last in it begins anew the next time.

        A run that was cut short (a choice, another page) says nothing about what it did not reach.
        """
        st.session_state[self._seen] = set()
        yield
        begun, seen = self._moments(), st.session_state[self._seen]
        st.session_state[self._begun] = {what: begun[what] for what in begun if what in seen}

    def since(self, what: str, begun: float) -> float:
        """Since when it lasts, in monotonic seconds: since `begun` where it did not before."""
        st.session_state.setdefault(self._seen, set()).add(what)
        return self._moments().setdefault(what, begun)

    def over(self, what: str) -> None:
        """It lasts no longer."""
        self._moments().pop(what, None)

    def __contains__(self, what: str) -> bool:
        return what in self._moments()

    def _moments(self) -> dict[str, float]:
        found: dict[str, float] = st.session_state.setdefault(self._begun, {})
        return found
