"""Set-up: the organization, its sites, their zones and passages."""

from __future__ import annotations

from functools import partial
from typing import Final

import streamlit as st

from components.panels.administration import attempt, done_panel, refused_panel, say_done
from components.panels.page_parts import guarded
from components.panels.read_anew import read_anew
from components.panels.sent_draft import look_what_came, say_stored
from components.panels.set_up_panel import (
    NEW,
    Stored,
    begin_panel,
    demo_panel,
    file_panel,
    next_steps_panel,
    organization_panel,
    site_to_set_up,
    store_panel,
    was_sent,
    welcome_panel,
)
from components.panels.site_drafts import NEW_SITE, SiteDraft, begin_draft, kept_draft
from components.panels.site_editor import site_editor
from components.sentences.set_up_words import stored_words
from runtime import ApiClientError, get_upstream
from runtime.administration import (
    NotAdministrableError,
    Permission,
    administrator,
    may_administer,
    read_set_up,
)
from runtime.background import waited
from runtime.demo import has_demo_data
from runtime.stored_site import site_there, store_site

PAGE: Final = "setup"


def store(asked: Stored, draft_id: str, person: str | None) -> None:
    tag = asked.tag
    if asked.is_from_file and asked.site_id in {one.id for one in administrator().sites()}:
        tag = administrator().site(asked.site_id).tag
    is_own = partial(was_sent, draft_id=draft_id)
    stored = store_site(asked.site_id, asked.form, tag, is_own=is_own, person=person)
    say_stored(PAGE, asked.site_id, draft_id, stored_words(stored))


def rename(name: str, person: str | None) -> None:
    say_done(
        PAGE, f"The organization is called {administrator().name_organization(name, person=person).name}."
    )


def draft_of(site_id: str) -> SiteDraft | None:
    """None: nothing is begun yet."""
    if site_id == NEW:
        return kept_draft(NEW_SITE)
    if draft := kept_draft(site_id):
        return draft
    site, tag = waited(partial(administrator().site, site_id), "how this site is set up")
    return begin_draft(site, site, tag)


def show(permission: Permission) -> None:
    organization, listed = read_anew(
        read_set_up, PAGE, 300, what="What is set up by now", failing=ApiClientError
    )
    done_panel(PAGE)
    above = st.container()
    if not listed and kept_draft(NEW_SITE) is None:
        welcome_panel()
    if has_demo_data():
        demo_panel()
    name = organization_panel(organization)
    site_id = site_to_set_up(listed)
    draft_id = NEW_SITE if site_id == NEW else site_id or ""
    draft = draft_of(site_id) if site_id else None
    asked = None
    if draft:
        site_editor(draft)
        if draft.is_unheard:
            look_what_came(PAGE, draft, draft_id, site_there, ApiClientError)
        asked = store_panel(draft)
    elif site_id == NEW:
        begin_panel(listed)
    asked = asked or file_panel({one.id for one in listed}, organization)
    if any(not one.archived for one in listed):
        next_steps_panel(get_upstream().base_url)
    with above:
        if name:
            attempt(partial(rename, name, permission.person), ApiClientError, reads_anew=True)
        if asked:
            attempt(partial(store, asked, draft_id, permission.person), ApiClientError, reads_anew=True)


st.title("Setup", anchor=False)
granted = may_administer()
if granted.refusal:
    refused_panel(granted.refusal)
else:
    with (
        guarded("What is set up", "setup", ApiClientError),
        guarded("What is set up", "administration", NotAdministrableError),
    ):
        show(granted)
