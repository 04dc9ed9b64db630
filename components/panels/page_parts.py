"""Parts of a page: one that may fail and then says what, since when, why and what is next; one folded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent import futures
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from functools import wraps
from itertools import count
from time import monotonic
from typing import Final, ParamSpec, TypeVar

import streamlit as st

from analysis.names import LONGEST_NAME
from components.panels.viewer import forget_site, page_moment, viewer_formats
from components.plain_text import code, plain
from contract import ErrorCode

Outcome = TypeVar("Outcome")
Parameters = ParamSpec("Parameters")

_SHORTEST_WAIT: Final = timedelta(seconds=2)
_LONGEST_WAIT: Final = timedelta(seconds=30)
_USUAL_WAIT: Final = timedelta(seconds=10)
_LASTING_WAIT: Final = timedelta(minutes=3)
"""As open feeds ask again: somebody has to mend it, elsewhere perhaps."""
_UNTIL_SAID: Final = 2.0
"""Seconds after which a page says what it waits for: one more, at most, after its title is there."""
_UNTIL_LEFT: Final = 0.5
"""Seconds after which it looks whether its viewer is still there."""
_STOPPED: Final = "waiting-stopped"
"""Session key: what the viewer did not want to wait for, with the link that asked for it."""
_waits: Final = count()
"""A number for each wait."""
_AROUND: Final = "around-parts"
"""Session key: what the run of a part that is pressed is within."""
_is_part: Final = ContextVar("is_part", default=False)
"""Whether what is drawn is of a fragment."""
_SINCE: Final = "failing-since"
"""Session key: since when each panel fails that failed in the last whole run, by retry key."""
_SEEN: Final = "failing-in-this-run"
"""Session key: retry keys of the panels that failed in this run."""


@contextmanager
def outages_remembered() -> Iterator[None]:
    """Wraps a run of a page: a panel that does not fail in it begins anew with its next failure.

    A run that was cut short (a choice, another page) says nothing about the panels it did not reach.
    """
    st.session_state[_SEEN] = set()
    forget_site()
    yield
    since, seen = _since(), st.session_state[_SEEN]
    st.session_state[_SINCE] = {key: since[key] for key in since if key in seen}


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
        _since().pop(retry_key, None)


def loading(retry_key: str, height: int) -> AbstractContextManager[object]:
    """A skeleton, `height` pixels high, while the block reads; none where the panel failed before.

    A panel that asks again every few seconds would jump. It is one element either way: what follows keeps its
    index, by which Streamlit knows a text box whose letters are being typed.
    """
    return st.container() if retry_key in _since() else st.skeleton(height=height)


def parts_within(around: Callable[[], AbstractContextManager[None]]) -> None:
    """Each run of a part that somebody presses is within this, as the run of its page is: none of its script
    runs then but the part.
    """
    st.session_state[_AROUND] = around


def awaited(outcome: futures.Future[Outcome], what: str) -> Outcome:
    """The outcome, however long it takes; after a while the page says that it waits for it, and how many of
    its questions are answered (`asked` and `answered`, where it has them), with a way to stop.

    `what` ends a sentence ("how many people are inside"). Raises what the outcome does. It is cancelled where
    the viewer leaves the page, stops it, or chooses something else. A part is stopped by these choices alone:
    Streamlit lets no button of a fragment end a run.
    """
    waiting = f"{what} {sorted(st.query_params.to_dict().items())}"
    if st.session_state.get(_STOPPED) == waiting:
        outcome.cancel()
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f":material/pause_circle: {plain(f'Stopped before the service said {what}.')}")
            st.button("Go on", on_click=lambda: st.session_state.pop(_STOPPED, None))
        st.stop()
    if not futures.wait([outcome], _UNTIL_SAID).done:
        place = st.empty()
        try:
            with place.container():
                _wait_aloud(outcome, what, waiting)
        finally:
            outcome.cancel()
        place.empty()
    return outcome.result()


def _wait_aloud(outcome: futures.Future[Outcome], what: str, waiting: str) -> None:
    since = page_moment(datetime.now(UTC) - timedelta(seconds=_UNTIL_SAID), seconds=True)
    with st.spinner(plain(f"The service has not said yet {what}. Waiting for its answer since {since}.")):
        st.caption("If none comes, this page says so, and asks again by itself.")
        with st.container(horizontal=True, vertical_alignment="center"):
            if not _is_part.get():
                # A page may wait for one thing after the other.
                key, stop = f"stop-{next(_waits)}", {_STOPPED: waiting}
                st.button("Stop waiting", key=key, on_click=lambda: st.session_state.update(stop))
            far, said = st.empty(), ""
        while not futures.wait([outcome], _UNTIL_LEFT).done:
            _yield_to_streamlit()
            if said != (said := _progress(outcome)):
                far.caption(plain(said))


def _progress(outcome: futures.Future[Outcome]) -> str:
    """`12 of 42 answers are here.`; empty where it is one question, or cannot tell."""
    asked, answered = getattr(outcome, "asked", 0), getattr(outcome, "answered", 0)
    number = viewer_formats().number
    return f"{number(answered)} of {number(asked)} answers are here." if asked > 1 else ""


def _yield_to_streamlit() -> None:
    """Streamlit ends a run whose viewer left when the run looks at the session."""
    _since()


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
    since = _since().setdefault(retry_key, datetime.now(UTC))
    st.session_state.setdefault(_SEEN, set()).add(retry_key)
    wait = every or _wait_before_retry(error)
    if getattr(error, "code", "") == ErrorCode.SERVICE_STARTING:
        st.info(f"{plain(str(error))} This page appears by itself.", icon=":material/hourglass_top:")
    else:
        summary = "" if tells_all else getattr(error, "summary", "")
        with st.container(border=True, key=f"failure-{retry_key}"):
            _verdict(error, what, summary or str(error))
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


def _circumstances(error: Exception, since: datetime, wait: timedelta) -> list[str]:
    minutes = wait // timedelta(minutes=1)
    pace = f"{minutes} min" if minutes else f"{wait.total_seconds():.0f} s"
    facts = [plain(f"since {page_moment(since)}"), plain(f"tried again every {pace}")]
    if (pause := getattr(error, "retry_after", None)) is not None:
        until = page_moment(datetime.now(UTC) + timedelta(seconds=pause), seconds=True)
        facts.append(plain(f"the service asks for a pause until {until}"))
    if request_id := getattr(error, "request_id", ""):
        facts.append(f"request id {code(str(request_id), LONGEST_NAME)}")
    return facts


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
            # What runs by itself goes on showing what it did: nobody waits for it.
            around = nullcontext if every else st.session_state.get(_AROUND, nullcontext)
            with _marked_as_part(), around():
                draw(*args, **kwargs)

        fragment = st.fragment(run_every=every, key=key)(part)

        @wraps(draw)
        def placed(*args: Parameters.args, **kwargs: Parameters.kwargs) -> None:
            with st.container():
                fragment(*args, **kwargs)

        return placed

    return decorated


@contextmanager
def _marked_as_part() -> Iterator[None]:
    before = _is_part.set(True)
    try:
        yield
    finally:
        _is_part.reset(before)


def ask_again(retry_key: str, wait: timedelta = _USUAL_WAIT) -> None:
    """Rerun the page after `wait`; the fragment is gone as soon as the panel can be drawn."""
    drawn_at = monotonic()

    @by_itself(wait, key=f"again-{retry_key}")
    def again() -> None:
        if monotonic() - drawn_at >= 0.9 * wait.total_seconds():
            st.rerun()

    again()


def _since() -> dict[str, datetime]:
    found: dict[str, datetime] = st.session_state.setdefault(_SINCE, {})
    return found


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
