"""Counters: which the service heard of, at which passages they count, and whether they do."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from typing import Final

import streamlit as st

from analysis.counters import where_hung
from components.panels.administration import attempt, done_panel, refused_panel, say_done
from components.panels.counter_watch_panel import watch_button, watch_panel
from components.panels.counters_panel import (
    Asked,
    Places,
    change_panel,
    done_words,
    hung_panel,
    look_at,
    none_heard_panel,
    placed_choice,
    table_panel,
    unplaced_panel,
)
from components.panels.dismissal_panel import Unwanted, dismissal_panel, ignored_panel, unwanted_words
from components.panels.mapping_panel import MappingActions, mapping_panel
from components.panels.page_parts import ask_again, guarded
from components.panels.read_anew import read_anew
from components.panels.viewer import viewer_formats, viewer_or_utc
from contract import MetricPoint, MetricsQuery
from contract.administration import Sensor
from runtime import ApiClientError, get_upstream, read_site, service_time
from runtime.administration import (
    NotAdministrableError,
    Permission,
    administrator,
    may_administer,
    read_counters,
    sites_with,
)
from runtime.background import waits
from runtime.mappings import keep_mapping, read_mappings, remove_mapping, try_mapping
from runtime.reads import read_metrics_anew

MAPPINGS: Final = MappingActions(read_mappings, try_mapping, keep_mapping, remove_mapping)
EVERY: Final = timedelta(seconds=15)


@waits("who passed in these minutes")
def points_anew(query: MetricsQuery) -> Sequence[MetricPoint]:
    return read_metrics_anew(query).points


def do(asked: Asked, permission: Permission) -> None:
    outcomes = administrator().place(asked.sensor.number, asked.placed, person=permission.person)
    look_at(asked.sensor)
    say_done("counters", done_words(asked, outcomes, viewer_formats()))


def dismiss(asked: Unwanted, permission: Permission) -> None:
    number = administrator().dismiss(asked.numbers, is_ignored=asked.is_ignored, person=permission.person)
    say_done("counters", unwanted_words(asked, number, viewer_formats()))


def change(sensors: Sequence[Sensor], places: Places) -> Asked | None:
    """What is asked of the counter that is looked at, of those that are placed."""
    chosen = placed_choice(sensors)
    if chosen is None:
        return None
    hung = where_hung(chosen, sites_with([chosen]))
    if hung:
        hung_panel(chosen, hung, viewer_formats())
    with st.container(horizontal=True):
        asked = change_panel(chosen, places)
        if hung:
            watch_button(chosen, service_time)
    if hung:
        watch_panel(chosen, hung, read=points_anew, failing=ApiClientError)
    return asked


def show(permission: Permission) -> None:
    sensors, names, sites = read_anew(
        read_counters, "counters", 300, what="The list of counters", failing=ApiClientError, every=EVERY
    )
    formats, zone, places = viewer_formats(), viewer_or_utc(), Places(names, read_site)
    done_panel("counters")
    if not sensors:
        none_heard_panel(get_upstream().base_url)
        return
    above = st.container()
    asked = unplaced_panel(sensors, places, zone, formats)
    with st.container(horizontal=True):
        unwanted = dismissal_panel(sensors, formats) or ignored_panel(sensors, zone, formats)
    table_panel(sensors, sites, names, zone, formats)
    changed = change(sensors, places)
    asked = asked or changed
    with above:
        if asked:
            attempt(partial(do, asked, permission), ApiClientError, reads_anew=True)
        elif unwanted:
            attempt(partial(dismiss, unwanted, permission), ApiClientError, reads_anew=True)


st.title("Counters", anchor=False)
granted = may_administer()
if granted.refusal:
    refused_panel(granted.refusal)
else:
    with guarded("The list of counters", "administration", NotAdministrableError, every=EVERY):
        with guarded("The list of counters", "counters", ApiClientError, every=EVERY):
            show(granted)
        mapping_panel(MAPPINGS, get_upstream().base_url, ApiClientError)
    # A counter that reports for the first time is to be placed at once.
    ask_again("counters-anew", EVERY)
