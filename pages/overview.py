"""Every site the key can read: what is inside now, the share of the capacity, the last hour."""

from __future__ import annotations

import streamlit as st

from components.live_gauge import live_gauge
from components.panels.failure import guarded, loading
from components.panels.gauge_items import site_card
from components.panels.site_list import (
    MOST_COMPARED,
    PAGE_SIZE,
    Order,
    list_choice,
    matching,
    ordered,
    page_choice,
)
from components.panels.viewer import dashboard_root
from components.plain_text import LONGEST_NAME, one_line, plain
from components.theme import Thresholds
from contract import SiteSummary
from live.snapshot import FeedKey
from runtime import ApiClientError, read_occupancies, read_sites, stream_token


def show(sites: list[SiteSummary]) -> None:
    if not sites:
        st.info("This API key can read no sites: its organization has none, or all are archived.")
        return
    choice = list_choice()
    found = matching(sites, choice.search)
    if not found:
        st.info(plain(f"None of the {len(sites)} sites matches “{one_line(choice.search, LONGEST_NAME)}”."))
        return
    arranged = arrange(found, choice.order)
    page = page_choice(len(arranged))
    show_page(arranged[(page - 1) * PAGE_SIZE : page * PAGE_SIZE], choice.thresholds)


def arrange(sites: list[SiteSummary], order: Order) -> list[SiteSummary]:
    if not order.needs_values:
        return sites
    if len(sites) > MOST_COMPARED:
        st.caption(f"Sorted by name: values are compared for up to {MOST_COMPARED} sites; search for fewer.")
        return sites
    return ordered(sites, order, read_occupancies(sites).known)


def show_page(sites: list[SiteSummary], thresholds: Thresholds) -> None:
    with st.skeleton(height=420):
        occupancies = read_occupancies(sites)
    if occupancies.failures:
        left_out = plain(f"{len(occupancies.failures)} of these sites could not be read in full.")
        st.caption(f":material/error: {left_out}")
    known = occupancies.known
    live_gauge(
        [
            site_card(
                site,
                feed=FeedKey(site.id).name,
                capacity=known[site.id].capacity if site.id in known else None,
            )
            for site in sites
        ],
        root=dashboard_root(),
        token=stream_token((FeedKey(site.id), site.timezone) for site in sites),
        thresholds=thresholds,
        locale=st.context.locale,
        key="overview-gauges",
    )
    st.caption("Times are local to each site.")


st.title("Overview")
with guarded("The list of sites", "overview", ApiClientError):
    with loading("overview", 420):
        readable = read_sites()
    show(readable)
