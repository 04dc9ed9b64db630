"""What a site is: where, of what kind, whose, and what time it is there."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from components.number_format import NOT_TOLD, Formats
from components.panels.viewer import site_zone
from components.plain_text import LONGEST_NAME, one_line, plain, the_rest
from contract import Address, Site


def site_facts(site: Site, now: datetime, formats: Formats) -> None:
    """`now` is aware."""
    st.header(plain(site.name, LONGEST_NAME), anchor=False, help=the_rest(site.name))
    if site.category:
        st.info(f"**{plain(site.category)}**", icon=":material/category:")
    if site.archived:
        st.warning("This site is archived.", icon=":material/archive:")
    zone = site_zone(site)
    named = zone.key if zone.key == site.timezone else f"{_unknown(site.timezone)}; shown in {zone.key}"
    facts = {
        "Address": _address(site.address),
        "Local time": f"{formats.moment(now.astimezone(zone))} ({named})",
        "Organization": site.organization_id or NOT_TOLD,
        "Built": NOT_TOLD if site.construction_year is None else str(site.construction_year),
        "Entered": _day(site.created_at, site, formats),
        "Changed": _day(site.updated_at, site, formats),
    }
    with st.container(horizontal=True, gap="medium"):
        for name, value in facts.items():
            with st.container(width="content", gap=None):
                st.caption(plain(name))
                st.markdown(plain(value, LONGEST_NAME), help=the_rest(value))


def _unknown(timezone: str | None) -> str:
    return f"{one_line(timezone, LONGEST_NAME)} is no time zone known here" if timezone else NOT_TOLD


def _address(address: Address) -> str:
    town = " ".join(part for part in (address.post_code, address.city) if part)
    return ", ".join(part for part in (address.street, town, address.country) if part) or NOT_TOLD


def _day(moment: datetime | None, site: Site, formats: Formats) -> str:
    return NOT_TOLD if moment is None else formats.date(moment.astimezone(site_zone(site)))
