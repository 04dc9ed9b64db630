"""The live gauge: values reach it from the relay, in the browser, without a Streamlit rerun.

The scripts beside this file are plain JavaScript that a page without Streamlit can load in the same order;
only `streamlit_mount.js` knows Streamlit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import streamlit as st

from components.theme import Occupancy, Thresholds

FOLDER: Final = Path(__file__).resolve().parent
SCRIPTS: Final = (
    "words.js",
    "relay_link.js",
    "standing.js",
    "trend.js",
    "moments.js",
    "wording.js",
    "dial.js",
    "usual.js",
    "gauge.js",
    "usual_reading.js",
    "tab_memory.js",
    "live_view.js",
)
"""In the order in which a page loads them."""
PAGE_SCRIPTS: Final = (
    *SCRIPTS,
    "page_words.js",
    "speech.js",
    "titles.js",
    "ranking.js",
    "order.js",
    "day_chart.js",
    "today_facts.js",
    "day_figure.js",
)
"""What pages load, beside how they arrange it and how they are mounted."""
MOUNT: Final = "streamlit_mount.js"
STYLES: Final = "gauge.css"
PAGE_STYLES: Final = (STYLES, "ranking.css")
STREAM_PATH: Final = "live/stream"
"""Below the path of the dashboard, which may be a prefix."""
USUAL_PATH: Final = "live/usual"
"""As above; what typical days are asked for at."""


@dataclass(frozen=True, slots=True)
class GaugeItem:
    """One gauge of a view."""

    feed: str
    """Name of the feed (`FeedKey.name`) that the view's token grants."""
    title: str
    timezone: str
    """IANA name; every time on this gauge is local to it."""
    kind: str = "card"
    """`hero`, large and with its trend, or `card`."""
    whole_title: str = ""
    """Shown on demand where `title` is cut."""
    subtitle: str = ""
    capacity: float | None = None
    """People; None: not told."""
    href: str | None = None
    """What the card opens."""
    compares: bool = False
    """Whether the number is compared with what is usual at this hour."""
    tells_today: bool = False
    """Whether the day so far is told, too: when it was fullest, how long people stay."""
    thresholds: Thresholds | None = None
    """None: those of the view."""


def live_gauge(
    items: Sequence[GaugeItem],
    *,
    root: str,
    token: str,
    thresholds: Thresholds,
    locale: str | None,
    key: str,
    ranked: Sequence[GaugeItem] = (),
) -> None:
    """Draw `items` as one live view with one connection to the relay.

    `ranked` are compared by their entrances of today; their feeds are among those of `items`.

    `root` is the path of the dashboard as the browser reaches it, with a slash at its end.
    `token` names every feed of the view; it may change with each rerun, the connection stays.
    `locale` is the viewer's (BCP 47); None leaves it to the browser.
    """
    data = view_data(items, ranked, root=root, token=token, thresholds=thresholds, locale=locale)
    _component(key=key, data=data)


def view_data(
    items: Sequence[GaugeItem],
    ranked: Sequence[GaugeItem],
    *,
    root: str,
    token: str,
    thresholds: Thresholds,
    locale: str | None,
) -> dict[str, Any]:
    """What the scripts need to draw a live view; see `live_gauge`."""
    return {
        "url": root + STREAM_PATH,
        "usual_url": root + USUAL_PATH,
        "token": token,
        "locale": locale or "",
        "thresholds": asdict(thresholds),
        "levels": {
            level.name.lower(): {"word": level.value.word, "colour": level.value.colour}
            for level in Occupancy
        },
        "items": [asdict(item) for item in items],
        "ranked": [asdict(item) for item in ranked],
    }


def source(name: str) -> str:
    """The text of a script or of a style sheet beside this file."""
    return (FOLDER / name).read_text(encoding="utf-8")


_component = st.components.v2.component(
    "headroom_live_gauge",
    css="\n".join(map(source, PAGE_STYLES)),
    js="\n".join(map(source, (*PAGE_SCRIPTS, "live_page.js", MOUNT))),
)

__all__ = [
    "MOUNT",
    "PAGE_SCRIPTS",
    "PAGE_STYLES",
    "SCRIPTS",
    "STREAM_PATH",
    "STYLES",
    "GaugeItem",
    "live_gauge",
    "source",
    "view_data",
]
