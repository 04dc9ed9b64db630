"""Which site, and which zone of it, a page is about: the URL parameters `site` and `zone`; which opens first.

A page shows nothing of another place than the link names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Final

import streamlit as st

from analysis.names import LONGEST_NAME, one_line
from components.panels.page_parts import ask_again
from components.panels.permission import may_change, whom_to_ask_for_a_site
from components.panels.thresholds_choice import THRESHOLDS_PARAMETER
from components.panels.unknown_in_link import asked_in_link, is_unclear, place_not_there
from components.panels.url_choice import url_choice
from components.panels.viewer import of_site
from components.plain_text import plain
from contract import Site, SiteSummary

WHOLE_SITE: Final = ""
_LOOKS_AGAIN: Final = timedelta(seconds=30)
"""Where there is no site; a list of none is remembered for as long."""
_PLACES: Final = ("zone", "passage", "door")
_OF_ONE_SITE: Final = (*_PLACES, "drawing", THRESHOLDS_PARAMETER)

_WIDGET: Final = "open-first"

ReadSites = Callable[[Collection[str]], Sequence[SiteSummary]]
"""Gives the sites there are; a list of before does not do where it lacks one of these ids. Raises
ApiClientError.
"""

KeepFirst = Callable[[str | None], None]
"""Keeps the id of the site that opens first; None: keep none."""


def site_choice(
    read_sites: ReadSites, first: str | None, container: AbstractContextManager[object]
) -> SiteSummary | None:
    """The chosen site; None when there is none to choose or to show, and then the page says why.

    `first` is the id of the site that opens where none is named; `container` is where it is chosen.
    """
    sites = read_sites(asked_in_link("site"))
    names = {site.id: site.name for site in sites}
    if not names:
        no_sites_panel()
        return None
    with container:
        chosen = url_choice("Site", names, "site", lead=first or "", is_needed=True, governs=_OF_ONE_SITE)
    if is_unclear("site", names):
        reason = "this key cannot read. It may have been removed, or the key may have changed."
        place_not_there("site", "site", names, reason)
    found = next((site for site in sites if site.id == chosen), None)
    if found:
        of_site(found)
    return found


def places_linked() -> list[str]:
    """Ids of zones and doors that the link names: a site as it was before does not do where it lacks one."""
    return [one for parameter in _PLACES for one in asked_in_link(parameter)]


def no_sites_panel() -> None:
    """Say that there is no site, in the place of what a page shows of one, and look again by itself: a
    service that just begins may tell of none.
    """
    if whom := whom_to_ask_for_a_site():
        st.info(plain(whom), icon=":material/lock:")
    else:
        st.info("There is no site to show: none is set up yet, all are archived, or you may see none here.")
        st.page_link("pages/setup.py", label="Set up a site", icon=":material/construction:")
    ask_again("no-sites", _LOOKS_AGAIN)


def zone_choice(
    site: Site, top_zone_ids: Collection[str], container: AbstractContextManager[object]
) -> str | None:
    """Id of the chosen zone, or WHOLE_SITE; None where the link names one that is not there, which is said.

    `container` is where it is chosen. A zone that alone stands for the whole site is offered only where the
    link names it: it is the same twice.
    """
    asked = asked_in_link("zone")
    same = set(top_zone_ids) if len(top_zone_ids) == 1 else set()
    zones = {zone.id: zone.name for zone in site.zones if zone.id not in same or zone.id in asked}
    options = {WHOLE_SITE: "Whole site"} | zones
    with container:
        chosen = url_choice("Zone", options, "zone", lead=WHOLE_SITE, is_needed=True)
    if is_unclear("zone", options):
        name = one_line(site.name or site.id, LONGEST_NAME)
        place_not_there("zone", "zone", options, f"{name} does not have. It may have been removed.")
    return chosen


def first_site_panel(site: SiteSummary, first: str | None, known: set[str], keep: KeepFirst) -> None:
    """Whether `site` opens first; nothing where it is the only one. `known` are the ids of all sites."""
    if len(known) <= 1 and (first is None or first in known):
        return
    st.session_state[_WIDGET] = site.id == first
    st.checkbox(
        "Open this site first, on every browser" if may_change() else "Open this site first, in this tab",
        key=_WIDGET,
        on_change=_follow,
        args=(site.id, keep),
    )
    if first is not None and first not in known:
        gone = one_line(first, LONGEST_NAME)
        st.caption(plain(f"The site that is to open first, “{gone}”, is not among those this key can read."))


def _follow(site_id: str, keep: KeepFirst) -> None:
    keep(site_id if st.session_state[_WIDGET] else None)
