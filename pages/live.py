"""One site or zone, now: the gauge, its last two hours, all zones beside it, and which were entered most."""

from __future__ import annotations

from contextlib import suppress

import streamlit as st

from analysis.closed_ahead import ClosedAhead
from analysis.names import LONGEST_NAME, one_line
from components.live_gauge import live_gauge
from components.panels.by_hand_panel import ByHandActions, by_hand_panel, changes_by_hand
from components.panels.followed import drawn_anew_where
from components.panels.gauge_items import hero, live_part, other_zones_panel, site_zones
from components.panels.page_parts import guarded, loading
from components.panels.rankings import door_ranking_panel
from components.panels.site_choice import first_site_panel, places_linked, site_choice, zone_choice
from components.panels.site_facts import site_in_brief
from components.panels.thresholds_choice import thresholds_choice
from components.panels.viewer import dashboard_root
from components.panels.waiting import awaited
from contract import Site, SiteSummary, Zone
from gauge.levels import Thresholds
from live.snapshot import FeedKey
from runtime import (
    ApiClientError,
    SiteOccupancy,
    begin_occupancy,
    keep_first_site,
    read_doors,
    read_preferences,
    read_sites,
    service_time,
    stream_token,
    told_site,
)
from runtime.administration import NotAdministrableError, may_set_by_hand
from runtime.by_hand import read_set_today, set_by_hand, take_back
from runtime.closed_ahead import closed_sites
from runtime.occupancies import forget_occupancies, is_told_anew
from runtime.preferences import thresholds_keeper
from runtime.told_or_last import Told

BY_HAND = ByHandActions(read_set_today, set_by_hand, take_back, ApiClientError, NotAdministrableError)


def show(sites: list[SiteSummary]) -> None:
    where, which, limits = st.columns([3, 3, 2], vertical_alignment="bottom")
    kept = read_preferences()
    chosen = site_choice(read_sites, kept.first_site, where)
    if chosen is None:
        return
    with guarded(f"The site {one_line(chosen.name, LONGEST_NAME)}", f"live-site-{chosen.id}", ApiClientError):
        with loading(f"live-site-{chosen.id}", 420):
            told = told_site(chosen.id, places_linked())
        site = told.value
        whole = awaited(begin_occupancy(site), "how many people are inside")
        zone_id = zone_choice(site, whole.top_zone_ids if whole else (), which)
        if zone_id is None:
            return
        zone = next((one for one in site.zones if one.id == zone_id), None)
        thresholds = thresholds_choice(site, kept.thresholds, thresholds_keeper(site.id), limits)
        site_in_brief(site)
        closed = closed_sites([site]).ahead
        draw(site, zone, whole, thresholds, closed)
        changes_followed(told, whole, closed)
        first_site_panel(site, kept.first_site, {one.id for one in sites}, keep_first_site)


def draw(
    site: Site, zone: Zone | None, whole: SiteOccupancy | None, thresholds: Thresholds, closed: ClosedAhead
) -> None:
    main = FeedKey(site.id, (zone.id,) if zone else ())
    # The top zone is what the large gauge of the whole site already shows.
    top_zone_ids = whole.top_zone_ids if whole else ()
    part = live_part(site)
    beside = [one for one in part.zones if one != zone and one.id not in top_zone_ids]
    keys = [FeedKey(site.id, (one.id,)) for one in beside]
    feeds = {one.id: FeedKey(site.id, (one.id,)).name for one in part.zones}
    zones = [one for one in site_zones(part, feeds) if one.id not in top_zone_ids]
    items = [
        hero(site, zone, feed=main.name, capacity=whole.capacity if whole else None),
        *(one for one in zones if zone is None or one.id != zone.id),
    ]
    live_gauge(
        items,
        root=dashboard_root(),
        token=stream_token((key, site.timezone) for key in (main, *keys)),
        thresholds=thresholds,
        locale=st.context.locale,
        key="live-gauges",
        ranked=zones,
        changes=changes_by_hand(),
        closed=closed,
    )
    other_zones_panel(site)
    door_ranking_panel(site, read_doors, service_time)
    if not may_set_by_hand(site.id).refusal:
        by_hand_panel(site, zone.id if zone else "", top_zone_ids, BY_HAND)


def changes_followed(told: Told[Site], whole: SiteOccupancy | None, closed: ClosedAhead) -> None:
    """Draw the page anew once zones, their capacities, or opening hours are others than it shows."""
    site = told.value

    def is_changed() -> bool:
        with suppress(ApiClientError):  # the live view says how the service stands
            if told_site(site.id).value.zones != site.zones:
                forget_occupancies()  # of the whole site's capacity, too
                return True
        return is_told_anew(told, whole) or closed_sites([site]).ahead != closed

    drawn_anew_where(is_changed, key="live-site-followed")


st.title("Live", anchor=False)
with guarded("The list of sites", "live", ApiClientError):
    with loading("live", 480):
        readable = read_sites()
    show(readable)
