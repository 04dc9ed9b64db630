"""The live gauge: values reach it from the relay, in the browser, without a Streamlit rerun.

The scripts beside this file are plain JavaScript that a page without Streamlit can load in the same order;
only `streamlit_mount.js` knows Streamlit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import streamlit as st

from components.theme import Occupancy, Thresholds

FOLDER: Final = Path(__file__).resolve().parent
SCRIPTS: Final = (
    "words.js",
    "relay_link.js",
    "standing.js",
    "trend.js",
    "wording.js",
    "dial.js",
    "gauge.js",
    "live_view.js",
)
"""In the order in which a page loads them."""
STYLES: Final = "gauge.css"
STREAM_PATH: Final = "live/stream"
"""Below the path of the dashboard, which may be a prefix."""


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


def live_gauge(
    items: Sequence[GaugeItem],
    *,
    root: str,
    token: str,
    thresholds: Thresholds,
    locale: str | None,
    key: str,
) -> None:
    """Draw `items` as one live view with one connection to the relay.

    `root` is the path of the dashboard as the browser reaches it, with a slash at its end.
    `token` names every feed of the view; it may change with each rerun, the connection stays.
    `locale` is the viewer's (BCP 47); None leaves it to the browser.
    """
    _component(
        key=key,
        data={
            "url": root + STREAM_PATH,
            "token": token,
            "locale": locale or "",
            "thresholds": asdict(thresholds),
            "levels": {
                level.name.lower(): {"word": level.value.word, "colour": level.value.colour}
                for level in Occupancy
            },
            "items": [asdict(item) for item in items],
        },
    )


def _source(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


_component = st.components.v2.component(
    "headroom_live_gauge",
    css=_source(STYLES),
    js="\n".join(_source(name) for name in (*SCRIPTS, "streamlit_mount.js")),
)

__all__ = ["SCRIPTS", "STREAM_PATH", "STYLES", "GaugeItem", "live_gauge"]
