"""What somebody who stands at a door taps on a phone: counted in the browser, handed over once.

Every tap is kept by the browser before anything else happens to it, so that a locked phone, a reload or a
lost connection loses none. No Streamlit script runs before the count is handed over to be compared.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from pathlib import Path
from typing import Final

import streamlit as st

from components.mount_key import mount_key

FOLDER: Final = Path(__file__).resolve().parent
SCRIPTS: Final = ("kept_count.js", "awake.js", "tap_buttons.js", "tapping.js", "door_taps_mount.js")
"""In the order in which a page loads them."""
STYLES: Final = "door_taps.css"


def door_taps(
    *,
    site_id: str,
    door_id: str,
    door: str,
    into: str,
    other: str,
    now: datetime,
    kept: Collection[str],
    heard: str,
    refused: str,
    reason: str,
    locale: str | None,
) -> object:
    """What was handed over in this run (`analysis.door_check.HandCount`, not checked yet); None: nothing.

    `into` is the zone that one is in who came in, `other` where one is who went out. `now` is the service's
    time, aware. `kept` are the ids of counts of this door that are kept here: a phone needs them no more.
    `heard` is the id of the one that is being compared, `refused` of one that cannot
    be, for `reason`.
    """
    found = _taps(
        key=mount_key("door-taps", site_id, door_id),
        data={
            "site": site_id,
            "door": door_id,
            "label": door,
            "into": into,
            "other": other,
            "now": 1000 * now.timestamp(),
            "kept": sorted(kept),
            "heard": heard,
            "refused": refused,
            "reason": reason,
            "locale": locale or "",
        },
        on_handed_change=_nothing,
    )
    return found.handed


def _nothing() -> None:
    """Streamlit runs the page anew by itself; it takes note of a trigger that somebody listens to alone."""


def _own(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


_taps = st.components.v2.component("headroom_door_taps", css=_own(STYLES), js="\n".join(map(_own, SCRIPTS)))
