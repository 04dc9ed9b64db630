"""What every page has around it: styles for the focus and for paper, the keyboard's way into what opens, a
navigation that leaves a narrow page free, and what only paper shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import streamlit as st

from components.mount_key import mount_key

_FOLDER: Final = Path(__file__).resolve().parent


TOURED: Final = "headroom-tour"
"""Name of the cookie of a browser that has seen the tour; it ends with the browser, and tells no more."""


def page_frame(locale: str | None, *, is_toured: bool = False) -> None:
    """Once a page, above it. It shows nothing on a screen; on paper, when it was printed and what was chosen.

    `locale` is the viewer's (BCP 47); None leaves it to the browser. `is_toured`: the browser keeps in mind
    that it has seen the tour.
    """
    _frame(key=mount_key("page-frame"), data={"locale": locale or "", "toured": TOURED if is_toured else ""})


def paper_table(headings: Sequence[str], rows: Sequence[Sequence[str]], *, note: str, key: str) -> None:
    """A table that only paper shows, over as many pages as it needs, with `note` below it."""
    _table(key=mount_key(f"paper-{key}"), data={"headings": headings, "rows": rows, "note": note})


def _source(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


_SCRIPTS: Final = (
    "paper.js",
    "focus.js",
    "kept_focus.js",
    "pressed_once.js",
    "kept_letters.js",
    "typed_numbers.js",
    "typed_days.js",
    "printing.js",
)
_frame = st.components.v2.component(
    "headroom_page_frame",
    css=_source("page.css"),
    js="".join(map(_source, _SCRIPTS)),
    # The styles are for the whole page.
    isolate_styles=False,
)
_table = st.components.v2.component(
    "headroom_paper_table",
    js=_source("paper.js") + _source("paper_table.js"),
    isolate_styles=False,
)
