"""What the rest of today will probably be like, by the hour, and how wrong such an answer was lately."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from typing import Final

import streamlit as st

from analysis.ahead_answer import Ahead, ahead_request, all_of_today, spoilt_count
from analysis.drift import Drift
from analysis.first_count import find_first_count
from analysis.history_request import HistoryRequest
from analysis.opening_hours import OpeningHours
from analysis.subject import subjects_of
from components.panels.ahead_choices import metric_ahead_choice, ratio_choice, unknown_ahead
from components.panels.ahead_view import Limits, ahead_hours, ahead_panel, limits_of
from components.panels.history_view import archive_note, nothing_stored
from components.panels.known_of_site import known_notes
from components.panels.opening_hours_panel import opening_hours_of
from components.panels.page_parts import ask_again, failure, folded, guarded, loading
from components.panels.shifted_hours import has_shifted_hours
from components.panels.site_choice import places_linked, site_choice, zone_choice
from components.panels.thresholds_choice import thresholds_of
from components.panels.viewer import site_zone, viewer_formats
from components.panels.waiting import awaited, skeleton
from contract import MetricKey, MetricPoint, Site
from runtime import ApiClientError, read_site, read_sites, service_time
from runtime.ahead_answers import ahead_queries, read_ahead
from runtime.background import begin
from runtime.held_days import read_held_part
from runtime.occupancies import begin_occupancy, subject_capacity
from runtime.preferences import read_preferences
from runtime.reads import read_points
from runtime.site_knowledge import read_notes, read_opening_hours

Minutes = Sequence[MetricPoint]
_AGE: Final = timedelta(minutes=5)
"""After which what an open page tells of the rest of today is told anew."""


def show(site: Site, zone_id: str, metric: MetricKey, ratio: int | None) -> None:
    (subject,) = subjects_of(site, [zone_id] if zone_id else [], [])
    request = ahead_request(site.id, subject, metric, timezone=site_zone(site), now=service_time())
    opening = opening_hours_of(site, read_opening_hours)
    with skeleton(420):
        reading = begin(partial(read_held_part, request, ahead_queries, "hours"))
        request, answers, held_from = awaited(reading, "the hours of the past weeks")
        known = answers.points
        # Without today's minutes nobody knows whether its number inside means anything.
        needed = ("hours", "minutes", "evening") if metric is MetricKey.VISITORS_INSIDE else ("hours",)
        if error := next((answers.failures[name] for name in needed if name in answers.failures), None):
            failure(error, "ahead-hours", what="The rest of today")
            return
        if error := answers.failures.get("minutes") or answers.failures.get("evening"):
            failure(error, "ahead-minutes", what="The present pace")
        if not known["hours"]:
            nothing_stored(request, find_first_count(request, read_points), viewer_formats())
            return
        if has_shifted_hours(known["hours"], request.timezone, "nothing can be told of today"):
            return
        minutes = () if error else known.get("minutes", ())
        spoilt = spoilt_count(known.get("evening", ()), minutes)
        read = partial(read_ahead, request, known["hours"], minutes, spoilt, opening)
        found = awaited(begin(read), "the minutes of past days")
    if found is None:
        st.info(
            "This service does not tell hours of past weeks, so nothing can be told of the rest of today."
        )
        return
    archive_note(held_from, request.timezone, viewer_formats())
    draw(site, request, found, minutes=minutes, spoilt=spoilt, ratio=ratio, opening=opening)
    ask_again("ahead-again", _AGE)


def draw(
    site: Site, request: HistoryRequest, found: Ahead, *, minutes: Minutes, spoilt: Drift | None,
    ratio: int | None, opening: OpeningHours | None,
) -> None:  # fmt: skip
    formats, limits = viewer_formats(), Limits({}, None)
    with guarded("The capacity", "ahead-capacity", ApiClientError):
        thresholds = thresholds_of(read_preferences().thresholds, site.id)
        limits = limits_of(thresholds, subject_capacity(site, request.subjects[0]), formats)
    noted = tuple(known_notes(site.id, all_of_today(request), read_notes).values())
    ahead_panel(
        site, request, found, limits, ratio,
        minutes=minutes, spoilt=spoilt, opening=opening, noted=noted, formats=formats,
    )  # fmt: skip
    if any(band.high for _, band in found.known):
        folded("Table", "table", partial(ahead_hours, request, found, ratio, formats))


st.title("Ahead", anchor=False)
with guarded("The rest of today", "ahead", ApiClientError):
    with loading("ahead", 420):
        where, which, what, how_many = st.columns([3, 3, 2, 2])
        chosen = site_choice(read_sites, read_preferences().first_site, where)
        site = read_site(chosen.id, places_linked()) if chosen else None
    if site:
        unknown_ahead()
        known = awaited(begin_occupancy(site), "how many people are inside")
        zone_id = zone_choice(site, known.top_zone_ids if known else (), which)
        metric, ratio = metric_ahead_choice(what), ratio_choice(how_many)
        if zone_id is not None:
            show(site, zone_id, metric, ratio)
