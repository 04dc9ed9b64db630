"""Which door brings people; and a door is checked: somebody counts by hand what its counter counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Final

import streamlit as st

from analysis.door_blame import Way
from analysis.door_check import (
    DoorCheck,
    check_query,
    door_check,
    newest_first,
)
from analysis.rhythm_answer import rhythm_request
from analysis.subject import whole_site
from components.panels.door_check_panel import (
    check_panel,
    checks_panel,
    door_choice,
    how_panel,
    nobody_there_panel,
)
from components.panels.door_tapping import Handed, handed_over, is_kept, tapping
from components.panels.doors_panel import door_answer_panel
from components.panels.page_parts import ask_again, folded, guarded, loading
from components.panels.permission import may_change_or_say
from components.panels.site_choice import places_linked, site_choice
from components.panels.viewer import site_zone, viewer_formats
from components.panels.waiting import awaited
from components.plain_text import plain
from components.sentences.check_words import waiting_words
from contract import MetricKey, MetricPoint, MetricsQuery, Site
from runtime import ApiClientError, read_site, read_sites, service_time
from runtime.background import begin
from runtime.preferences import read_preferences
from runtime.reads import read_answers, read_metrics_anew
from runtime.site_knowledge import (
    damaged_door_checks,
    forget_door_check,
    keep_door_check,
    read_door_checks,
)
from runtime.site_knowledge_store import SiteKnowledgeError

_LOOK: Final = timedelta(seconds=20)


def compare(site: Site, way: Way, handed: Handed) -> None:
    query = check_query(site.id, way, handed.minutes)
    answer = awaited(begin(partial(read_metrics_anew, query)), "what it counted in these minutes")
    check = door_check(way, handed.minutes, answer.points)
    if again := check.look_again(service_time()):
        st.info(
            plain(waiting_words(check, again, site_zone(site), viewer_formats())),
            icon=":material/hourglass_top:",
        )
        ask_again("door-check", _LOOK)
        return
    try:
        keep_door_check(site.id, handed.id, check)
    except SiteKnowledgeError as error:
        st.warning(plain(f"This check is not kept: {error}"), icon=":material/warning:")
        check_panel(check, site, viewer_formats())
        return
    is_kept(handed)
    st.rerun()


def read_some(queries: Mapping[str, MetricsQuery]) -> Mapping[str, Sequence[MetricPoint]]:
    """Raises ApiClientError where none can be read."""
    answers = read_answers(queries)
    if answers.failures and not answers.known:
        raise next(iter(answers.failures.values()))
    return answers.points


def show(site: Site, way: Way) -> None:
    own: dict[str, DoorCheck] = {}
    damaged: list[str] = []
    with guarded("What is kept of this door", "checks", SiteKnowledgeError):
        own = newest_first(read_door_checks(site.id), way.passage_id)
        damaged = damaged_door_checks(site.id)
    answer = st.container(key="door-answer")
    nobody_there_panel(site)
    if may_change_or_say(site.id):
        tapping(site, way, list(own), service_time)
    waiting = st.container()
    if handed := handed_over(site, way):
        with guarded("The comparison", "comparison", ApiClientError):
            compare(site, way, handed)
    if own:
        st.header("The last check", anchor=False)
        check_panel(next(iter(own.values())), site, viewer_formats())
    forget = partial(forget_door_check, site.id)
    checks_panel(own, site, way, viewer_formats(), damaged=damaged, forget=forget)
    folded("How to check a door", "help", how_panel)
    # Last: whoever stands at the door does not wait for it, and no button moves below a finger meanwhile.
    with answer, guarded("Which door brings people", "door-answer", ApiClientError):
        entrances, now = MetricKey.ENTRANCES, service_time()
        week = rhythm_request(site.id, whole_site(site), entrances, 1, timezone=site_zone(site), now=now)
        door_answer_panel(site, week, read_some, waiting)


st.title("Doors", anchor=False)
with guarded("The list of doors", "doors", ApiClientError):
    with loading("doors", 300):
        where, which = st.columns(2)
        chosen_site = site_choice(read_sites, read_preferences().first_site, where)
        site = read_site(chosen_site.id, places_linked()) if chosen_site else None
    if site and (door := door_choice(site, which)):
        show(site, door)
