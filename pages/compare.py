"""Sites side by side, or the zones of one; of whom too little is known is left out, and named."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import UTC
from functools import partial

import streamlit as st

from analysis.compared_places import ComparedPlace, compared_sites, compared_zones, whole_of
from analysis.league import Per, Terms, league
from analysis.league_period import weeks_back
from analysis.targets import month_name, target_of
from components.panels import compare_choices as choices
from components.panels.compare_choices import SITES, TARGETS, ZONES, CompareChoice
from components.panels.compare_view import (
    failures_note,
    league_panel,
    league_table_panel,
    nothing_to_compare,
    progress_note,
    reading_place,
    seconds_to_read,
    whole_site_note,
)
from components.panels.known_of_site import all_known_targets, known_hours, known_targets
from components.panels.page_parts import folded, guarded, loading
from components.panels.site_choice import no_sites_panel, site_choice
from components.panels.target_panel import month_choice, target_panel
from components.panels.viewer import site_zone, viewer_formats
from components.panels.waiting import skeleton
from components.sentences.league_words import when_words
from contract import Site, SiteSummary
from runtime import ApiClientError, read_site, read_sites, service_time
from runtime.league_entries import About, read_league
from runtime.occupancies import occupancy_or_none
from runtime.preferences import read_preferences
from runtime.site_knowledge import read_all_opening_hours, read_all_targets, read_targets, target_keeper
from runtime.target_progress import read_target_progress


def zones_of(site: Site) -> list[ComparedPlace]:
    known = occupancy_or_none(site)
    return compared_zones(site, known.top_zone_ids if known else ())


def first_compared(sites: Sequence[SiteSummary]) -> str:
    """The zones of the one site, or of the one that was looked at before; else sites."""
    known = sites[0].id if len(sites) == 1 else choices.site_before()
    return ZONES if any(one.id == known and len(read_site(known).zones) > 1 for one in sites) else SITES


def show(compared: Sequence[ComparedPlace], choice: CompareChoice, noun: str) -> None:
    now, hours, formats = service_time(), known_hours(read_all_opening_hours), viewer_formats()
    targets = all_known_targets(read_all_targets) if choice.per is Per.TARGET else {}
    about = About(choice.period, choice.chosen, choice.measure, noun == "site" and choice.per.is_of_size)
    beside = [whole_of(compared[0].site)] if noun == "zone" else []
    questions = {
        one.place.id: about.question(one, now, site_zone(one.site), hours.get(one.site.id))
        for one in (*beside, *compared)
    }
    reading_id = f"{noun} {choice.id} {compared[0].site.id if noun == 'zone' else ''}"
    with reading_place(reading_id):
        reading = read_league(questions, seconds_to_read(reading_id))
    terms = Terms(choice.measure, choice.per, choice.least, noun, weeks_back(about.days(now, UTC)))
    whole_site_note(whole := reading.candidates(one.place for one in beside), terms, formats)
    candidates = reading.candidates(
        one.place._replace(
            target=target_of(targets.get(one.site.id, {}), about.days(now, site_zone(one.site)))
        )
        for one in compared
    )
    progress_note(len(whole) + len(candidates), len(questions), reading_id, noun, formats)
    if not candidates:
        return
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
    kept = known_targets(site.id, read_targets)
    target = kept.get(month_name(first := month_choice(site, kept, now, formats, month)))
    opening, zone, progress = known_hours(read_all_opening_hours).get(site.id), site_zone(site), None
    if target:
        with skeleton(200):
            progress = read_target_progress(site, target, first, now=now, timezone=zone, opening=opening)
    target_panel(site, first, progress, target_keeper(site.id, month_name(first)), formats)


st.title("Compare", anchor=False)
with guarded("The comparison", "compare", ApiClientError):
    with loading("compare", 420):
        of, when, what = st.columns(3)
        sites, usual = read_sites(), read_preferences().first_site
    if not sites:
        no_sites_panel()
    else:
        is_new = choices.is_not_chosen()
        kind = choices.of_choice(first_compared(sites) if is_new else SITES, of)
        chosen = None if kind == SITES else site_choice(read_sites, usual, when if kind == TARGETS else of)
        if kind == TARGETS and chosen:
            show_target(read_site(chosen.id), what)
        elif kind != TARGETS:
            compared = compared_sites(sites)
            if kind == ZONES:
                compared = zones_of(read_site(chosen.id)) if chosen else []
                choices.lead_to_area([one.place for one in compared if is_new])
            choice = choices.compare_choice(noun := "zone" if kind == ZONES else "site", when, what)
            nothing_to_compare(len(compared), chosen, sites, is_of_zones=kind == ZONES)
            if choice and compared:
                show(compared, choice, noun)
