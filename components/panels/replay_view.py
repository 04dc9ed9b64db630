"""A recorded day of a site: the sentences before it, and the replay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import streamlit as st

from analysis.known_of_day import KnownOfDay
from analysis.names import LONGEST_NAME, LONGEST_TEXT, one_line
from analysis.recorded_day import RecordedDay
from analysis.zone_graph import ZoneGraph
from components.live_replay import live_replay
from components.live_site import Ground, ZoneItem
from components.panels.gauge_items import hero, site_zones
from components.panels.replay_choices import begin_at, speed_in_link
from components.panels.viewer import viewer_formats
from components.plain_text import plain, plain_name, plain_sentences
from components.sentences.replay_words import day_words, replay_notes, replay_sentence
from contract import Site
from gauge.levels import Thresholds

_ALONE: Final = "Its zones are too many to be drawn, so the whole site is replayed alone."
_FOLDED: Final = "Each card stands for a category: its number is the sum of its zones."


def replay_panel(
    site: Site,
    graph: ZoneGraph,
    recorded: RecordedDay,
    known: KnownOfDay,
    feeds: Mapping[str, str],
    *,
    main: str,
    capacity: float | None,
    crossings: str,
    failures: Mapping[str, str],
    unread: str,
    thresholds: Thresholds,
    ground: Ground,
) -> None:
    """`feeds` are names by zone id, of the zones that were read; `main` is that of the whole site; `unread`
    is why no passage was read.
    """
    formats, place = viewer_formats(), recorded.places[main]
    st.markdown(f"**{plain(replay_sentence(recorded, place, capacity, formats))}**")
    notes = plain_sentences(replay_notes(recorded, place, formats))
    kind = plain_name(site.category, LONGEST_TEXT) if site.category else ""
    # Of the demo a whole sentence, else hardly a word, which ends no sentence.
    apart = " " if kind.endswith(".") else " · "
    st.caption(f"{kind}{apart}{notes}" if kind else notes)
    whole = replace(
        hero(site, None, feed=main, capacity=capacity),
        title=one_line(site.name or site.id, LONGEST_NAME),
        compares=False,
        tells_today=False,
    )
    read = site.model_copy(update={"zones": [zone for zone in site.zones if zone.id in feeds]})
    zones: list[ZoneItem] = [replace(zone, href=None) for zone in site_zones(read, feeds)] if feeds else []
    live_replay(
        whole,
        zones,
        graph._replace(note=_note(site, graph)),
        recorded,
        known,
        crossings=crossings,
        failures=failures,
        unread=unread,
        at=begin_at(recorded, place),
        speed=speed_in_link(),
        day=day_words(recorded.day),
        thresholds=thresholds,
        locale=st.context.locale,
        key=f"replay-{site.id}-{recorded.day}",
        ground=ground,
    )


def _note(site: Site, graph: ZoneGraph) -> str:
    """Why not all is drawn, without what another page has besides."""
    if graph.folds:
        return _FOLDED
    return _ALONE if site.zones and not graph.drawings else graph.note
