"""Sites and zones as gauges: what each is called, what it can hold, what it opens, which are live."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from analysis.comparison import Comparison
from analysis.league import Per
from analysis.names import LONGEST_HINT, LONGEST_NAME, one_line
from analysis.site_report import SiteReport, zone_capacity
from analysis.subject import labels_of
from analysis.time_range import NamedRange
from components.live_gauge import GaugeItem, Lead
from components.live_site import ZoneItem
from components.panels.compare_choices import ZONES
from components.panels.data_table import table_on_paper
from components.panels.site_list import ListChoice
from components.panels.thresholds_choice import THRESHOLDS_PARAMETER
from components.panels.viewer import dashboard_root, viewer_formats
from components.plain_text import plain
from contract import DEFAULT_TIMEZONE, Site, SiteSummary, Zone
from gauge.levels import Thresholds

MOST_LIVE: Final = 200
_FEWEST_ZONES: Final = 3
"""From so many on they are compared: one of them stands for the whole as a rule."""


def site_card(
    site: SiteSummary,
    *,
    title: str,
    feed: str,
    capacity: float | None,
    devices_offline: int = 0,
    thresholds: Thresholds | None = None,
) -> GaugeItem:
    """A site of the overview, which opens its Live page."""
    name = site.name or site.id
    place = ", ".join(part for part in (site.category, site.address.city) if part)
    subtitle = " · ".join(part for part in (offline_words(devices_offline), place) if part)
    return GaugeItem(
        feed=feed,
        title=title,
        whole_title=one_line(name, LONGEST_HINT),
        subtitle=one_line(subtitle, LONGEST_NAME),
        timezone=site.timezone or DEFAULT_TIMEZONE,
        capacity=capacity,
        href=_live_link(site.id),
        compares=True,
        thresholds=thresholds,
    )


def site_cards(
    sites: Iterable[SiteSummary],
    reports: Mapping[str, SiteReport],
    capacities: Mapping[str, float | None],
    choice: ListChoice,
    feed_of: Callable[[str], str],
) -> list[GaugeItem]:
    """A `site_card` for each of `sites`; what is known of them is by site id."""
    return [
        site_card(
            site,
            title=choice.labels[site.id],
            feed=feed_of(site.id),
            capacity=capacities.get(site.id),
            devices_offline=reports[site.id].devices_offline if site.id in reports else 0,
            thresholds=choice.thresholds_of(site.id),
        )
        for site in sites
    ]


def whole_site_card(site: Site, *, feed: str, capacity: float | None) -> GaugeItem:
    """The site on its own page, whose name stands above it."""
    card = site_card(site, title="Whole site", feed=feed, capacity=capacity)
    return replace(card, subtitle="", tells_today=True)


def site_zones(site: Site, feeds: Mapping[str, str]) -> list[ZoneItem]:
    """All zones of the site, each with a title that no other has, each opening its Live page.

    `feeds` are names of feeds by zone id.
    """
    labels = labels_of(site.zones)
    return [
        ZoneItem(
            feed=feeds[zone.id],
            title=labels[zone.id],
            whole_title=one_line(zone.name or zone.id, LONGEST_HINT),
            subtitle=one_line(zone.category or "", LONGEST_NAME),
            timezone=site.timezone or DEFAULT_TIMEZONE,
            capacity=zone_capacity(zone),
            href=_live_link(site.id, zone.id),
            id=zone.id,
            area=float(zone.area) if zone.area else None,
        )
        for zone in site.zones
    ]


def hero(site: Site, zone: Zone | None, *, feed: str, capacity: float | None) -> GaugeItem:
    """The large gauge of a whole site (`zone` None, `capacity` that of its top zone) or of one zone."""
    name = f"{site.name}, {zone.name}" if zone else site.name
    return GaugeItem(
        feed=feed,
        kind="hero",
        title=one_line(name, LONGEST_NAME),
        whole_title=one_line(name, LONGEST_HINT),
        timezone=site.timezone or DEFAULT_TIMEZONE,
        capacity=zone_capacity(zone) if zone else capacity,
        compares=True,
        tells_today=True,
        leads=_leads(site, zone),
    )


def _leads(site: Site, zone: Zone | None) -> tuple[Lead, ...]:
    """To where each question about a place is answered that its number raises."""
    place = {"site": site.id} | ({"zone": zone.id} if zone else {})
    sized = [one for one in site.zones if one.area]
    compared = {"of": ZONES, "site": site.id} | ({"per": Per.AREA.id} if len(sized) > 1 else {})
    week = place | {"range": NamedRange.THIS_WEEK.id, "compare": Comparison.PERIOD.id}
    return (
        Lead("level", "When is it full?", _link("rhythm", place)),
        Lead("share", "The rest of today", _link("ahead", place)),
        Lead("flows", "By door", _link("doors", {"site": site.id})),
        *([Lead("flows", "By zone", _link("compare", compared))] if len(site.zones) >= _FEWEST_ZONES else ()),
        Lead("flows", "This week", _link("history", week)),
        Lead("freshness", "Can it be trusted?", _link("trust", place)),
    )


def _link(page: str, parameters: Mapping[str, str] | Sequence[tuple[str, str]]) -> str:
    return f"{dashboard_root()}{page}?{urlencode(parameters)}"


def offline_words(devices: int) -> str:
    """Empty where all are online, or none is known. Not online is not always offline."""
    return f"{devices} {'device' if devices == 1 else 'devices'} not online" if devices else ""


def _live_link(site_id: str, zone_id: str | None = None) -> str:
    """Address of the Live page of a site or zone, with the thresholds that stand in the viewer's own link."""
    parameters = [("site", site_id)] + ([("zone", zone_id)] if zone_id else [])
    thresholds = [(THRESHOLDS_PARAMETER, one) for one in st.query_params.get_all(THRESHOLDS_PARAMETER)]
    return _link("live", parameters + thresholds)


def live_part(site: Site) -> Site:
    """The site with those of its zones that are live on a page: the first, as the service lists them."""
    return site if len(site.zones) <= MOST_LIVE else site.model_copy(update={"zones": site.zones[:MOST_LIVE]})


def other_zones_panel(site: Site) -> None:
    """Names the zones that have no live number here; nothing while all have one."""
    others = site.zones[MOST_LIVE:]
    if not others:
        return
    number = viewer_formats().number
    st.caption(
        plain(
            f"{MOST_LIVE} of {number(len(site.zones))} zones are live here, in the service's order. "
            "The Live page shows any other one, where it is chosen as the zone."
        )
    )
    labels = labels_of(site.zones)
    table = pd.DataFrame({"Zone": [labels[zone.id] for zone in others]})
    with st.expander(plain(f"{number(len(others))} zones without a live number")):
        st.dataframe(table, hide_index=True)
    table_on_paper(table, "zones-without-a-live-number")
