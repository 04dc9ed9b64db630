"""Which site, and which of its zones, a page is about: the URL parameters `site` and `zone`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from components.panels.url_choice import url_choice
from contract import Site, SiteSummary, Zone

WHOLE_SITE: Final = ""


def site_choice(sites: Sequence[SiteSummary]) -> SiteSummary | None:
    """The chosen site; None when there is none to choose, and then the page says why."""
    by_id = {site.id: site for site in sites}
    chosen = url_choice("Site", {site.id: site.name for site in sites}, "site")
    if chosen is None:
        st.info("This API key can read no sites: its organization has none, or all are archived.")
        return None
    return by_id[chosen]


def zone_choice(site: Site) -> Zone | None:
    """The chosen zone; None: the whole site."""
    by_id = {zone.id: zone for zone in site.zones}
    options = {WHOLE_SITE: "Whole site"} | {zone.id: zone.name for zone in site.zones}
    return by_id.get(url_choice("Zone", options, "zone", lead=WHOLE_SITE) or WHOLE_SITE)
