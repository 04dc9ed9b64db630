"""A wall page within a page of the dashboard: in the true size of its screen, scaled to the room."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import streamlit as st

from components.mount_key import mount_key

FOLDER: Final = Path(__file__).resolve().parent


def wall_frame(
    address: str, *, title: str, width: int, height: int, key: str, most_height: int, is_still: bool = False
) -> None:
    """`width` and `height` are those of the screen in CSS pixels; here it is `most_height` high at most.

    The frame is loaded when it comes into sight. `is_still`: it is a picture of a moment, taken anew every
    minute, one frame after another: a browser has six connections to a server, and live walls keep one each.
    """
    data = {
        "address": address,
        "title": title,
        "width": width,
        "height": height,
        "most_height": most_height,
        "still": is_still,
    }
    _component(key=mount_key(key), data=data)


def into_view(key: str, *, first: str, always: bool) -> None:
    """Scroll to this place when it appears for the first time under this key.

    The focus goes on `first`, a selector of what stands beside it, where what was pressed is gone. Not
    `always`: scroll only for who uses the keyboard.
    """
    _place(key=mount_key(key), data={"first": first, "always": always})


def _own(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


_component = st.components.v2.component("headroom_wall_frame", css=_own("frame.css"), js=_own("frame.js"))
_place = st.components.v2.component("headroom_into_view", js=_own("into_view.js"))
