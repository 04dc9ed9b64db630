"""Parts of a page: one that may fail and then says what, since when, why and what is next; one folded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from datetime import datetime, timedelta
from functools import wraps
from time import monotonic
from typing import Final, ParamSpec

import streamlit as st

from analysis.names import LONGEST_NAME
from components.panels.lasting import Lasting, moment_of
from components.panels.viewer import drawn_whole, forget_site, page_moment, page_present
from components.panels.waiting import is_part, said_here, skeleton, waits_remembered
from components.plain_text import code, plain
from contract import ErrorCode

Parameters = ParamSpec("Parameters")

_SHORTEST_WAIT: Final = timedelta(seconds=2)
_LONGEST_WAIT: Final = timedelta(seconds=30)
_USUAL_WAIT: Final = timedelta(seconds=10)
_LASTING_WAIT: Final = timedelta(minutes=3)
"""As open feeds ask again: somebody has to mend it, elsewhere perhaps."""
_AROUND: Final = "around-parts"
"""Session key: what the run of a part that is pressed is within."""
_BY_ITSELF: Final = "asked-again"
"""Session key: the page runs because it asks again."""
_is_of_page: Final = ContextVar("is_of_page", default=False)
"""Whether a fragment is drawn in a run of its page; otherwise it runs again alone."""
_failing: Final = Lasting("failing")
"""Panels, by retry key."""


@contextmanager
def outages_remembered() -> Iterator[None]:
    """Wraps a run of a page: what does not fail, or is not waited for, in it begins anew the next time."""
    forget_site()
    with _failing.remembered(), waits_remembered():
        yield
    drawn_whole()


@contextmanager
def guarded(
    what: str,
    retry_key: str,
    catching: type[Exception],
    *,
    every: timedelta | None = None,
    tells_all: bool = False,
) -> Iterator[None]:
    """Let this panel fail alone: an error of `catching` is shown in its place, the page goes on.

    `what` names the panel in a sentence ("The list of sites"); `retry_key` is unique on the page; `every` and
    `tells_all` are as for `failure`.
    """
    try:
        yield
    except catching as error:
        failure(error, retry_key, what=what, every=every, tells_all=tells_all)
    else:
        _failing.over(retry_key)


def loading(retry_key: str, height: int, *, is_read: bool = False) -> AbstractContextManager[object]:
    """A skeleton, `height` pixels high, while the block reads; none where the panel failed before, or what it
    is about `is_read` already.

    A panel that asks again every few seconds would jump.
    """
    return skeleton(height, is_shown=not is_read and retry_key not in _failing)


def parts_within(around: Callable[[], AbstractContextManager[None]]) -> None:
    """Each run of a part that somebody presses is within this, as the run of its page is: none of its script
    runs then but the part.
    """
    st.session_state[_AROUND] = around


def failure(
    error: Exception,
    retry_key: str,
    *,
    what: str = "This part of the page",
    every: timedelta | None = None,
    tells_all: bool = False,
) -> None:
    """Show `error`, whose text is a sentence; `request_id`, `retry_after` and `is_lasting` are used where it
    has them. Where it has a `summary`, that is shown, and the way to the Connection page: `tells_all` there.

    The page asks again by itself, as soon as the service allows it, and seldom where the error is lasting.
    Where what is around it runs by itself anyway, `every` is how often, and nothing more asks again.
    """
    since = moment_of(_failing.since(retry_key, monotonic()))
    wait = every or _wait_before_retry(error)
    if getattr(error, "code", "") == ErrorCode.SERVICE_STARTING:
        st.info(f"{plain(str(error))} This page appears by itself.", icon=":material/hourglass_top:")
    else:
        summary = "" if tells_all else getattr(error, "summary", "")
        with st.container(border=True, key=f"failure-{retry_key}"):
            _verdict(error, what, f"{summary or error}{_answered_from(error)}")
            st.caption(" · ".join(_circumstances(error, since, wait)))
            with st.container(horizontal=True, vertical_alignment="center"):
                st.button("Try again", key=f"retry-{retry_key}", icon=":material/refresh:")
                if summary:
                    st.page_link("pages/connection.py", label="More on Connection", icon=":material/cable:")
    if every is None:
        ask_again(retry_key, wait)


def _verdict(error: Exception, what: str, reason: str) -> None:
    is_coming = getattr(error, "retry_after", None) is not None
    verdict = "is not ready yet" if is_coming else "cannot be shown"
    icon = ":material/hourglass_top:" if is_coming else ":material/error:"
    st.markdown(f"{icon} **{plain(what)} {verdict}.** {plain(reason)}")


def _answered_from(error: Exception) -> str:
    """From when on it would be answered, where an archive is away; empty: nobody knows, or it is not that."""
    held_from = getattr(error, "held_from", None)
    return f" What was counted from {page_moment(held_from)} on can be read." if held_from else ""


def _circumstances(error: Exception, since: datetime, wait: timedelta) -> list[str]:
    facts = [plain(f"since {page_moment(since)}"), plain(f"tried again every {_pace(wait)}")]
    if (pause := getattr(error, "retry_after", None)) is not None:
        until = page_moment(page_present() + timedelta(seconds=pause), seconds=True)
        facts.append(plain(f"the service asks for a pause until {until}"))
    if request_id := getattr(error, "request_id", ""):
        facts.append(f"request id {code(str(request_id), LONGEST_NAME)}")
    return facts


def _pace(wait: timedelta) -> str:
    minutes = wait // timedelta(minutes=1)
    return f"{minutes} min" if minutes else f"{wait.total_seconds():.0f} s"


def _wait_before_retry(error: Exception) -> timedelta:
    if getattr(error, "is_lasting", False):
        return _LASTING_WAIT
    seconds = getattr(error, "retry_after", None)
    wait = _USUAL_WAIT if seconds is None else timedelta(seconds=seconds)
    return min(max(wait, _SHORTEST_WAIT), _LONGEST_WAIT)


def by_itself(
    every: timedelta | None, key: str | None = None
) -> Callable[[Callable[Parameters, None]], Callable[Parameters, None]]:
    """Make what is decorated a fragment that runs again every `every`; None: by what is pressed in it alone.

    It stands in a container of the page. Streamlit may drop what one fragment drew and send what others did,
    to a place that is not theirs then, or none, and the page is blank. So one that runs by itself draws none.
    """

    def decorated(draw: Callable[Parameters, None]) -> Callable[Parameters, None]:
        @wraps(draw)
        def part(*args: Parameters.args, **kwargs: Parameters.kwargs) -> None:
            around = st.session_state.get(_AROUND, nullcontext)
            # What runs by itself goes on showing what it did while it is read again.
            here = said_here(is_again=not _is_of_page.get()) if every else nullcontext()
            with _set(is_part), around(), here:
                draw(*args, **kwargs)

        fragment = st.fragment(run_every=every, key=key)(part)

        @wraps(draw)
        def placed(*args: Parameters.args, **kwargs: Parameters.kwargs) -> None:
            with st.container(), _set(_is_of_page):
                fragment(*args, **kwargs)

        return placed

    return decorated


@contextmanager
def _set(mark: ContextVar[bool]) -> Iterator[None]:
    before = mark.set(True)
    try:
        yield
    finally:
        mark.reset(before)


def ask_again(retry_key: str, wait: timedelta = _USUAL_WAIT) -> None:
    """Rerun the page after `wait`; the fragment is gone as soon as the panel can be drawn."""
    drawn_at = monotonic()

    @by_itself(wait, key=f"again-{retry_key}")
    def again() -> None:
        if monotonic() - drawn_at >= 0.9 * wait.total_seconds():
            draw_anew()

    again()


def some_unread(unread: int, what: str, retry_key: str) -> None:
    """As `unread_part`, of several places, so that no shares are known; `what` names them ("doors")."""
    unread_part(f"{unread} of the {what} could not be read, so no shares are known", retry_key)


def unread_part(said: str, retry_key: str) -> None:
    """Say what could not be read (`said`, without a full stop) and since when, and ask again.

    Why is not known here: what lasts may be a refusal, which is seldom repeated.
    """
    begun = _failing.since(retry_key, monotonic())
    wait = _USUAL_WAIT if monotonic() - begun < _LASTING_WAIT.total_seconds() else _LASTING_WAIT
    since = f"since {page_moment(moment_of(begun))}, tried again every {_pace(wait)}"
    st.caption(plain(f"{said}: {since}."))
    ask_again(retry_key, wait)


def draw_anew() -> None:
    """Run the page again, by itself: what is said of the last press stays."""
    st.session_state[_BY_ITSELF] = True
    st.rerun()


def was_by_itself() -> bool:
    """Whether nobody pressed anything for this run of the page. Asked once in a run."""
    return bool(st.session_state.pop(_BY_ITSELF, False))


@by_itself(None)
def folded(label: str, icon: str, draw: Callable[[], None]) -> None:
    """Nothing of it is made, sent or loaded before it is opened: tables and code have large scripts.

    Opening it draws it alone, from what the page was drawn from. `icon` is a Material symbol's name, and one
    part's on its page: `folded-<icon>` is the state that says whether it is open.
    """
    part = st.expander(label, icon=f":material/{icon}:", key=f"folded-{icon}", on_change="rerun")
    if part.open:
        with part:
            draw()


def change_or_say(change: Callable[[], None]) -> None:
    """Changes what the dashboard keeps and draws the page anew; a RuntimeError is said, and loses nothing."""
    try:
        change()
    except RuntimeError as error:
        st.error(plain(f"{error} What you wrote still stands here."), icon=":material/error:")
        return
    st.rerun()
