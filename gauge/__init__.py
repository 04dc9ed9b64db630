"""What a browser draws live, for pages and walls alike: the scripts, the styles, and `levels`.

The scripts are plain JavaScript that a page loads one after another, without Streamlit and without a module
loader: the mounts of the pages (`components/live_gauge`, `components/live_site`) and the bundle of the walls
(`screens/page.py`) put them before their own.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).resolve().parent
SCRIPTS: Final = (
    "words.js",
    "relay_link.js",
    "freshness.js",
    "trend.js",
    "moments.js",
    "wording.js",
    "closed.js",
    "dial.js",
    "usual.js",
    "day_chart.js",
    "gauge.js",
)
"""In the order in which a page loads them."""
STYLES: Final = ("core.css", "gauge.css")
"""Of pages. Walls have the first, too, before their own."""

PLACE_SCRIPTS: Final = (
    "place/words.js",
    "place/lanes.js",
    "place/crossings.js",
    "place/dots.js",
    "place/vessel.js",
    "place/plan.js",
    "place/drawing.js",
)
"""What draws a site's zones and the ways between them, after the others; whoever draws none does without."""
PLACE_STYLES: Final = "place/place.css"


def script() -> str:
    """All scripts as one, but for those of a place."""
    return "\n".join(map(_text, SCRIPTS))


def style() -> str:
    """For a page."""
    return "\n".join(map(_text, STYLES))


def core_style() -> str:
    """What a page and a wall share."""
    return _text(STYLES[0])


def place_script() -> str:
    """What draws a place, as one; to be loaded after `script`."""
    return "\n".join(map(_text, PLACE_SCRIPTS))


def place_style() -> str:
    """What a page and a wall share of it."""
    return _text(PLACE_STYLES)


def _text(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")
