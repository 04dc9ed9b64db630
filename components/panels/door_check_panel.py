"""Doors: what a check by hand came to, and the checks that are kept of a door."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Final

import streamlit as st

from analysis.door_blame import Way
from analysis.door_check import DoorCheck, ways_to_check
from analysis.names import LONGEST_HINT, LONGEST_NAME, one_line
from analysis.subject import whole_site
from analysis.trust_request import ways_of
from components.number_format import Formats
from components.panels.data_files import Files, data_buttons
from components.panels.data_table import timed_table
from components.panels.page_parts import folded
from components.panels.permission import may_change
from components.panels.unknown_in_link import is_unclear, place_not_there
from components.panels.url_choice import url_choice
from components.panels.viewer import site_zone
from components.plain_text import plain
from components.sentences.blame_words import between
from components.sentences.check_words import (
    check_words,
    damaged_words,
    minutes_words,
    nobody_there_words,
)
from components.tables.check_table import BEGAN, check_file, check_table
from components.tables.downloads import COMPLETENESS, OF, ROWS, TIME_ZONE, UNITS, site_slug
from contract import Site

Forget = Callable[[str], None]
"""The check of that name. Raises RuntimeError with a sentence for people."""

_HOW: Final = """
Stand where you see the door, press Start, and tap In or Out for each person who crosses; two at once are two
taps. Staff count, too: the counter sees them. Ten minutes, or forty people each way, tell enough for most
doors. Every tap is kept in the browser until the check is kept here: a locked screen, a reload or a lost
connection loses none.

Counters tell whole minutes. So the minutes in which you began and stopped are left out, and those of which
the counter tells nothing are left out on both sides. The clock of what you tap on may be wrong: it is held
against that of the service.

The range is Wilson's, and holds the true share in 95 of 100 checks, if the hand is right. Where the counter
tells more than passed, it is the range of the share of its counts that were people, turned round. One whom it
misses and another whom it counts twice make up for each other, and neither is seen.
"""


def door_choice(site: Site, container: AbstractContextManager[object]) -> Way | None:
    """The chosen door or passage; None where there is none or the link names one that is not there, which is
    said. `container` is where it is chosen.
    """
    ways = {way.passage_id: way for way in ways_to_check(site, ways_of(site))}
    if not ways:
        st.info("This site lists no door or passage that leads into one of its zones.")
        return None
    names = {zone.id: zone.name or zone.id for zone in site.zones}
    labels = {id_: f"{way.label} ({between(way, names)})" for id_, way in ways.items()}
    with container:
        chosen = url_choice("Door", labels, "door", is_needed=True)
    if is_unclear("door", labels):
        name = one_line(site.name or site.id, LONGEST_NAME)
        place_not_there("door", "door", labels, f"{name} does not have. It may have been removed.")
    return ways.get(chosen or "")


def nobody_there_panel(site: Site) -> None:
    """That nobody can stand at a door of this site, where it is a replay or simulated."""
    if said := nobody_there_words(site):
        st.info(plain(said), icon=":material/replay:")


def check_panel(check: DoorCheck, site: Site, formats: Formats) -> None:
    """How well the counter counted, a sentence each way, and in which minutes."""
    for sentence in check_words(check, formats):
        st.markdown(plain(sentence))
    st.caption(plain(minutes_words(check, site_zone(site), formats)))


def checks_panel(
    checks: Mapping[str, DoorCheck],
    site: Site,
    way: Way,
    formats: Formats,
    *,
    damaged: Sequence[str],
    forget: Forget,
) -> None:
    """All that are kept of a door, newest first, as a table and a file; and where one is deleted.

    `damaged` are the names of those of the site that cannot be read.
    """
    st.header("Checks of this door", anchor=False)
    if damaged:
        _damaged_panel(damaged, formats, forget=forget, is_theirs=may_change(site.id))
    if not checks:
        st.markdown("No check of this door can be read." if damaged else "Nobody has checked this door yet.")
        return
    zone = site_zone(site)
    table = check_table(list(checks.values()), zone, formats)
    timed_table(table, "checks", {}, [BEGAN], lambda moment: formats.dated(moment.to_pydatetime()))
    of, all_ = f"{whole_site(site).label}: checks by hand of {way.label}", list(checks.values())
    about = {
        OF: one_line(of, LONGEST_HINT), TIME_ZONE: zone.key,
        ROWS: "A row is a check, named by when it began.", UNITS: "people; shares in percent",
        COMPLETENESS: "The minutes are those that both the hand and the counter told.",
    }  # fmt: skip
    stem = f"{site_slug(site)}_checks-of-a-door"
    data_buttons(Files(partial(check_file, all_, zone), about, stem), "checks")
    if may_change(site.id):
        draw = partial(_deletion, checks, site, way, formats, forget=forget)
        folded("Delete a check", "delete", draw)


def _damaged_panel(names: Sequence[str], formats: Formats, *, forget: Forget, is_theirs: bool) -> None:
    st.warning(plain(damaged_words(len(names), formats)), icon=":material/warning:")
    if is_theirs:
        folded("Delete what is damaged", "delete_forever", partial(_damaged_deletion, names, forget=forget))


def _damaged_deletion(names: Sequence[str], *, forget: Forget) -> None:
    st.caption(
        "Until then it is in `site-knowledge.sqlite`, where it may be mended. Checks that can be read stay."
    )
    if st.button("Delete it now", key="delete-damaged-checks", icon=":material/delete_forever:"):
        _forgotten(names, forget)


def _forgotten(names: Sequence[str], forget: Forget) -> None:
    try:
        for name in names:
            forget(name)
    except RuntimeError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    st.rerun()


def _deletion(
    checks: Mapping[str, DoorCheck], site: Site, way: Way, formats: Formats, *, forget: Forget
) -> None:
    zone = site_zone(site)
    labels = {name: formats.dated(check.start.astimezone(zone)) for name, check in checks.items()}
    chosen = st.selectbox(
        "Check", list(labels), format_func=labels.__getitem__, key=f"delete-check-of-{way.passage_id}"
    )
    if st.button("Delete this check", key="delete-check", icon=":material/delete:") and chosen:
        _forgotten([chosen], forget)


def how_panel() -> None:
    st.markdown(_HOW)
