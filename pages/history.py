"""The past of a site: people inside, entrances, exits and time inside, by zone or passage."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

import streamlit as st

from analysis.estimates import with_estimates
from analysis.history_request import HistoryRequest
from analysis.open_only import open_only
from analysis.opening_hours import OpeningHours
from components.panels.both_periods import both_periods_panel
from components.panels.day_report_panel import day_report_panel
from components.panels.doors_panel import door_hours_panel
from components.panels.estimates_panel import estimates_panel
from components.panels.history_choices import HistoryChoice, history_choices
from components.panels.history_sources import link_panel, request_details, subject_failures
from components.panels.history_view import (
    account_panel,
    chart_panel,
    headline_panel,
    nothing_stored,
    table_and_files,
)
from components.panels.hours_choice import untold_opening
from components.panels.known_of_site import with_known
from components.panels.notes_panel import notes_panel
from components.panels.opening_hours_panel import opening_hours_of
from components.panels.page_parts import folded, guarded, loading
from components.panels.rankings import place_ranking_panel
from components.panels.shifted_hours import SHIFTED, has_shifted_hours
from components.panels.site_choice import places_linked, site_choice
from components.panels.thresholds_choice import thresholds_of
from components.panels.viewer import site_zone, viewer_formats
from components.panels.waiting import awaited, skeleton
from components.panels.ways_panel import ways_panel
from components.plain_text import plain
from contract import Site
from runtime import ApiClientError, get_client, read_site, read_sites, service_time
from runtime.background import begin
from runtime.day_answers import reading_days
from runtime.history_reads import read_history
from runtime.occupancies import occupancy_or_none
from runtime.preferences import read_preferences
from runtime.reads import read_points
from runtime.site_knowledge import forget_note, keep_note, read_notes, read_opening_hours

_COUNTED: Final = "what was counted in this range"


def show_ranking(site: Site, request: HistoryRequest) -> None:
    top = known.top_zone_ids if (known := occupancy_or_none(site)) else ()
    place_ranking_panel(site, request, top, open_only(request, read_points))


def show(choice: HistoryChoice, site: Site, hours: OpeningHours | None) -> None:
    if not choice.request.queries():
        st.info("Passages count who comes and goes. Show entrances or exits, or choose zones.")
        return
    reading = partial(read_history, choice.request, choice.compared, site, hours)
    with skeleton(420):
        read = awaited(begin(partial(reading, is_estimated=choice.is_estimated)), _COUNTED)
    request, reads, estimates, formats = read.request, read.reads, read.estimates, viewer_formats()
    points = reads.points
    subject_failures(reads.failures, has_refused=reads.has_refused)
    if reads.untold and request.opening:
        untold_opening()
        show(replace(choice, request=replace(choice.request, opening=None)), site, hours)
        return
    if not any(points.values()):
        if points and not reads.has_refused:
            nothing_stored(request, read.first_count, formats, reads.folded_until, reads.held_from)
        if not (estimates and estimates.hours):
            estimates_panel(request, list(points), estimates, None, formats)
            return
    if read.longer:
        why = f"No two {read.granularity}s in a row have counts here"
        st.info(plain(f"{why}: you see the range by {read.longer}."))
        show(replace(choice, request=replace(choice.request, granularity=read.longer)), site, hours)
        return
    unit, zone = read.granularity, request.timezone
    if any(has_shifted_hours(own, zone, SHIFTED, unit) for own in points.values()) or not read.answer:
        return
    subject_failures(read.other_failures, period="other period")
    known = with_known(read.answer.data, site, hours, read_notes)
    answer = read.answer._replace(data=(data := with_estimates(known, estimates, site_zone(site))))
    headline_panel(list(points), answer, choice.range, formats, choice.against)
    revision, now = f"{site.id} {sorted(st.query_params.to_dict().items())}", request.asked_at
    thresholds = thresholds_of(read_preferences().thresholds, site.id)
    chart_panel(site, answer, choice.range, now, formats, revision=revision, thresholds=thresholds)
    estimates_panel(request, list(points), estimates, data, formats)
    account_panel(site, list(points), answer, choice.range, formats, now=now)
    both_periods_panel(site, data, read_opening_hours, formats)
    notes_panel(site, data, formats, keep=keep_note, forget=forget_note)
    told, is_open_alone = open_only(request, read_points), request.opening is not None
    folded("Zones and doors by entrances", "leaderboard", partial(show_ranking, site, request))
    folded("Doors by hour", "door_front", partial(door_hours_panel, site, request, told))
    folded("Ways through the zones", "conversion_path", partial(ways_panel, site, request, told))
    report = partial(day_report_panel, site, read_sites(), read_preferences().thresholds, service_time())
    report = partial(report, reading=reading_days, failing=ApiClientError, is_beside_open=is_open_alone)
    folded("Report of a day", "print", report)
    folded("Copy link", "link", partial(link_panel, choice, formats))
    folded("Table and files", "table", partial(table_and_files, site, request, data, reads.asked, formats))
    details = partial(request_details, reads.asked, get_client().base_url, is_open_alone=is_open_alone)
    folded("The request behind this chart", "code", details)


st.title("History", anchor=False)
with guarded("The history", "history", ApiClientError):
    with loading("history", 420):
        where, when = st.columns(2)
        chosen = site_choice(read_sites, read_preferences().first_site, where)
        site = read_site(chosen.id, places_linked()) if chosen else None
    if site:
        hours = opening_hours_of(site, read_opening_hours)
        if choice := history_choices(site, service_time, when, hours):
            show(choice, site, hours)
