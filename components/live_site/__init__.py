"""One site, live: the gauge of the whole, its zones as a graph and as a table, pushed without a rerun.

The values come over the relay, as those of the live gauge do, whose scripts draw them. The doors' ranking
beside it is read by the page; its age counts in the browser.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import streamlit as st

import gauge
from analysis.zone_folds import Fold
from analysis.zone_graph import ZoneGraph
from components.live_gauge import ClosedTimes, GaugeItem, mount, page_script, page_style, view_data
from components.mount_key import mount_key
from gauge.levels import Thresholds

FOLDER: Final = Path(__file__).resolve().parent
GRAPH_SCRIPTS: Final = ("site_words.js", "legend.js", "drawn_as.js", "graph_picture.js")
"""What stands beside a graph on any page that has one."""
SCRIPTS: Final = (*GRAPH_SCRIPTS, "zone_table.js", "site_page.js")
"""In the order in which a page loads them, after the gauge's and those of a place."""
STYLES: Final = "site.css"


@dataclass(frozen=True, slots=True)
class ZoneItem(GaugeItem):
    """One zone of the graph and of the table."""

    id: str = ""
    area: float | None = None
    """Square metres; None: not reported."""


def _nothing(_drawing: str) -> None:
    """Nobody can choose."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What a place is drawn on, and how somebody chooses it beside the drawing."""

    picture: str = ""
    """Address of the floor plan; empty: it is drawn as a graph."""
    drawn_as: str = ""
    """`plan` or `graph`; empty: there is nothing to choose."""
    choose: Callable[[str], None] = _nothing
    """Called with the other one of the two before the page runs again."""

    def data(self) -> dict[str, str]:
        return {"picture": self.picture, "drawn_as": self.drawn_as}

    def chosen(self, key: str) -> None:
        """What somebody chose in the component that is mounted under `key`."""
        self.choose(str(st.session_state[key].get("drawing")))


@dataclass(frozen=True, slots=True)
class DoorRow:
    title: str
    whole: str
    """The name uncut."""
    count: float | None
    """People who came in today; None: not known."""
    note: str = ""
    """Why it is not known, or how little of today is counted."""


def live_site(
    whole: GaugeItem,
    zones: Sequence[ZoneItem],
    graph: ZoneGraph,
    ranked: Sequence[GaugeItem],
    *,
    crossings: str,
    root: str,
    token: str,
    thresholds: Thresholds,
    locale: str | None,
    key: str,
    ground: Ground,
    closed: ClosedTimes,
) -> None:
    """Draw a site as one live view with one connection to the relay; see `live_gauge` for what is asked.

    `zones` are listed, those of the graph drawn, `ranked` compared by their entrances of today. `crossings`
    is the name (`CrossingsKey.name`) under which the token grants who crosses the passages; empty: none is.
    `ground` is what the graph stands on.
    """
    data = view_data([whole, *zones], ranked, root=root, token=token, thresholds=thresholds, locale=locale)
    drawn = graph_data(whole, zones, graph, crossings=crossings) | ground.data()
    _site(
        key=mount_key(key),
        data={**data, "graph": drawn, "closed": closed},
        on_drawing_change=lambda: ground.chosen(mount_key(key)),
    )


def graph_data(
    whole: GaugeItem, zones: Sequence[ZoneItem], graph: ZoneGraph, *, crossings: str
) -> dict[str, Any]:
    """The drawing of a place as `gauge/place/drawing.js` takes it; see `live_site`."""
    return graph.data() | {
        "zones": _cards(graph, {zone.id: zone for zone in zones}, whole),
        "crossings": crossings,
        "timezone": whole.timezone,
    }


def _cards(graph: ZoneGraph, by_id: Mapping[str, ZoneItem], whole: GaugeItem) -> list[dict[str, Any]]:
    """The cards of the drawing: zones, or folds, each with its `members`."""
    if not graph.folds:
        return [asdict(by_id[zone_id]) for zone_id in graph.zone_ids]
    return [_fold(fold, [by_id[zone_id] for zone_id in fold.zone_ids], whole) for fold in graph.folds]


def _fold(fold: Fold, members: Sequence[ZoneItem], whole: GaugeItem) -> dict[str, Any]:
    known = [one.capacity for one in members if one.capacity is not None]
    return {
        "title": fold.title,
        "whole_title": fold.title,
        "timezone": whole.timezone,
        "capacity": sum(known) if len(known) == len(members) else None,
        "href": "",
        "members": [asdict(one) for one in members],
    }


def door_ranking(
    rows: Sequence[DoorRow],
    *,
    read_at: datetime,
    now: datetime,
    timezone: str,
    locale: str | None,
    key: str,
) -> None:
    """Draw a list of doors whose age counts on from `read_at`; times are aware, `timezone` the site's."""
    _doors(
        key=mount_key(key),
        data={
            "rows": [asdict(row) for row in rows],
            "read_at": read_at.timestamp(),
            "now": now.timestamp(),
            "timezone": timezone,
            "locale": locale or "",
        },
    )


def graph_script() -> str:
    """The scripts of a graph with its legend, to be loaded after the gauge's."""
    return "\n".join([gauge.place_script(), *map(_own, GRAPH_SCRIPTS)])


def graph_style() -> str:
    return "\n".join([gauge.place_style(), _own(STYLES)])


def _own(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


_site = st.components.v2.component(
    "headroom_live_site",
    css=page_style(gauge.place_style(), _own(STYLES)),
    js=page_script(gauge.place_script(), *map(_own, SCRIPTS), mount()),
)
_doors = st.components.v2.component(
    "headroom_door_ranking", css=page_style(), js=page_script(_own("door_ranking.js"))
)
