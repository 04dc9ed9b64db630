"""A panel that could not be drawn: what failed, since when, why, what happens next, and a way to retry."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime, timedelta
from typing import Final

import streamlit as st

from components.panels.viewer import viewer_or_utc
from components.plain_text import LONGEST_NAME, code, plain

_SHORTEST_WAIT: Final = timedelta(seconds=2)
_LONGEST_WAIT: Final = timedelta(seconds=30)
_USUAL_WAIT: Final = timedelta(seconds=10)
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
    yield
    since, seen = _since(), st.session_state[_SEEN]
    st.session_state[_SINCE] = {key: since[key] for key in since if key in seen}


@contextmanager
def guarded(what: str, retry_key: str, catching: type[Exception]) -> Iterator[None]:
    """Let this panel fail alone: an error of `catching` is shown in its place, the page goes on.

    `what` names the panel in a sentence ("The list of sites"); `retry_key` is unique on the page.
    """
    try:
        yield
    except catching as error:
        failure(error, retry_key, what=what)
    else:
        _since().pop(retry_key, None)


def loading(retry_key: str, height: int) -> AbstractContextManager[object]:
    """A skeleton, `height` pixels high, while the block reads; none where the panel failed before.

    A panel that asks again every few seconds would jump.
    """
    return nullcontext() if retry_key in _since() else st.skeleton(height=height)


def failure(error: Exception, retry_key: str, *, what: str = "This part of the page") -> None:
    """Show `error`, whose text is a sentence; `request_id`, `retry_after` and `is_lasting` are used where it
    has them.

    The page asks again by itself, as soon as the service allows it; not so for an error that is lasting.
    """
    since = _since().setdefault(retry_key, datetime.now(UTC))
    st.session_state.setdefault(_SEEN, set()).add(retry_key)
    with st.container(border=True, key=f"failure-{retry_key}"):
        is_coming = getattr(error, "retry_after", None) is not None
        verdict = "is not ready yet" if is_coming else "cannot be shown"
        icon = ":material/hourglass_top:" if is_coming else ":material/error:"
        st.markdown(f"{icon} **{plain(what)} {verdict}.** {plain(str(error))}")
        wait = _wait_before_retry(error)
        st.caption(" · ".join(_circumstances(error, since, wait)))
        st.button("Try again", key=f"retry-{retry_key}", icon=":material/refresh:")
    if wait is not None:
        _ask_again(retry_key, wait)


def _circumstances(error: Exception, since: datetime, wait: timedelta | None) -> list[str]:
    zone = viewer_or_utc()
    facts = [plain(f"since {since.astimezone(zone):%H:%M:%S} ({zone.key})")]
    if wait is not None:
        facts.append(plain(f"tried again every {wait.total_seconds():.0f} s"))
    if request_id := getattr(error, "request_id", ""):
        facts.append(f"request id {code(str(request_id), LONGEST_NAME)}")
    return facts


def _wait_before_retry(error: Exception) -> timedelta | None:
    """None where only a person can mend it: a refused key stays refused."""
    if getattr(error, "is_lasting", False):
        return None
    seconds = getattr(error, "retry_after", None)
    wait = _USUAL_WAIT if seconds is None else timedelta(seconds=seconds)
    return min(max(wait, _SHORTEST_WAIT), _LONGEST_WAIT)


def _ask_again(retry_key: str, wait: timedelta) -> None:
    """Rerun the page after `wait`; the fragment is gone as soon as the panel can be drawn."""
    drawn_at = datetime.now(UTC)

    @st.fragment(run_every=wait, key=f"again-{retry_key}")
    def again() -> None:
        if datetime.now(UTC) - drawn_at >= wait * 0.9:
            st.rerun()

    again()


def _since() -> dict[str, datetime]:
    found: dict[str, datetime] = st.session_state.setdefault(_SINCE, {})
    return found
