"""What a page with fields rests on: where it cannot be read anew, the last answer stays, and the fields."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final, TypeVar

import streamlit as st

from components.panels.page_parts import failure, loading
from components.panels.viewer import page_moment, page_present
from components.plain_text import plain

Content = TypeVar("Content")

_READ: Final = "read-last"
"""Session key: what was read last and when, by its key."""


def read_anew(
    read: Callable[[], Content],
    key: str,
    height: int,
    *,
    what: str,
    failing: type[Exception],
    every: timedelta | None = None,
) -> Content:
    """What `read` gives; where that is `failing`, what it gave last in this session, after a word on why and
    as of when. Raises what is lasting, and what there was nothing before.

    A page that failed as a whole would drop its fields, and what somebody is typing into them. `what` and
    `every` are as for `guarded`, `height` as for `loading`; `key` is unique on the page.
    """
    kept: dict[str, tuple[Content, datetime]] = st.session_state.setdefault(_READ, {})
    failed = None
    with loading(f"anew-{key}", height, is_read=key in kept):
        try:
            kept[key] = read(), page_present()
        except failing as error:
            if key not in kept or getattr(error, "is_lasting", False):
                raise
            failed = error
    found, moment = kept[key]
    if failed:
        failure(failed, f"anew-{key}", what=what, every=every)
        st.caption(
            plain(f"Below is what was read at {page_moment(moment)}. What you wrote still stands here.")
        )
    return found
