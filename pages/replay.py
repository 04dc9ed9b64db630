"""A recorded day of a site, through the gauge and the graph that show it live: play, pause, scrub."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import streamlit as st

from analysis.first_count import find_first_count
from analysis.history_request import HistoryRequest
from analysis.known_of_day import KnownOfDay
from analysis.recorded_day import busiest_day, empty_day
from analysis.subject import subjects_of, whole_site
from analysis.time_range import range_of_days
from analysis.zone_layout import without_enclosing
from components.panels.drawing_choice import NOT_DRAWN, PlaceDrawn, place_drawn
from components.panels.history_view import nothing_stored
from components.panels.known_of_site import known_within
from components.panels.opening_hours_panel import opening_hours_of
from components.panels.page_parts import failure, guarded, loading
from components.panels.refused_values import refused_note
from components.panels.replay_choices import day_choice, linked_day, unknown_replay
from components.panels.replay_view import replay_panel
from components.panels.site_choice import site_choice
from components.panels.thresholds_choice import thresholds_choice
from components.panels.viewer import site_zone, viewer_formats
from components.panels.waiting import skeleton
from components.plain_text import plain
from components.sentences.replay_words import day_words
from contract import Granularity, MetricKey, Site
from gauge.levels import Thresholds
from live.snapshot import CrossingsKey, FeedKey
from runtime import ApiClientError, read_preferences, read_site, read_sites, service_time
from runtime.floor_plans import read_kept_plan
from runtime.occupancies import occupancy_or_none
from runtime.preferences import thresholds_keeper
from runtime.reads import read_points
from runtime.recorded_days import MOST_PLACES, read_recorded_day
from runtime.site_knowledge import read_notes, read_opening_hours


def request_of(site: Site) -> HistoryRequest:
    """The last seven whole days by the day: by whom they were entered."""
    timezone, now = site_zone(site), service_time()
    today = now.astimezone(timezone).date()
    return HistoryRequest(
        site_id=site.id,
        subjects=(whole_site(site),),
        metrics=(MetricKey.ENTRANCES,),
        range=range_of_days(today - timedelta(days=7), today, timezone),
        timezone=timezone,
        asked_at=now,
        granularity=Granularity.DAY,
    )


def usual_day(request: HistoryRequest, today: date) -> date:
    """The busiest of the last seven, where the link names none: nobody comes to see an empty one."""
    if linked := linked_day():
        return linked
    busiest = busiest_day(read_points(request.queries()).get(request.subjects[0], ()), request.timezone)
    return busiest or today - timedelta(days=1)


def show(site: Site, request: HistoryRequest, day: date, thresholds: Thresholds) -> None:
    blank = empty_day(day, request.timezone, request.asked_at)
    if blank.counted.is_empty:
        st.info(plain(f"{day_words(day)} is yet to come at this site: there is nothing to replay."))
        return
    whole = occupancy_or_none(site)
    top, main = whole.top_zone_ids if whole else (), FeedKey(site.id).name
    graph, ground = drawn(site, top)
    zones = site.zones if graph.drawings else ()
    feeds = {zone.id: main if top == (zone.id,) else FeedKey(site.id, (zone.id,)).name for zone in zones}
    subjects = subjects_of(site, [zone.id for zone in zones], []) if zones else []
    places = {main: whole_site(site)} | {
        feeds[one.id]: one for one in subjects if one.id in feeds and feeds[one.id] != main
    }
    with skeleton(420):
        asked = replace(request, range=blank.counted)
        read = read_recorded_day(site, places, asked, with_passages=bool(graph.drawings and graph.ways))
    refused_note(has_refused=read.day.has_refused)
    if not read.day.places:
        if not read.day.has_refused:
            to_do = {"if_later": "Choose a day from then on.", "otherwise": "Choose another day."}
            nothing_stored(asked, find_first_count(asked, read_points), viewer_formats(), None, None, **to_do)
        return
    if read.failures:
        failure(next(iter(read.failures.values())), "replay-part", what="A part of this replay")
    hours = opening_hours_of(site, read_opening_hours)
    known = KnownOfDay(*known_within(site, hours, read_notes, read.day.whole))
    replay_panel(
        site, graph, read.day, known, feeds, main=main, capacity=whole.capacity if whole else None,
        crossings=CrossingsKey(site.id).name if graph.drawings and graph.ways else "",
        failures={name: error.summary for name, error in read.failures.items()}, unread=read.unread,
        thresholds=thresholds, ground=ground,
    )  # fmt: skip


def drawn(site: Site, top: tuple[str, ...]) -> PlaceDrawn:
    """Nothing of a site with so many zones that to read them would take too long."""
    is_drawn = len(site.zones) <= MOST_PLACES
    return place_drawn(without_enclosing(site, top), read_kept_plan) if is_drawn else NOT_DRAWN


st.set_page_config(page_title="REPLAY · Headroom")
st.title("Replay", anchor=False)
with guarded("The replay", "replay", ApiClientError):
    with loading("replay", 420):
        where, when, limits = st.columns([5, 3, 2], vertical_alignment="bottom")
        chosen = site_choice(read_sites, read_preferences().first_site, where)
        site = read_site(chosen.id) if chosen else None
    if site:
        unknown_replay()
        asked = request_of(site)
        today = asked.asked_at.astimezone(asked.timezone).date()
        day = day_choice(usual_day(asked, today), today, when)
        limits_of, kept = read_preferences().thresholds, thresholds_keeper(site.id)
        show(site, asked, day, thresholds_choice(site, limits_of, kept, limits))
