"""A recorded day of a site, played in the browser by the scripts that draw it live.

The whole day is handed over once; play, pause, speed and scrubbing are the browser's, and ask nobody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import streamlit as st

from analysis.known_of_day import KnownOfDay
from analysis.recorded_day import RecordedDay, RecordedPlace, repeated_times
from analysis.zone_graph import ZoneGraph
from components.live_gauge import GaugeItem, page_script, page_style, view_data
from components.live_site import Ground, ZoneItem, graph_data, graph_script, graph_style
from components.mount_key import mount_key
from gauge.levels import Thresholds

FOLDER: Final = Path(__file__).resolve().parent
SCRIPTS: Final = (
    "replay_words.js",
    "recording.js",
    "replay_link.js",
    "replay_curve.js",
    "replay_page.js",
)
"""In the order in which a page loads them, after those of a graph."""
MOUNT: Final = "replay_mount.js"
STYLES: Final = "replay.css"
SPEEDS: Final = (1, 10, 60)
"""Times as fast as it was; `replay_link.js` has the same."""


def live_replay(
    whole: GaugeItem,
    zones: Sequence[ZoneItem],
    graph: ZoneGraph,
    recorded: RecordedDay,
    known: KnownOfDay,
    *,
    crossings: str,
    failures: Mapping[str, str],
    unread: str,
    at: datetime,
    speed: int,
    day: str,
    thresholds: Thresholds,
    locale: str | None,
    key: str,
    ground: Ground,
) -> None:
    """Draw `recorded`, whose places are called as the feeds of `whole` and `zones`, playing from `at`, aware.

    `known` is of the whole day, and shown from its beginning: it is of the day, not of the time played.
    `crossings` and `ground` are as for `live_site`; `failures` say by feed why one was not read, `unread` why
    no passage was; `day` is its date in words.
    """
    items = [whole, *zones]
    data = view_data(items, [], root="", token="", thresholds=thresholds, locale=locale)
    recording = {
        "start": int(recorded.counted.start.timestamp()),
        "end": int(recorded.counted.end.timestamp()),
        "day_end": int(recorded.whole.end.timestamp()),
        "step": int(recorded.step.total_seconds()),
        "timezone": whole.timezone,
        "repeated": [
            [int(one.start.timestamp()), int(one.end.timestamp()), one.offset]
            for one in repeated_times(recorded)
        ],
        **known.body(),
        "main": whole.feed,
        "crossings": crossings,
        "unread": unread,
        "places": {
            name: _place(recorded.places.get(name), failures.get(name, ""), is_main=name == whole.feed)
            for name in dict.fromkeys(item.feed for item in items)
        },
        "passages": {id_: _sides(both) for id_, both in recorded.passages.items()} if crossings else {},
    }
    replay = {
        "recording": recording,
        "at": int(at.timestamp()),
        "speed": speed,
        "day": day,
        "linked_day": recorded.day.isoformat(),
    }
    drawn = graph_data(whole, zones, graph, crossings=crossings) | ground.data()
    _replay(
        key=mount_key(key),
        data={**data, "replay": replay, "graph": drawn},
        on_drawing_change=lambda: ground.chosen(mount_key(key)),
    )


def _place(place: RecordedPlace | None, reason: str, *, is_main: bool) -> dict[str, Any]:
    if place is None:
        return {"inside": [], "untrusted": [], "reason": reason or "It was not read."}
    untrusted = [[one.start.timestamp(), one.end.timestamp(), one.people] for one in place.untrusted]
    flows = {"entrances": place.entrances, "exits": place.exits} if is_main else {}
    return {"inside": place.inside, "untrusted": untrusted, "reason": reason, **flows}


def _sides(both: Sequence[tuple[float, float] | None]) -> list[list[float | None]]:
    return [[None if one is None else one[side] for one in both] for side in (0, 1)]


def replay_script() -> str:
    """All of a replay's scripts but the one that hands it to Streamlit."""
    return page_script(graph_script(), *map(_own, SCRIPTS))


def _own(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


_replay = st.components.v2.component(
    "headroom_replay",
    css=page_style(graph_style(), _own(STYLES)),
    js="\n".join([replay_script(), _own(MOUNT)]),
)
