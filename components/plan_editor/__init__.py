"""Placing zones and passages on a picture of a floor: by dragging, or with the arrow keys.

What is placed stays in the browser until somebody keeps it: then it is handed to the page, with what stood
there when they saw it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import streamlit as st

import gauge
from components.live_gauge import page_script, page_style
from components.mount_key import mount_key

FOLDER: Final = Path(__file__).resolve().parent
SCRIPTS: Final = ("editor_words.js", "marker.js", "free_spot.js", "unkept_places.js", "editor.js")
"""In the order in which a page loads them."""


@dataclass(frozen=True, slots=True)
class PlanItem:
    """A zone or a passage that can be placed."""

    id: str
    name: str
    kind: str
    """`zones` or `passages`."""
    about: str = ""
    """Of a passage, from where to where."""
    between: tuple[str, ...] = ()
    """Of a passage the ids of its zones."""


def plan_editor(
    items: Sequence[PlanItem],
    placed: Mapping[str, Mapping[str, Mapping[str, float]]],
    *,
    site: str,
    picture: str,
    size: tuple[int, int],
    revision: str,
    key: str,
) -> Mapping[str, Any] | None:
    """Draw it; what somebody wants to be kept, once, as JSON that nobody has checked: `{before, placed}`.

    `placed` are {x, y}, shares of the picture, by kind and id; `site` is its id, under which the browser has
    what is not kept yet; `picture` is the address of the picture, `size` its width and height; `revision`
    names what is kept now, and comes back as `before`.
    """
    data = {
        "items": [asdict(item) for item in items],
        "placed": placed,
        "site": site,
        "picture": picture,
        "size": list(size),
        "revision": revision,
    }
    result = _editor(key=mount_key(key), data=data, on_keep_change=_nothing_more)
    sent: Mapping[str, Any] | None = result.get("keep")
    return sent


def _nothing_more() -> None:
    """A run follows anyway, in which the answer stands."""


def _text(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


_editor = st.components.v2.component(
    "headroom_plan_editor",
    css=page_style(_text("editor.css")),
    js=page_script(gauge.place_script(), *map(_text, SCRIPTS)),
)
