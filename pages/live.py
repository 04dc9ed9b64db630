"""One site or zone, now: the gauge, its last two hours, and all zones of the site beside it."""

from __future__ import annotations

import streamlit as st

from components.live_gauge import live_gauge
from components.panels.failure import guarded, loading
from components.panels.gauge_items import hero, zone_card
from components.panels.site_choice import site_choice, zone_choice
from components.panels.thresholds_choice import thresholds_choice
from components.panels.viewer import dashboard_root
from components.plain_text import LONGEST_NAME, one_line, plain
from components.theme import Thresholds
from contract import Site, SiteSummary, Zone
from live.snapshot import FeedKey
from runtime import (
    ApiClientError,
    SiteOccupancy,
    read_occupancy,
    read_site,
    read_sites,
    stream_token,
)


def show(sites: list[SiteSummary]) -> None:
    where, which, limits = st.columns([3, 3, 2], vertical_alignment="bottom")
    with where:
        chosen = site_choice(sites)
    if chosen is None:
        return
    with guarded(f"The site {one_line(chosen.name, LONGEST_NAME)}", f"live-site-{chosen.id}", ApiClientError):
        with loading(f"live-site-{chosen.id}", 420):
            site = read_site(chosen.id)
        with which:
            zone = zone_choice(site)
        with limits:
            thresholds = thresholds_choice()
        if site.category:
            st.caption(plain(site.category))
        whole = whole_site(site)
        draw(site, zone, whole, thresholds)


def whole_site(site: Site) -> SiteOccupancy | None:
    """None: what the whole site can hold could not be learned; the live gauge says how the feed stands."""
    try:
        return read_occupancy(site)
    except ApiClientError:
        return None


def draw(site: Site, zone: Zone | None, whole: SiteOccupancy | None, thresholds: Thresholds) -> None:
    main = FeedKey(site.id, (zone.id,) if zone else ())
    # The top zone is what the large gauge of the whole site already shows.
    top_zone_ids = whole.top_zone_ids if whole else ()
    beside = [one for one in site.zones if one != zone and one.id not in top_zone_ids]
    keys = {one.id: FeedKey(site.id, (one.id,)) for one in beside}
    items = [
        hero(site, zone, feed=main.name, capacity=whole.capacity if whole else None),
        *(zone_card(site, one, feed=keys[one.id].name) for one in beside),
    ]
    live_gauge(
        items,
        root=dashboard_root(),
        token=stream_token((key, site.timezone) for key in (main, *keys.values())),
        thresholds=thresholds,
        locale=st.context.locale,
        key="live-gauges",
    )


st.title("Live")
with guarded("The list of sites", "live", ApiClientError):
    with loading("live", 480):
        readable = read_sites()
    show(readable)
