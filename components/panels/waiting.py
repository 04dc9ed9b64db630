"""What a page says while it waits for the service: for what, since when, and how to stop."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent import futures
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from itertools import count
from time import monotonic
from typing import Final, NamedTuple, Protocol, TypeVar

import streamlit as st

from components.panels.lasting import Lasting, moment_of
from components.panels.viewer import page_moment, stands_for_another, viewer_formats
from components.plain_text import plain, plain_sentences

Outcome = TypeVar("Outcome")

_UNTIL_SAID: Final = 2.0
"""Seconds after which a page says what it waits for: one more, at most, after its title is there."""
_UNTIL_SAID_AGAIN: Final = 5.0
"""Of what is read again while what was read before stands there."""
_UNTIL_TAKEN: Final = 0.5
"""Where the numbers of another site stand below the name of the one that is chosen now: they go with that."""
_UNTIL_LEFT: Final = 0.5
"""Seconds after which it looks whether its viewer is still there."""
_STOPPED: Final = "waiting-stopped"
"""Session key: what the viewer did not want to wait for, with the link that asked for it."""
_waiting: Final = Lasting("waiting")
"""What has not come, over all tries."""
_waits: Final = count()
"""A number for each wait."""


class _Empty(Protocol):
    """What `st.empty` makes."""

    def container(self, *, key: str) -> AbstractContextManager[object]: ...

    def empty(self) -> object: ...


class _Place(NamedTuple):
    """Where it is said that something is waited for."""

    at: _Empty
    is_again: bool
    """Whether what was read before stands there."""


_place: Final[ContextVar[_Place | None]] = ContextVar("place", default=None)
is_part: Final = ContextVar("is_part", default=False)
"""Whether what is drawn is of a fragment."""


waits_remembered: Final = _waiting.remembered
"""Wraps a run of a page: what it does not wait for in it is waited for anew the next time."""


@contextmanager
def skeleton(height: int, *, is_shown: bool = True, is_again: bool = False) -> Iterator[None]:
    """A skeleton, `height` pixels high, while the block reads; what it waits for is said above (`said_here`).

    These are two elements, shown or not: what follows keeps its index, by which Streamlit knows a text box
    whose letters are being typed. They take no room where they are empty, as a container around them would.
    """
    with (
        said_here(is_again=is_again),
        st.skeleton(height=height) if is_shown else nullcontext(st.empty()),
    ):
        yield


@contextmanager
def said_here(*, is_again: bool = False) -> Iterator[None]:
    """What the block waits for is said here, before what it draws. `is_again`: what a run before it drew
    stands there meanwhile, and quick answers change nothing of it.
    """
    before = _place.set(_Place(st.empty(), is_again))
    try:
        yield
    finally:
        _place.reset(before)


def awaited(outcome: futures.Future[Outcome], what: str) -> Outcome:
    """The outcome, however long it takes; after a while the page says that it waits for it, and how many of
    its questions are answered (`asked` and `answered`, where it has them), with a way to stop. Where some
    failed (`is_lacking`) it is still waited for the next time.

    `what` ends a sentence ("how many people are inside"). Raises what the outcome does. It is cancelled where
    the viewer leaves the page, stops it, or chooses something else. A part is stopped by these choices alone:
    Streamlit lets no button of a fragment end a run.
    """
    asked_at = monotonic()
    waiting = f"{what} {sorted(st.query_params.to_dict().items())}"
    if not is_part.get() and st.session_state.get(_STOPPED) == waiting:
        outcome.cancel()
        _waiting.over(waiting)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f":material/pause_circle: {plain(f'Stopped before the service said {what}.')}")
            st.button("Go on", on_click=lambda: st.session_state.pop(_STOPPED, None))
        st.stop()
    place = _place.get()
    is_again = place is not None and place.is_again
    is_other = stands_for_another()
    until = _UNTIL_TAKEN if is_other else _UNTIL_SAID_AGAIN if is_again else _UNTIL_SAID
    if not futures.wait([outcome], until).done:
        at = place.at if place else st.empty()
        try:
            # Under these names the frame hides what failed before, and what is of another site: nobody is to
            # read both.
            with at.container(key=f"waiting-{'other-' if is_other else ''}{next(_waits)}"):
                _wait_aloud(outcome, what, waiting, asked_at, is_again=is_again)
        finally:
            outcome.cancel()
        at.empty()
    if outcome.exception() or getattr(outcome, "is_lacking", False):
        _waiting.since(waiting, asked_at)  # however soon it failed: it has not come yet, or not all of it
    else:
        _waiting.over(waiting)
    return outcome.result()


def _wait_aloud(
    outcome: futures.Future[Outcome], what: str, waiting: str, asked_at: float, *, is_again: bool
) -> None:
    since = _waiting.since(waiting, asked_at)
    said = f"The service has not said yet {what}. Waiting for its answer since {_second(since)}."
    with st.spinner(plain(said)):
        more = [f"Asked again at {_second(asked_at)}."] if since < asked_at else []
        if is_again:
            more.append("What stands here was read before; it is asked for again by itself.")
        else:
            more.append("If none comes, this page says so, and asks again by itself.")
        st.caption(plain_sentences(more))
        with st.container(horizontal=True, vertical_alignment="center"):
            if not is_part.get():
                # A page may wait for one thing after the other.
                key, stop = f"stop-{next(_waits)}", {_STOPPED: waiting}
                st.button("Stop waiting", key=key, on_click=lambda: st.session_state.update(stop))
            far, said = st.empty(), ""
        while not futures.wait([outcome], _UNTIL_LEFT).done:
            _yield_to_streamlit()
            if said != (said := _progress(outcome)):
                far.caption(plain(said))


def _second(begun: float) -> str:
    return page_moment(moment_of(begun), seconds=True)


def _progress(outcome: futures.Future[Outcome]) -> str:
    """`12 of 42 answers are here.`; empty where it is one question, or cannot tell.

    Where all are here more is asked for next: nobody would believe that one waits for these.
    """
    asked, answered = getattr(outcome, "asked", 0), getattr(outcome, "answered", 0)
    number = viewer_formats().number
    return f"{number(answered)} of {number(asked)} answers are here." if asked > max(1, answered) else ""


def _yield_to_streamlit() -> None:
    """Streamlit ends a run whose viewer left when the run looks at the session."""
    st.session_state.get(_STOPPED)
