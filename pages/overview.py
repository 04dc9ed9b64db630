"""Every site the key can read: what is inside now, the share of the capacity, the last hour."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from analysis.site_report import SiteReport
from components.live_gauge import live_gauge
from components.panels.gauge_items import site_cards
from components.panels.page_parts import guarded, loading
from components.panels.site_choice import no_sites_panel
from components.panels.site_list import (
    PAGE_SIZE,
    ListChoice,
    answer_container,
    fullest_sites,
    last_list_note,
    list_choice,
    none_found,
    page_choice,
    reading_note,
    state_choice,
    total_note,
    unread_note,
)
from components.panels.viewer import dashboard_root, viewer_formats
from components.panels.waiting import skeleton
from components.plain_text import plain
from components.tables.site_states import (
    Order,
    Progress,
    counted,
    fullest,
    matching,
    ordered,
    progress_of,
    states_of,
)
from contract import SiteSummary
from gauge.levels import Thresholds
from live.snapshot import FeedKey
from runtime import (
    DRIFT_AGE,
    ApiClientError,
    get_client,
    has_reported_sites,
    is_cut_off,
    known_capacities,
    look_at_sites,
    look_first,
    read_preferences,
    reading_rest,
    reported_sites,
    stream_token,
)
from runtime.closed_ahead import closed_sites


def progress_now(sites: list[SiteSummary], reports: Mapping[str, SiteReport]) -> Progress:
    return progress_of(sites, reports, reading_rest(), is_cut_off=is_cut_off(reports))


def first_reports(sites: list[SiteSummary]) -> Mapping[str, SiteReport]:
    """So that the first visit of all need not be drawn anew at once."""
    with skeleton(420):
        return look_first(sorted(sites, key=lambda site: site.name.casefold())[:PAGE_SIZE])


def show(sites: list[SiteSummary]) -> None:
    if not sites:
        no_sites_panel()
        return
    if get_client().left_sites_out:
        st.warning(plain(f"The service lists more sites than are read: these are the first {len(sites):,}."))
    with st.container(key="first-visit"):  # waits here: what follows keeps its index, a search its letters
        reports = look_at_sites(sites) or first_reports(sites)
    progress, formats, answer = progress_now(sites, reports), viewer_formats(), answer_container(len(sites))
    choice = list_choice(read_preferences().thresholds, sites)
    states = states_of(reports, choice.thresholds_of, closed_sites(sites).now)
    found = matching(sites, choice.search, states)
    reading_note(progress, formats, answer, lambda: progress_now(sites, look_at_sites(sites)), DRIFT_AGE)
    with answer:
        total_note(found, reports, progress, formats)
        state = state_choice(counted(found, states), formats)
        found = [site for site in found if not state or state in states.get(site.id, ())]
        if len(found) > PAGE_SIZE and choice.order is not Order.FULLEST:
            fullest_sites(fullest(found, reports), choice.labels, progress, formats)
    if not found:
        st.info(plain(none_found(progress, choice.search, state)))
        return
    page = page_choice(len(found), len(sites), "sites", formats)
    arranged = ordered(found, choice.order, reports, states)
    show_page(arranged[(page - 1) * PAGE_SIZE : page * PAGE_SIZE], reports, choice)


def show_page(sites: list[SiteSummary], reports: Mapping[str, SiteReport], choice: ListChoice) -> None:
    reports = look_first(sites)
    unread_note(sites, choice.labels, reports)
    live_gauge(
        site_cards(sites, reports, known_capacities(reports), choice, lambda one: FeedKey(one).name),
        root=dashboard_root(),
        token=stream_token(((FeedKey(site.id), site.timezone) for site in sites), is_list=True),
        thresholds=Thresholds(),
        locale=st.context.locale,
        key="overview-gauges",
        closed=closed_sites(sites).ahead,
    )
    st.caption("Each site shows its own local time.")


st.title("Overview", anchor=False)
with guarded("The list of sites", "overview", ApiClientError):
    with loading("overview", 420, is_read=has_reported_sites()):
        reported = reported_sites()
    last_list_note(reported.reported_at if reported.is_last else None, reported.pause_until)
    show(reported.sites)
