"""What a site is: where, of what kind, whose; its passages and devices as tables."""

from __future__ import annotations

from datetime import datetime, timedelta

import streamlit as st

from analysis.names import LONGEST_NAME, LONGEST_TEXT, one_line
from analysis.site_report import devices_offline
from components.number_format import UNKNOWN, Formats, zone_words
from components.panels.data_table import table_on_paper
from components.panels.gauge_items import offline_words
from components.panels.viewer import page_moment, page_present, site_zone
from components.plain_text import plain, plain_name, the_rest
from components.tables.topology import device_count, devices_table, passages_table, untold_count
from contract import Address, Site


def site_title(site: Site, age: timedelta | None) -> None:
    """Beside its name, which stands in the choice above; `age` is how long ago the service told what stands
    below, None: it tells it now.
    """
    if site.category:
        st.caption(plain_name(site.category, LONGEST_TEXT))
    if site.archived:
        st.warning("This site is archived.", icon=":material/archive:")
    place = st.empty()
    if age is not None:
        said = f"Zones, passages and devices are as the service told them at {_ago(age)}."
        rest = "It does not tell them now, and is asked again by itself."
        place.caption(f":material/warning: {plain(f'{said} {rest}')}")


def _ago(age: timedelta) -> str:
    return page_moment(page_present() - age)


def site_in_brief(site: Site) -> None:
    """Devices that are not online and the category, in one line, for pages other than Site."""
    offline = offline_words(devices_offline(site))
    facts = [f":material/sensors_off: {plain(offline)}"] if offline else []
    facts += [plain_name(site.category, LONGEST_TEXT)] if site.category else []
    if facts:
        st.caption(" · ".join(facts))


def site_facts(site: Site, formats: Formats) -> None:
    """All that changes seldom; what time it is there, a live view tells."""
    zone = site_zone(site)
    known = zone.key == site.timezone
    named = zone_words(zone.key) if known else f"{_unknown(site.timezone)}; shown in {zone_words(zone.key)}"
    facts = {
        "Address": _address(site.address),
        "Time zone": named,
        "Organization": site.organization_id or UNKNOWN,
        "Built": UNKNOWN if site.construction_year is None else str(site.construction_year),
        "Added": _day(site.created_at, site, formats),
        "Changed": _day(site.updated_at, site, formats),
    }
    with st.container(horizontal=True, gap="medium"):
        for name, value in facts.items():
            with st.container(width="content", gap=None):
                st.caption(plain(name))
                st.markdown(plain_name(value), help=the_rest(value))


def _unknown(timezone: str | None) -> str:
    return f"{one_line(timezone, LONGEST_NAME)} is no time zone known here" if timezone else UNKNOWN


def _address(address: Address) -> str:
    town = " ".join(part for part in (address.post_code, address.city) if part)
    return ", ".join(part for part in (address.street, town, address.country) if part) or UNKNOWN


def _day(moment: datetime | None, site: Site, formats: Formats) -> str:
    return UNKNOWN if moment is None else formats.day(moment.astimezone(site_zone(site)))


def passages_panel(site: Site) -> None:
    table = passages_table(site)
    if table.empty:
        st.info("The service lists no passages for this site: nothing counts who comes and goes.")
        return
    st.dataframe(table, hide_index=True)
    table_on_paper(table, "passages")


def devices_panel(site: Site, age: timedelta | None) -> None:
    """`age` is as for `site_title`."""
    count, problems, untold = device_count(site), devices_offline(site), untold_count(site)
    if not count:
        st.info("The service lists no devices for this site.")
        return
    devices = "device" if count == 1 else "devices"
    no_status = f"The service tells no status of {untold} of {count} {devices}." if untold else ""
    when = "" if age is None else f"As of {_ago(age)}: "
    if problems:
        said = f"{problems} of {count} {devices} {'is' if problems == 1 else 'are'} not online. {no_status}"
        st.warning(plain(f"{when}{said.rstrip()}"), icon=":material/warning:")
    elif untold:
        st.info(plain(f"{when}{no_status}"))
    else:
        said = "The one device is online." if count == 1 else f"All {count} devices are online."
        if when:
            st.info(plain(f"{when}{said}"))
        else:
            st.success(plain(said), icon=":material/check_circle:")
    table = devices_table(site)
    st.dataframe(table, hide_index=True)
    table_on_paper(table, "devices")
