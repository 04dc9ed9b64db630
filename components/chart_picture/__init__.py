"""The two buttons below a chart that save it as a picture, PNG or SVG, which says of what and when it is.

`chart_picture` puts them below one of plotly's; the scripts of live pages have the same for drawings of ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import streamlit as st

from components.mount_key import mount_key

FOLDER: Final = Path(__file__).resolve().parent
SHARED: Final = ("frame.js", "bar.js")
"""In the order in which a page loads them, before the others."""
OF_CHARTS: Final = ("drawing.js", "picture.js")
OF_DRAWINGS: Final = ("svg_picture.js",)
STYLES: Final = "picture.css"


def chart_picture(
    chart: str, *, title: str, words: Sequence[str], file: str, colours: Mapping[str, str]
) -> None:
    """Below the chart with the key `chart`. `words` stand below the `title`; `file` is a name without ending.

    `colours` are those of the theme that the picture has otherwise, as it is on white: `#RRGGBB`, each to
    what it becomes.
    """
    data = {"chart": chart, "title": title, "words": words, "file": file, "colours": colours}
    _component(key=mount_key(f"picture-{chart}"), data=data)


def drawing_script() -> str:
    """What saves a drawing of a live page, as one; to be loaded after the gauge's scripts."""
    return "\n".join(map(_own, (*SHARED, *OF_DRAWINGS)))


def picture_style() -> str:
    """Of the buttons, wherever they stand."""
    return _own(STYLES)


def _own(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


_component = st.components.v2.component(
    "headroom_chart_picture", css=picture_style(), js="\n".join(map(_own, (*SHARED, *OF_CHARTS)))
)
