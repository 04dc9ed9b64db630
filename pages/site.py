"""One site, live: its zones and passages, which are entered most, its devices, and what it is."""

from __future__ import annotations

from functools import partial

import streamlit as st

from analysis.plan_graph import plan_graph
from analysis.zone_graph import zone_graph
from analysis.zone_layout import without_enclosing
from components.live_site import live_site
from components.panels.drawing_choice import drawing_choice
from components.panels.floor_plan_panel import PlanActions, floor_plan_panel
from components.panels.followed import drawn_anew_where
from components.panels.gauge_items import live_part, other_zones_panel, site_zones, whole_site_card
from components.panels.opening_hours_panel import hours_of_demo_note, opening_hours_panel
from components.panels.page_parts import guarded, loading
from components.panels.rankings import door_ranking_panel, zone_league_link
from components.panels.read_last import read_or_last
from components.panels.site_choice import first_site_panel, site_choice
from components.panels.site_facts import devices_panel, passages_panel, site_facts, site_title
from components.panels.thresholds_choice import thresholds_choice
from components.panels.viewer import dashboard_root, viewer_formats
from components.panels.waiting import awaited
from contract import Site
from gauge.levels import Thresholds
from live.snapshot import CrossingsKey, FeedKey
from runtime import (
    ApiClientError,
    begin_occupancy,
    keep_first_site,
    read_doors,
    read_preferences,
    read_sites,
    service_time,
    stream_token,
    told_site,
)
from runtime.closed_ahead import closed_sites
from runtime.floor_plans import forget_plan, keep_picture, keep_placed, read_kept_plan
from runtime.occupancies import is_told_anew
from runtime.plan_pictures import safe_picture
from runtime.preferences import thresholds_keeper
from runtime.site_knowledge import opening_hours_keeper, read_hours_of_page
from runtime.told_or_last import Told

PLAN_ACTIONS = PlanActions(read_kept_plan, safe_picture, keep_picture, keep_placed, forget_plan)


def show_live(told: Told[Site], thresholds: Thresholds) -> None:
    site, closed = told.value, closed_sites([told.value]).ahead
    whole = awaited(begin_occupancy(site), "how many people are inside")
    top_zone_ids = whole.top_zone_ids if whole else ()
    main = FeedKey(site.id)
    part = live_part(site)
    # The zone that stands for the whole site is what the site's own feed tells.
    feeds = {
        zone.id: main if top_zone_ids == (zone.id,) else FeedKey(site.id, (zone.id,)) for zone in part.zones
    }
    drawn = without_enclosing(site, top_zone_ids)
    plan, ground = drawing_choice(drawn, read_kept_plan)
    graph = plan_graph(without_enclosing(part, top_zone_ids), plan) if plan else zone_graph(drawn)
    # Read for as long as somebody looks, and only where they are drawn.
    crossings = [CrossingsKey(site.id)] if graph.drawings and graph.ways else []
    zones = site_zones(part, {zone_id: feed.name for zone_id, feed in feeds.items()})
    live_site(
        whole_site_card(site, feed=main.name, capacity=whole.capacity if whole else None),
        zones,
        graph,
        [zone for zone in zones if zone.id not in top_zone_ids],
        crossings="".join(key.name for key in crossings),
        root=dashboard_root(),
        token=stream_token(
            ((key, site.timezone) for key in dict.fromkeys([main, *feeds.values()])),
            ((key, site.timezone) for key in crossings),
        ),
        thresholds=thresholds,
        locale=st.context.locale,
        key=f"live-site-{site.id}",
        ground=ground,
        closed=closed,
    )
    other_zones_panel(site)
    zone_league_link(site, top_zone_ids)
    door_ranking_panel(site, read_doors, service_time)
    floor_plan_panel(drawn, PLAN_ACTIONS)
    drawn_anew_where(
        lambda: is_told_anew(told, whole) or closed_sites([site]).ahead != closed, "site-followed"
    )


def show(told: Told[Site], thresholds: Thresholds) -> None:
    site = told.value
    site_title(site, told.age)
    show_live(told, thresholds)
    st.subheader("Passages", anchor=False)
    passages_panel(site)
    st.subheader("Devices", anchor=False)
    devices_panel(site, told.age)
    st.subheader("Opening hours", anchor=False)
    reading = partial(read_hours_of_page, site.id)
    if hours := read_or_last("The opening hours", "opening-hours", site.id, reading, None):
        if hours.are_first:
            hours_of_demo_note()
        opening_hours_panel(site, hours.kept, opening_hours_keeper(site.id), service_time(), viewer_formats())
    st.subheader("About this site", anchor=False)
    site_facts(site, viewer_formats())


st.title("Site", anchor=False)
with guarded("The site", "site", ApiClientError):
    where, limits = st.columns([6, 2], vertical_alignment="bottom")
    with loading("site", 420):
        sites, kept = read_sites(), read_preferences()
        chosen = site_choice(read_sites, kept.first_site, where)
        told = told_site(chosen.id) if chosen else None
    if told and (site := told.value):
        show(told, thresholds_choice(site, kept.thresholds, thresholds_keeper(site.id), limits))
        first_site_panel(site, kept.first_site, {one.id for one in sites}, keep_first_site)
