"""The passages and devices of a site as tables."""

from __future__ import annotations

import streamlit as st

from components.panels.table_on_paper import table_on_paper
from components.plain_text import plain
from components.tables.topology import device_count, devices_table, passages_table, problem_count
from contract import Site


def passages_panel(site: Site) -> None:
    table = passages_table(site)
    if table.empty:
        st.info("The service lists no passages for this site: nothing counts who comes and goes.")
        return
    st.dataframe(table, hide_index=True)
    table_on_paper(table, "passages")


def devices_panel(site: Site) -> None:
    count, problems = device_count(site), problem_count(site)
    if not count:
        st.info("The service lists no devices for this site.")
        return
    if problems:
        are = "is" if problems == 1 else "are"
        devices = "device" if count == 1 else "devices"
        st.warning(plain(f"{problems} of {count} {devices} {are} not online."), icon=":material/warning:")
    else:
        said = "The one device is online." if count == 1 else f"All {count} devices are online."
        st.success(plain(said), icon=":material/check_circle:")
    table = devices_table(site)
    st.dataframe(table, hide_index=True)
    table_on_paper(table, "devices")
