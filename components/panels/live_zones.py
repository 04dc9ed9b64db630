"""Which zones of a site a page shows live: each costs the service a stream, and the page room."""

from __future__ import annotations

from typing import Final

import pandas as pd
import streamlit as st

from analysis.subject import labels_of
from components.panels.table_on_paper import table_on_paper
from components.panels.viewer import viewer_formats
from components.plain_text import plain
from contract import Site

MOST_LIVE: Final = 200


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
