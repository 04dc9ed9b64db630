"""Sites side by side, or the zones of one; of whom too little is known is left out, and named."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import partial

import streamlit as st

from analysis.compared_places import ComparedPlace, compared_sites, compared_zones
from analysis.league import Candidate, Per, Place, Terms, league
from analysis.league_period import days_of, league_request, weeks_back
from analysis.targets import month_name, target_of
from components.panels.compare_choices import SITES, TARGETS, ZONES, CompareChoice, compare_choice, of_choice
from components.panels.compare_view import (
    failures_note,
    league_panel,
    league_table_panel,
    nothing_to_compare,
    progress_note,
    reading_place,
    seconds_to_read,
)
from components.panels.known_of_site import all_known_targets, known_hours, known_targets
from components.panels.page_parts import folded, guarded, loading
from components.panels.site_choice import no_sites_panel, site_choice
from components.panels.target_panel import month_choice, target_panel
from components.panels.viewer import site_zone, viewer_formats
from components.panels.waiting import skeleton
from components.sentences.league_words import when_words
from contract import Site
from runtime import ApiClientError, read_site, read_sites, service_time
from runtime.league_entries import Question, read_league
from runtime.occupancies import occupancy_or_none
from runtime.preferences import read_preferences
from runtime.site_knowledge import read_all_opening_hours, read_all_targets, read_targets, target_keeper
from runtime.target_progress import read_target_progress


def zones_of(site: Site) -> list[ComparedPlace]:
    known = occupancy_or_none(site)
    return compared_zones(site, known.top_zone_ids if known else ())


def show(compared: Sequence[ComparedPlace], choice: CompareChoice, noun: str) -> None:
    now, hours, formats = service_time(), known_hours(read_all_opening_hours), viewer_formats()
    targets = all_known_targets(read_all_targets) if choice.per is Per.TARGET else {}
    questions: dict[str, Question] = {}
    places: dict[str, Place] = {}
    for site, subject, place in compared:
        days = days_of(choice.period, now.astimezone(site_zone(site)).date(), choice.chosen)
        places[place.id] = place._replace(target=target_of(targets.get(site.id, {}), days))
        request, ranges = league_request(site.id, subject, days, now, site_zone(site))
        sized = site if noun == "site" and choice.per.is_of_size else None
        questions[place.id] = Question(request, ranges, choice.measure, hours.get(site.id), sized)
    reading_id = f"{noun} {choice.id} {compared[0].site.id if noun == 'zone' else ''}"
    with reading_place(reading_id):
        reading = read_league(questions, seconds_to_read(reading_id))
    for id_, size in reading.sizes.items():
        places[id_] = places[id_]._replace(area=size.area, capacity=size.capacity)
    candidates = [Candidate(places[id_], entry) for id_, entry in reading.entries.items()]
    candidates += [
        Candidate(places[id_], None, getattr(error, "summary", "") or str(error))
        for id_, error in reading.failures.items()
    ]
    progress_note(len(candidates), len(compared), reading_id, f"{noun}s", formats)
    if not candidates:
        return
    weeks = weeks_back(days_of(choice.period, now.date(), choice.chosen))
    terms = Terms(choice.measure, choice.per, choice.least, noun, weeks)
    found = league(candidates, terms)
    asked = [(one.ranges, one.request.timezone) for one in questions.values()]
    when = f"{choice.days}: {when_words(asked, formats)}"
    whose, unread = compared[0].site if noun == "zone" else None, len(compared) - len(candidates)
    league_panel(found, terms, when, formats, asked=asked, site=whose, revision=reading_id, unread=unread)
    failures_note(len(reading.failures))
    files = partial(league_table_panel, found, terms, when, formats, asked=asked, site=whose)
    folded("Table and files", "table", files)


def show_target(site: Site, month: AbstractContextManager[object]) -> None:
    now, formats = service_time(), viewer_formats()
    kept = known_targets(partial(read_targets, site.id))
    first = month_choice(site, kept, now, formats, month)
    target = kept.get(month_name(first))
    opening, zone, progress = known_hours(read_all_opening_hours).get(site.id), site_zone(site), None
    if target:
        with skeleton(200):
            progress = read_target_progress(site, target, first, now=now, timezone=zone, opening=opening)
    target_panel(site, first, progress, target_keeper(site.id, month_name(first)), formats)


st.title("Compare", anchor=False)
with guarded("The comparison", "compare", ApiClientError):
    with loading("compare", 420):
        of, when, what = st.columns(3)
        sites = read_sites()
    if not sites:
        no_sites_panel()
    else:
        kind = of_choice(of)
        where = when if kind == TARGETS else of
        chosen = None if kind == SITES else site_choice(sites, read_preferences().first_site, where)
        if kind == TARGETS and chosen:
            show_target(read_site(chosen.id), what)
        elif kind != TARGETS:
            compared = compared_sites(sites)
            if kind == ZONES:
                compared = zones_of(read_site(chosen.id)) if chosen else []
            noun = "zone" if kind == ZONES else "site"
            choice = compare_choice(noun, when, what)
            nothing_to_compare(len(compared), chosen, sites, is_of_zones=kind == ZONES)
            if choice and compared:
                show(compared, choice, noun)
