"""The live gauge: values come from the relay to the browser, without a Streamlit rerun.

What draws it is in `gauge`; the scripts beside this file are what pages have besides, and only
`streamlit_mount.js` knows Streamlit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import streamlit as st

import gauge
from components.chart_picture import drawing_script, picture_style
from components.mount_key import mount_key
from gauge.levels import Thresholds, words_and_colours

FOLDER: Final = Path(__file__).resolve().parent
PAGE_SCRIPTS: Final = (
    "usual_reading.js",
    "live_view.js",
    "page_words.js",
    "ranking.js",
    "order.js",
    "picture_words.js",
    "trend_picture.js",
    "today.js",
)
"""What pages load after the gauge's own, before how they arrange it and how they are mounted."""
MOUNT: Final = "streamlit_mount.js"
PAGE_STYLES: Final = "live_page.css"
STREAM_PATH: Final = "live/stream"
"""Below the path of the dashboard, which may be a prefix."""
ClosedTimes = Mapping[str, Sequence[tuple[float, float | None]]]
"""When sites are closed, by the name of the site's own feed: [begin, end] in epoch seconds; an end of None is
not known."""
_NEVER: Final[ClosedTimes] = MappingProxyType({})
USUAL_PATH: Final = "live/usual"
"""As above; what typical days are asked for at."""


class Lead(NamedTuple):
    """What leads from a fact to more of it."""

    at: str
    """Beside which fact of a large gauge it stands: the class of that in `gauge.js` and `today.js`."""
    label: str
    href: str


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
    """People; None: not reported."""
    href: str | None = None
    """What the card opens."""
    compares: bool = False
    """Whether the number is compared with what is usual at this hour."""
    tells_today: bool = False
    """Whether it says of the day so far, too, when it was fullest and how long people stay."""
    thresholds: Thresholds | None = None
    """None: those of the view."""
    leads: tuple[Lead, ...] = ()


def live_gauge(
    items: Sequence[GaugeItem],
    *,
    root: str,
    token: str,
    thresholds: Thresholds,
    locale: str | None,
    key: str,
    ranked: Sequence[GaugeItem] = (),
    changes: int = 0,
    closed: ClosedTimes = _NEVER,
) -> None:
    """Draw `items` as one live view with one connection to the relay.

    `ranked` are compared by their entrances of today; their feeds are among those of `items`.

    `root` is the path of the dashboard as the browser reaches it, with a slash at its end.
    `token` names every feed of the view; it may change with each rerun, the connection stays.
    `locale` is the viewer's (BCP 47); None leaves it to the browser.
    `closed` is told of whom nobody is to come in.
    `changes` is another where something was changed that the day so far shows: it is asked for anew.
    """
    data = view_data(items, ranked, root=root, token=token, thresholds=thresholds, locale=locale)
    _component(key=mount_key(key), data=data | {"changes": changes, "closed": closed})


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
        "thresholds": thresholds.model_dump(),
        "levels": words_and_colours(),
        "items": [_item_data(item) for item in items],
        "ranked": [_item_data(item) for item in ranked],
    }


def _item_data(item: GaugeItem) -> dict[str, Any]:
    own = item.thresholds
    leads = [lead._asdict() for lead in item.leads]
    return asdict(item) | {"thresholds": own.model_dump() if own else None, "leads": leads}


def page_script(*own: str) -> str:
    """The gauge's scripts, what pages have besides, and `own`, as one."""
    return "\n".join([gauge.script(), drawing_script(), *map(_text, PAGE_SCRIPTS), *own])


def page_style(*own: str) -> str:
    return "\n".join([gauge.style(), picture_style(), _text(PAGE_STYLES), *own])


def mount() -> str:
    """Hands the view to Streamlit; the last script of a page."""
    return _text(MOUNT)


def _text(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


_component = st.components.v2.component(
    "headroom_live_gauge", css=page_style(), js=page_script(_text("live_page.js"), mount())
)
