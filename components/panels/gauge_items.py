"""Sites and zones as gauges: what each is called, what it can hold, what it opens."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from components.live_gauge import GaugeItem
from components.panels.thresholds_choice import THRESHOLDS_PARAMETER
from contract import DEFAULT_TIMEZONE, Site, SiteSummary, Zone


def site_card(site: SiteSummary, *, feed: str, capacity: float | None) -> GaugeItem:
    """A site of the overview, which opens its Live page."""
    subtitle = ", ".join(part for part in (site.category, site.address.city) if part)
    return GaugeItem(
        feed=feed,
        title=site.name,
        subtitle=subtitle,
        timezone=site.timezone or DEFAULT_TIMEZONE,
        capacity=capacity,
        href=_live_link(site.id),
    )


def zone_card(site: Site, zone: Zone, *, feed: str) -> GaugeItem:
    """A zone beside the large gauge, which opens it there."""
    return GaugeItem(
        feed=feed,
        title=zone.name,
        subtitle=zone.category or "",
        timezone=site.timezone or DEFAULT_TIMEZONE,
        capacity=_told(zone),
        href=_live_link(site.id, zone.id),
    )


def hero(site: Site, zone: Zone | None, *, feed: str, capacity: float | None) -> GaugeItem:
    """The large gauge of a whole site (`zone` None, `capacity` that of its top zone) or of one zone."""
    return GaugeItem(
        feed=feed,
        kind="hero",
        title=f"{site.name}, {zone.name}" if zone else site.name,
        timezone=site.timezone or DEFAULT_TIMEZONE,
        capacity=_told(zone) if zone else capacity,
    )


def _told(zone: Zone) -> float | None:
    return float(zone.capacity) if zone.capacity else None


def _live_link(site_id: str, zone_id: str | None = None) -> str:
    """Relative, so that it holds under a path prefix; the viewer's thresholds go along."""
    parameters = [("site", site_id)] + ([("zone", zone_id)] if zone_id else [])
    thresholds = [(THRESHOLDS_PARAMETER, one) for one in st.query_params.get_all(THRESHOLDS_PARAMETER)]
    return "live?" + urlencode(parameters + thresholds)
