"""Screens on a wall: composed here, opened anywhere by their links."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

import streamlit as st

from components.panels.failure import guarded
from components.panels.screen_draft import forget_draft, is_kept, kept_draft
from components.panels.screen_editor import Decision, screen_editor
from components.panels.screen_link import keep_link, new_link_panel, preview_panel
from components.panels.screen_list import Deed, left_out_panel, no_screen_panel, screen_panel
from components.plain_text import plain
from runtime import (
    ApiClientError,
    ScreenStoreError,
    get_previews,
    get_screens,
    get_viewers,
    read_site,
    read_sites,
)
from screens.definition import Composition, Screen

CHOSEN = "screen"
"""URL parameter: the id of the screen that is edited, or NEW."""
NEW = "new"


def known_sites() -> Mapping[str, str]:
    """Id -> name; empty while the service cannot be asked."""
    try:
        return {site.id: site.name for site in read_sites()}
    except ApiClientError:
        return {}


def zones_of(site_id: str) -> Mapping[str, str]:
    return {zone.id: zone.name for zone in read_site(site_id).zones}


def open_editor(chosen: str | None) -> None:
    """None: back to the list."""
    forget_draft()
    st.query_params.pop(CHOSEN, None)
    if chosen is not None:
        st.query_params[CHOSEN] = chosen


@st.fragment(run_every=timedelta(seconds=10))
def show_list() -> None:
    """Reads anew by itself: viewers come and go."""
    with guarded("The list of screens", "screens", ScreenStoreError):
        screens = get_screens().screens()
        if st.button("Compose a screen", type="primary", icon=":material/add:"):
            open_editor(NEW)
            st.rerun()
        if not screens:
            st.info("No screen is saved yet. Compose one, and open its link on the device on the wall.")
        sites = known_sites()
        for screen in screens:
            if asked := screen_panel(screen, sites, get_viewers().of):
                do(*asked)
                st.rerun()
        st.caption("Viewers are those of this dashboard process; each process beside it knows its own.")


def do(deed: Deed, screen_id: str) -> None:
    match deed:
        case Deed.EDIT:
            open_editor(screen_id)
        case Deed.ROTATE:
            keep_link(*get_screens().rotate(screen_id))
        case Deed.REVOKE:
            get_screens().revoke(screen_id)
        case Deed.DELETE:
            get_screens().delete(screen_id)


def show_editor(screen: Screen | None) -> None:
    """None: a new one."""
    sites = {site.id: site.name for site in read_sites()}
    draft = kept_draft(screen, next(iter(sites), None))
    if screen:
        left_out_panel(screen)
        new_link_panel(screen)
    decision = screen_editor(draft, sites, zones_of, is_new=screen is None)
    if decision is Decision.LEAVE:
        open_editor(None)
        st.rerun()
    if decision is Decision.SAVE:
        save(screen, draft.composed())
    if screen:
        preview_panel(screen, get_previews().ticket(screen.id), draft.composed())


def save(screen: Screen | None, composed: Composition | tuple[str, ...]) -> None:
    if isinstance(composed, tuple):
        st.error("  \n".join(plain(problem) for problem in composed))
        return
    if screen:
        get_screens().replace(screen.id, composed)
    open_editor(screen.id if screen else keep_link(*get_screens().create(composed)))
    st.toast("Saved.", icon=":material/check:")
    st.rerun()


st.title("Screens")
with guarded("The screen", "screen", ApiClientError), guarded("The screens", "store", ScreenStoreError):
    chosen = st.query_params.get(CHOSEN)
    edited = get_screens().by_id(chosen) if chosen else None
    if isinstance(edited, Screen) or chosen == NEW:
        show_editor(edited if isinstance(edited, Screen) else None)
    else:
        if chosen and edited is None:
            no_screen_panel(was_edited=is_kept(chosen))
            open_editor(None)
        show_list()
