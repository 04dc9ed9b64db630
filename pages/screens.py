"""Screens on a wall: composed here, opened anywhere by their links."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import streamlit as st

from components.panels import screen_preview
from components.panels.page_parts import by_itself, guarded
from components.panels.permission import may_change
from components.panels.screen_actions import attempt, do, notice_panel, save, unheard_told
from components.panels.screen_draft import CHOSEN, NEW, is_kept, kept_draft, open_editor
from components.panels.screen_editor import Decision, screen_editor
from components.panels.screen_link import have_died, link_panel, made_screens
from components.panels.screen_list import (
    Known,
    compose_panel,
    no_screen_panel,
    saved_by_others_panel,
    screens_panel,
)
from components.panels.screen_state import Seen
from components.panels.url_choice import url_choice
from runtime import (
    ApiClientError,
    ScreenStoreError,
    get_previews,
    get_screens,
    get_viewers,
    has_screens,
    known_sites,
    lacks_capacity,
    read_occupancy,
    read_preferences,
    read_site,
    read_sites,
    troubles_now,
    zones_of,
)
from screens.definition import Composition, Screen

EVERY = timedelta(seconds=10)


@by_itself(EVERY)
def show_list() -> None:
    """Reads anew by itself: viewers come and go."""
    with guarded("The list of screens", "screens", ScreenStoreError, every=EVERY), unheard_told():
        screens, viewers = get_screens().screens(), get_viewers()
        if have_died(screens):
            st.rerun()  # they stand above this list
        sites = known_sites()
        if compose_panel(is_possible=sites.are_reported):
            open_editor(NEW)
            st.rerun()
        if undo := notice_panel():
            attempt(undo, ScreenStoreError)
        seen = Seen(viewers.of, viewers.last_seen, get_screens().opened())
        known = Known(sites.names, seen, troubles_now, get_previews().ticket)
        if asked := screens_panel(screens, known):
            attempt(partial(do, asked, get_screens()), ScreenStoreError)


def show_gallery() -> None:
    """Of the site that the reader looks at; what is pressed begins a screen."""
    with guarded("The gallery", "gallery", ApiClientError):
        names, kept = {site.id: site.name for site in read_sites()}, read_preferences()
        if chosen := url_choice("Pictures of", names, "site", lead=kept.first_site or ""):
            site = read_site(chosen)
            shown = screen_preview.shown_site(site, read_occupancy(site), kept.thresholds.get(chosen))
            screen_preview.gallery_panel(shown, len(names), get_previews().draft_ticket)


@by_itself(EVERY)
def show_saved(screen_id: str, begun: Composition | None) -> None:
    """Above the editor that began so: reads anew by itself, as others replace and revoke links, and save."""
    with guarded("The saved screen", "saved-screen", ScreenStoreError, every=EVERY):
        if isinstance(screen := get_screens().by_id(screen_id), Screen):
            saved_by_others_panel(screen, begun)
            link_panel(screen)


def show_editor(screen: Screen | None) -> None:
    """None: a new one."""
    sites = {site.id: site.name for site in read_sites()}
    draft = kept_draft(screen, sites, read_preferences())
    if screen:
        show_saved(screen.id, draft.begun)
    above = st.container()
    decision = screen_editor(draft, sites, zones_of, lacks_capacity, is_new=screen is None)
    with above:
        is_saved = screen is None or draft.composed() == screen.composition
        preview = draft.composed(name="Preview")
        screen_preview.draft_preview(preview, get_previews().draft_ticket, is_saved=is_saved)
    if decision is Decision.LEAVE:
        open_editor(None)
        st.rerun()
    if decision is Decision.SAVE:
        save(screen.id if screen else None, draft.composed(), get_screens(), ScreenStoreError)


st.title("Screens", anchor=False)
with guarded("The screen", "screen", ApiClientError), guarded("The screens", "store", ScreenStoreError):
    chosen = st.query_params.get(CHOSEN)
    edited = get_screens().by_id(chosen) if chosen and chosen != NEW else None
    if (isinstance(edited, Screen) or chosen == NEW) and may_change():
        show_editor(edited if isinstance(edited, Screen) else None)
    else:
        if chosen and chosen != NEW and edited is None:
            no_screen_panel(chosen, was_edited=is_kept(chosen))
        for made in made_screens():
            if isinstance(screen := get_screens().by_id(made), Screen):
                link_panel(screen)
                screen_preview.preview_panel(screen, get_previews().ticket(screen.id))
        if gallery := screen_preview.gallery_container(is_folded=has_screens()):
            with gallery:
                show_gallery()
        show_list()
