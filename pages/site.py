"""One site: what it is, its zones and passages as a graph, and the health of its devices."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from components.figures.zone_layout import without_enclosing
from components.panels.failure import failure, guarded
from components.panels.site_choice import site_choice
from components.panels.site_facts import site_facts
from components.panels.thresholds_choice import thresholds_choice
from components.panels.topology import devices_panel, passages_panel, zone_graph_panel, zones_panel
from components.panels.viewer import viewer_formats
from components.tables.zone_values import ZoneValue, zone_value
from contract import NOW, MetricKey, MetricsFilter, MetricsQuery, Site
from runtime import ApiClientError, read_site, read_sites
from runtime.answers import read_answers
from runtime.occupancies import read_occupancy


def latest_query(site: Site, zone_id: str) -> MetricsQuery:
    return MetricsQuery(
        metrics=(MetricKey.VISITORS_INSIDE,),
        site_id=site.id,
        from_=NOW,
        to=NOW,
        timezone=site.timezone,
        filter=MetricsFilter(zone_ids=(zone_id,)),
    )


def values_of(site: Site) -> dict[str, ZoneValue]:
    """What each zone holds now; the first failure is shown, its zones stay unknown."""
    answers = read_answers({zone.id: latest_query(site, zone.id) for zone in site.zones})
    if answers.failures:
        first = next(iter(answers.failures.values()))
        failure(first, "zone-values", what=f"The present count of {len(answers.failures)} zones")
    return {zone_id: zone_value(answer.points) for zone_id, answer in answers.known.items()}


def enclosing_zones(site: Site) -> tuple[str, ...]:
    """The zones that stand for the whole site; none known where that cannot be read."""
    try:
        return read_occupancy(site).top_zone_ids
    except ApiClientError:
        return ()


def show(site: Site) -> None:
    site_facts(site, datetime.now(UTC), viewer_formats())
    with st.popover("Thresholds", icon=":material/tune:"):
        thresholds = thresholds_choice()
    values = values_of(site)
    st.subheader("Zones and passages", anchor=False)
    drawn = without_enclosing(site, enclosing_zones(site))
    clicked = zone_graph_panel(drawn, values, thresholds, viewer_formats())
    if clicked is not None:
        st.switch_page("pages/live.py", query_params={"site": site.id, "zone": clicked})
    zones_panel(site, values, thresholds)
    st.subheader("Passages", anchor=False)
    passages_panel(site)
    st.subheader("Devices", anchor=False)
    devices_panel(site)


st.title("Site")
with guarded("The site", "site", ApiClientError):
    with st.skeleton(height=420):
        chosen = site_choice(read_sites())
        site = read_site(chosen.id) if chosen else None
    if site:
        show(site)
