"""A panel that could not be drawn: what failed, since when, why, what happens next, and a way to retry."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Final
from zoneinfo import ZoneInfo

import streamlit as st

from components.plain_text import plain
from contract import HTTP_STATUS

_SHORTEST_WAIT: Final = timedelta(seconds=2)
_LONGEST_WAIT: Final = timedelta(seconds=30)
_STATUS_BY_CODE: Final = {str(code): status for code, status in HTTP_STATUS.items()}
_BARE_STATUS: Final = re.compile("HTTP_[0-9]{3}")
_USUAL_WAIT: Final = timedelta(seconds=10)


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
        st.session_state.pop(_since_key(retry_key), None)


def loading(retry_key: str, height: int) -> AbstractContextManager[object]:
    """A skeleton, `height` pixels high, while the block reads; none where the panel failed before.

    A panel that asks again every few seconds would jump.
    """
    return nullcontext() if _since_key(retry_key) in st.session_state else st.skeleton(height=height)


def failure(error: Exception, retry_key: str, *, what: str = "This part of the page") -> None:
    """Show `error`, whose text is a sentence; `request_id` and `retry_after` are used where it has them.

    The page asks again by itself, as soon as the service allows it; not so for an error that repeating the
    request cannot mend (a 4xx).
    """
    since: datetime = st.session_state.setdefault(_since_key(retry_key), datetime.now(UTC))
    with st.container(border=True, key=f"failure-{retry_key}"):
        is_coming = getattr(error, "retry_after", None) is not None
        verdict = "is not ready yet" if is_coming else "cannot be shown"
        icon = ":material/hourglass_top:" if is_coming else ":material/error:"
        st.markdown(f"{icon} **{what} {verdict}.** {plain(str(error))}")
        wait = _wait_before_retry(error)
        st.caption(" · ".join(_circumstances(error, since, wait)))
        st.button("Try again", key=f"retry-{retry_key}", icon=":material/refresh:")
    if wait is not None:
        _ask_again(retry_key, wait)


def _circumstances(error: Exception, since: datetime, wait: timedelta | None) -> list[str]:
    zone = ZoneInfo(st.context.timezone or "Etc/UTC")
    facts = [f"since {since.astimezone(zone):%H:%M:%S} ({zone.key})"]
    if wait is not None:
        facts.append(f"tried again every {wait.total_seconds():.0f} s")
    if request_id := getattr(error, "request_id", ""):
        facts.append(f"request id `{request_id}`")
    return facts


def _wait_before_retry(error: Exception) -> timedelta | None:
    """None where only a person can mend it: a refused key stays refused."""
    if _is_lasting(str(getattr(error, "code", ""))):
        return None
    seconds = getattr(error, "retry_after", None)
    wait = _USUAL_WAIT if seconds is None else timedelta(seconds=seconds)
    return min(max(wait, _SHORTEST_WAIT), _LONGEST_WAIT)


def _is_lasting(code: str) -> bool:
    """Whether a code (the service's, or `HTTP_404`) stands for a 4xx, other than "too many requests"."""
    bare = int(code.removeprefix("HTTP_")) if _BARE_STATUS.fullmatch(code) else 0
    status = _STATUS_BY_CODE.get(code, bare)
    return HTTPStatus.BAD_REQUEST <= status < HTTPStatus.INTERNAL_SERVER_ERROR and (
        status != HTTPStatus.TOO_MANY_REQUESTS
    )


def _ask_again(retry_key: str, wait: timedelta) -> None:
    """Rerun the page after `wait`; the fragment is gone as soon as the panel can be drawn."""
    drawn_at = datetime.now(UTC)

    @st.fragment(run_every=wait, key=f"again-{retry_key}")
    def again() -> None:
        if datetime.now(UTC) - drawn_at >= wait * 0.9:
            st.rerun()

    again()


def _since_key(retry_key: str) -> str:
    return f"failed-since-{retry_key}"
