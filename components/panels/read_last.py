"""What the dashboard keeps, read for a page; while its database is away, as this session read it last.

Streamlit drops what somebody writes or chooses in a part that is not drawn, and what is being typed below
an element that comes or goes. So the part goes on, and what is said of it has a place of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final, TypeVar

import streamlit as st

from components.panels.page_parts import ask_again, failure, guarded
from components.panels.viewer import page_moment, page_present
from components.plain_text import plain

Read = TypeVar("Read")

_HELD: Final = "kept-read-last"
"""Session key: what was read and when, by its retry key and what it is of."""


def read_or_last(what: str, retry_key: str, of: str, read: Callable[[], Read], otherwise: Read) -> Read:
    """What `read` gives; it raises RuntimeError with a sentence for people, which is said here. Where it is
    back by itself (`is_lasting` false), what was read last is given, else `otherwise`.

    `what` and `retry_key` are as of `guarded`; `of` tells apart what is read under one retry key.
    """
    place, key = st.empty(), (retry_key, of)
    held: dict[tuple[str, str], tuple[Any, datetime]] = st.session_state.setdefault(_HELD, {})
    try:
        held[key] = read(), page_present()
    except RuntimeError as error:
        if getattr(error, "is_lasting", True) or key not in held:
            with place.container():
                failure(error, retry_key, what=what)
            return otherwise
        with place.container():
            said = f"{what}: what was read at {page_moment(held[key][1])} stands here. {error}"
            st.caption(f":material/warning: {plain(said)}")
            ask_again(retry_key)
    else:
        with guarded(what, retry_key, RuntimeError):
            pass  # it fails no longer
    found: Read = held[key][0]
    return found
