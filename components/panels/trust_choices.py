"""What Trust shows: which zones it looks at, and over how many days."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import Final

import streamlit as st

from analysis.trust_request import MOST_ZONES, offered_zones
from components.panels.unknown_in_link import unknown_in_link
from components.panels.url_choice import url_choice, url_choices
from contract import Site

_DAYS: Final[Mapping[str, str]] = MappingProxyType({"7": "Last 7 days", "28": "Last 28 days"})
_USUAL: Final = "28"


def unknown_trust(site: Site) -> None:
    """Say which values of the link mean nothing here."""
    unknown_in_link({"days": set(_DAYS), "zone": {zone.id for zone in site.zones}}, repeated={"zone"})


def zones_looked_at(
    site: Site, top_zone_ids: Collection[str], container: AbstractContextManager[object]
) -> list[str]:
    """Ids of the zones to look at; empty: as many as are looked at, of all."""
    offered = offered_zones(site, top_zone_ids)
    if not offered:
        return []
    names = {zone.id: zone.name for zone in site.zones}
    with container:
        chosen = url_choices(
            "Zones", {id_: names[id_] for id_ in offered}, "zone",
            placeholder=f"The first {MOST_ZONES}" if len(offered) > MOST_ZONES else "All zones",
            explanation=f"Up to {MOST_ZONES} are looked at beside the whole site.",
        )  # fmt: skip
        if len(chosen) > MOST_ZONES:
            st.caption(f"The first {MOST_ZONES} of these are looked at.")
    return chosen


def days_choice(container: AbstractContextManager[object]) -> int:
    """How many days that are over."""
    with container:
        return int(url_choice("Over", _DAYS, "days", lead=_USUAL) or _USUAL)
