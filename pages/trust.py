"""Whether the number inside can be trusted, and which door is to blame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final, TypeVar

import streamlit as st

from analysis.first_count import find_first_count
from analysis.history_request import HistoryRequest
from analysis.inside_band import error_part, sure_hours
from analysis.reconciliation import reconciled
from analysis.trust_answer import TrustAnswer, last_day, trust_answer, zones_by_trouble
from analysis.trust_grid import Grid, grid_of
from analysis.trust_request import ChosenZones, chosen_ways, chosen_zones, trust_request, way_queries, ways_of
from components.panels.history_view import nothing_stored
from components.panels.known_of_site import KnownWithin, known_within
from components.panels.opening_hours_panel import holidays_note, opening_hours_of
from components.panels.page_parts import failure, folded, guarded, loading
from components.panels.refused_values import refused_note
from components.panels.shifted_hours import has_shifted_hours
from components.panels.site_choice import places_linked, site_choice
from components.panels.trust_choices import days_choice, unknown_trust, zones_looked_at
from components.panels.trust_how import how_panel
from components.panels.trust_view import (
    agreement_panel,
    answer_panel,
    days_panel,
    door_link,
    doors_panel,
    hours_panel,
    sure_panel,
)
from components.panels.viewer import site_zone, viewer_formats
from components.panels.waiting import awaited, skeleton
from contract import MetricPoint, MetricsQuery, Site
from runtime import ApiClientError, read_site, read_sites, service_time
from runtime.background import begin
from runtime.occupancies import occupancy_or_none
from runtime.preferences import read_preferences
from runtime.reads import read_answers
from runtime.site_knowledge import damaged_door_checks, read_door_checks, read_notes, read_opening_hours

Key = TypeVar("Key")
_HOURS: Final = "what was counted in these weeks"


def points_of(queries: Mapping[Key, MetricsQuery], /) -> dict[Key, Sequence[MetricPoint]]:
    return awaited(begin(partial(read_answers, queries)), _HOURS).points


def show(site: Site, zones: ChosenZones, days: int) -> None:
    hours, zone, formats = opening_hours_of(site, read_opening_hours), site_zone(site), viewer_formats()
    request = trust_request(site.id, zones.subjects, timezone=zone, now=service_time(), hours=hours)
    with skeleton(420):
        points = (answers := awaited(begin(partial(read_answers, request.queries())), _HOURS)).points
    if error := answers.failures.get(whole := zones.subjects[0]):
        failure(error, "trust-hours", what="Whether the number can be trusted")
        return
    refused_note(has_refused=answers.has_refused)
    if not points[whole] and not answers.has_refused:
        nothing_stored(request, find_first_count(request, points_of), formats)
    if not points[whole] or has_shifted_hours(points[whole], zone, "the number inside cannot be checked"):
        return
    with skeleton(420):
        grid = grid_of(request, zones.by_id, points, days, run=points_of, warnings=answers.warnings)
        if grid is not None and whole in grid.hours and grid.days:
            chosen = chosen_ways(ways := ways_of(site), zones_by_trouble(grid))
            answer = trust_answer(request, grid, ways, points_of(way_queries(request, chosen)))
    if grid is None or whole not in grid.hours:
        st.info("This service does not tell its counts by the hour, so that they cannot be checked.")
        return
    if not grid.days:
        st.info("No day is counted yet from its quietest hour to the next. Come back in two days.")
        return
    revision, damaged = f"{site.id} {days} {sorted(zones.by_id)}", partial(damaged_door_checks, site.id)
    known = partial(known_within, site, hours, read_notes)
    answer_panel(site, answer, zone, formats, left_out=zones.left_out, known=known, revision=revision)
    holidays_note(hours)
    door_link(site.id, answer)
    of, sure = (site, answer, zone, formats), partial(show_sureness, site, grid, answer, known, revision)
    folded("How sure the number is today", "straighten", sure)
    doors = partial(doors_panel, *of, checks=partial(read_door_checks, site.id), damaged=damaged)
    folded("Doors, the most suspect first", "door_front", doors)
    folded("Days", "calendar_month", partial(days_panel, *of))
    folded("The last day, by zone and hour", "schedule", partial(show_hours, site, request, grid))
    folded("People inside against time inside", "balance", partial(agreement_panel, *of))
    folded("How this is told", "help", how_panel)


def show_sureness(site: Site, grid: Grid, answer: TrustAnswer, known: KnownWithin, revision: str) -> None:
    days, hours = answer.zones[0].days, grid.hours[answer.zones[0].subject]
    today = sure_hours(part, grid.starts, hours, grid.days[-1].after) if (part := error_part(days)) else ()
    sure_panel(site, days, today, grid.timezone, viewer_formats(), known=known, revision=revision)


def show_hours(site: Site, request: HistoryRequest, grid: Grid) -> None:
    with skeleton(300):
        day = last_day(grid)
        found = points_of({one: request.minutes(one, day) for one in grid.hours}) if day else {}
    hours = {
        subject: reconciled([(point.timestamp, point.metrics) for point in points], request.timezone)
        for subject, points in found.items()
    }
    hours_panel(site, day or request.range, hours, request.timezone, viewer_formats())


st.title("Trust", anchor=False)
with guarded("Whether the number can be trusted", "trust", ApiClientError):
    with loading("trust", 420):
        where, which, when = st.columns([3, 3, 2])
        one = site_choice(read_sites, read_preferences().first_site, where)
        site = read_site(one.id, places_linked()) if one else None
    if site:
        unknown_trust(site)
        top_zone_ids = known.top_zone_ids if (known := occupancy_or_none(site)) else ()
        asked, days = zones_looked_at(site, top_zone_ids, which), days_choice(when)
        show(site, chosen_zones(site, top_zone_ids, asked), days)
