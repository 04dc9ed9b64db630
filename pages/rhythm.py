"""When a place is busy in a week: each hour of each weekday, and today upon what is usual."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from analysis.first_count import find_first_count
from analysis.history_request import HistoryRequest
from analysis.opening_hours import OpeningHours
from analysis.rhythm_answer import HourOfDay, counted_weeks, hours_of_day, rhythm_request, today_request
from analysis.spoilt_days import SpoiltDays
from analysis.subject import subjects_of
from analysis.threshold_minutes import threshold_minutes
from components.panels.fixed_chart import Whose
from components.panels.history_view import archive_note, nothing_stored
from components.panels.known_of_site import known_notes
from components.panels.opening_hours_panel import holidays_note, opening_hours_of
from components.panels.page_parts import failure, folded, guarded, loading
from components.panels.rhythm_choices import (
    bounds_choice,
    metric_choice,
    unknown_rhythm,
    weekday_choice,
    weeks_choice,
)
from components.panels.rhythm_view import thresholds_panel, usual_panel, week_panel, week_table
from components.panels.shifted_hours import has_shifted_hours
from components.panels.site_choice import places_linked, site_choice, zone_choice
from components.panels.thresholds_choice import thresholds_of
from components.panels.viewer import site_zone, viewer_formats
from components.panels.waiting import awaited, skeleton
from contract import MetricKey, Site
from gauge.levels import people_of
from runtime import ApiClientError, read_site, read_sites, service_time
from runtime.background import begin
from runtime.held_days import read_held_part
from runtime.occupancies import begin_occupancy, subject_capacity
from runtime.preferences import read_preferences
from runtime.reads import read_points
from runtime.rhythm_reads import read_rhythm, rhythm_queries
from runtime.site_knowledge import read_notes, read_opening_hours


def show(site: Site, zone_id: str, metric: MetricKey, weeks: int, opening: OpeningHours | None) -> None:
    (subject,) = subjects_of(site, [zone_id] if zone_id else [], [])
    chosen = rhythm_request(site.id, subject, metric, weeks, timezone=site_zone(site), now=service_time())
    today, formats = today_request(chosen), viewer_formats()
    with skeleton(420):
        read = partial(read_held_part, chosen, rhythm_queries, "weeks")
        chosen, answers, held_from = awaited(begin(read), "the hours of these weeks")
    archive_note(held_from, chosen.timezone, formats)
    for name, error in answers.failures.items():
        failure(error, f"rhythm-{name}", what="The rhythm" if name == "weeks" else "Today")
    if (own := answers.points.get("weeks")) is None:
        return
    if not own:
        nothing_stored(
            chosen, find_first_count(chosen, read_points), formats,
            if_later="Each day joins its rhythm when it is over.", otherwise="Choose more weeks.",
        )  # fmt: skip
        return
    if has_shifted_hours(own, chosen.timezone, "no rhythm can be told"):
        return
    bounds = bounds_choice(opening, chosen.timezone)
    with skeleton(420):
        request = counted_weeks(chosen, own, read_points)
        tell = partial(read_rhythm, request, chosen, own, metric, bounds=bounds)
        answer = awaited(begin(tell), "how many of their minutes are counted")
    if answer is None:
        st.info("This service does not tell hours of past weeks, so no rhythm can be told.")
        return
    revision, whose = f"{site.id} {zone_id} {metric} {weeks} {bounds and bounds[1]}", Whose(site, subject)
    week_panel(whose, answer, metric, formats, chosen=chosen.range, opening=opening, revision=revision)
    st.header("A usual day", anchor=False)
    weekday = weekday_choice((now := request.asked_at.astimezone(request.timezone)).weekday())
    day: Sequence[HourOfDay] = ()
    if today and (is_today := weekday == now.weekday()) and (told := answers.known.get("today")):
        day = hours_of_day(today, {subject: told.points}, metric, run=read_points, bounds=bounds, week=answer)
    noted = tuple(known_notes(site.id, today.range, read_notes).values()) if today and is_today else ()
    usual_panel(whose, answer, metric, weekday, day, opening=opening, noted=noted, now=now, revision=revision)
    folded("Minutes above the thresholds", "timer", partial(show_thresholds, site, request, answer.spoilt))
    week_table(answer.week, metric, formats)


def show_thresholds(site: Site, request: HistoryRequest, spoilt: SpoiltDays | None) -> None:
    retry_key = f"thresholds-{site.id}"
    try:
        capacity = subject_capacity(site, request.subjects[0])
    except ApiClientError as error:
        failure(error, retry_key, what="The capacity")
        return
    thresholds = thresholds_of(read_preferences().thresholds, site.id)
    with loading(retry_key, 300):
        people = people_of(thresholds, capacity or 0)
        read = partial(threshold_minutes, request, people, run=read_points, spoilt=spoilt)
        found = awaited(begin(read), "the minutes of the fullest days") if capacity else None
    whose = Whose(site, request.subjects[0])
    thresholds_panel(
        whose, request.range, found, thresholds, capacity, timezone=request.timezone, retry_key=retry_key
    )


st.title("Rhythm", anchor=False)
with guarded("The rhythm", "rhythm", ApiClientError):
    with loading("rhythm", 420):
        where, which, what, when = st.columns([3, 3, 2, 2])
        chosen = site_choice(read_sites, read_preferences().first_site, where)
        site = read_site(chosen.id, places_linked()) if chosen else None
    if site:
        unknown_rhythm()
        known = awaited(begin_occupancy(site), "how many people are inside")
        zone_id = zone_choice(site, known.top_zone_ids if known else (), which)
        metric, weeks = metric_choice(what), weeks_choice(when)
        if zone_id is not None:
            show(site, zone_id, metric, weeks, opening := opening_hours_of(site, read_opening_hours))
            holidays_note(opening)
