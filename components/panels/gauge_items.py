"""Sites and zones as gauges: what each is called, what it can hold, what it opens."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from components.live_gauge import GaugeItem
from components.panels.thresholds_choice import THRESHOLDS_PARAMETER
from components.panels.viewer import dashboard_root
from components.plain_text import LONGEST_HINT, LONGEST_NAME, one_line
from contract import DEFAULT_TIMEZONE, Site, SiteSummary, Zone


def site_card(site: SiteSummary, *, feed: str, capacity: float | None) -> GaugeItem:
    """A site of the overview, which opens its Live page."""
    subtitle = ", ".join(part for part in (site.category, site.address.city) if part)
    return GaugeItem(
        feed=feed,
        **_titles(site.name or site.id),
        subtitle=one_line(subtitle, LONGEST_NAME),
        timezone=site.timezone or DEFAULT_TIMEZONE,
        capacity=capacity,
        href=_live_link(site.id),
    )


def zone_card(site: Site, zone: Zone, *, feed: str) -> GaugeItem:
    """A zone beside the large gauge, which opens it there."""
    return GaugeItem(
        feed=feed,
        **_titles(zone.name or zone.id),
        subtitle=one_line(zone.category or "", LONGEST_NAME),
        timezone=site.timezone or DEFAULT_TIMEZONE,
        capacity=_told(zone),
        href=_live_link(site.id, zone.id),
    )


def hero(site: Site, zone: Zone | None, *, feed: str, capacity: float | None) -> GaugeItem:
    """The large gauge of a whole site (`zone` None, `capacity` that of its top zone) or of one zone."""
    return GaugeItem(
        feed=feed,
        kind="hero",
        **_titles(f"{site.name}, {zone.name}" if zone else site.name),
        timezone=site.timezone or DEFAULT_TIMEZONE,
        capacity=_told(zone) if zone else capacity,
    )


def _titles(name: str) -> dict[str, str]:
    return {"title": one_line(name, LONGEST_NAME), "whole_title": one_line(name, LONGEST_HINT)}


def _told(zone: Zone) -> float | None:
    return float(zone.capacity) if zone.capacity else None


def _live_link(site_id: str, zone_id: str | None = None) -> str:
    """Below the dashboard's own path, which may be a prefix; the viewer's thresholds go along."""
    parameters = [("site", site_id)] + ([("zone", zone_id)] if zone_id else [])
    thresholds = [(THRESHOLDS_PARAMETER, one) for one in st.query_params.get_all(THRESHOLDS_PARAMETER)]
    return f"{dashboard_root()}live?" + urlencode(parameters + thresholds)
