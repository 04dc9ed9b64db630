"""Set-up: the organization's name, which site is written and stored, and sites in files."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

import streamlit as st

from analysis.names import LONGEST_NAME, distinct_labels, one_line
from analysis.site_draft import begun, faults_of
from analysis.whole_zone import open_whole_zone
from components.panels.site_drafts import NEW_SITE, SiteDraft, begin_draft, drop_draft, kept_draft
from components.panels.url_choice import url_choice
from components.panels.viewer import viewer_zone
from components.plain_text import code, plain
from components.sentences.set_up_words import NOT_STORED, UNHEARD, other_organization_words, taken_out_words
from components.tables.downloads import site_slug
from contract import DEFAULT_TIMEZONE
from contract.administration import ListedSite, NamedOrganization, SiteSetUp

_LONGEST: Final = 200
_LARGEST: Final = 4 * 1024 * 1024
"""Bytes of a file."""
NEW: Final = "new"
"""In a link, of a site that is begun."""


class Stored(NamedTuple):
    """A site that somebody asks to store."""

    site_id: str
    form: Mapping[str, Any]
    tag: str | None
    """ETag of what it replaces; None: it is new."""
    is_from_file: bool = False
    """Then it replaces whatever is there."""


def organization_panel(organization: NamedOrganization) -> str | None:
    """Its new name, once that is asked for."""
    name_column, keep_column = st.columns([4, 2], vertical_alignment="bottom")
    name = name_column.text_input(
        "Organization", organization.name, key=f"organization-{organization.id}", max_chars=_LONGEST
    ).strip()
    is_asked = keep_column.button("Keep this name", key="name-organization", icon=":material/save:")
    if is_asked and not name:
        _nameless("the organization")
    return name if is_asked and name and name != organization.name else None


def welcome_panel() -> None:
    st.info(
        "There is no site yet. Name the organization, and begin with one site: at its doors counters hang.",
        icon=":material/flag:",
    )


def demo_panel() -> None:
    st.caption(
        "This is the organization of the demo. `HEADROOM_DEMO=off make run` begins with one of your "
        "own; the demo is there again without it."
    )


def site_to_set_up(listed: Sequence[ListedSite]) -> str | None:
    """Id of the one that is written; NEW for another one; None: the link names one that is not there."""
    listed = sorted(listed, key=lambda one: one.archived)
    labels = distinct_labels({one.id: one.name for one in listed})
    archived = {one.id for one in listed if one.archived}
    options = {id_: f"{label} (archived)" if id_ in archived else label for id_, label in labels.items()}
    if not options:
        return NEW
    return url_choice("Site", options | {NEW: "A new site"}, "set_up", is_needed=True)


def begin_panel(listed: Sequence[ListedSite]) -> None:
    """Where a site is begun."""
    st.header("A new site", anchor=False)
    name_column, begin_column = st.columns([4, 2], vertical_alignment="bottom")
    name = name_column.text_input("Name of the site", key="new-site-name", max_chars=_LONGEST).strip()
    if begin_column.button("Begin", key="begin-site", type="primary", icon=":material/add:"):
        if not name:
            _nameless("the site")
            return
        zone = viewer_zone()
        site = begun(name, zone.key if zone else DEFAULT_TIMEZONE, {one.id for one in listed})
        begin_draft(site, None, None)
        st.rerun()


def _nameless(what: str) -> None:
    st.error(plain(f"Write how {what} is called, then press again."), icon=":material/error:")


def store_panel(draft: SiteDraft) -> Stored | None:
    """What is to be stored, once that is asked for and nothing keeps it from being stored."""
    faults = faults_of(draft.site)
    for fault in faults:
        st.markdown(f":material/error: {plain(fault)}")
    if gone := taken_out_words(draft.site, draft.stored):
        st.markdown(f":material/info: {plain(gone)}")
    if draft.is_changed:
        st.caption(UNHEARD if draft.is_unheard else NOT_STORED)
    with st.container(horizontal=True, vertical_alignment="center"):
        is_asked = st.button(
            "Store this site", key=draft.key("store"), type="primary", icon=":material/save:",
            disabled=bool(faults) or not draft.is_changed,
        )  # fmt: skip
        if draft.is_changed:
            st.button(
                "Drop what is written", key=draft.key("drop"), icon=":material/undo:",
                on_click=drop_draft, args=(draft.site.id if draft.stored else NEW_SITE,),
            )  # fmt: skip
        st.download_button(
            "Save as JSON", json.dumps(form_of(draft.site), indent=2, ensure_ascii=False),
            file_name=f"{site_slug(draft.site)}.json", mime="application/json", icon=":material/download:",
            on_click="ignore",
        )  # fmt: skip
    if not is_asked:
        return None
    asked = Stored(draft.site.id, form_of(draft.site), draft.tag)
    draft.sent.append(asked.form)
    draft.is_unheard = True
    return asked


def form_of(site: SiteSetUp) -> dict[str, Any]:
    """As `sites import` and `PUT /admin/sites/{siteId}` take it."""
    return site.model_dump(
        mode="json", by_alias=True, exclude={"created_at", "updated_at", "organization_id"}
    )


def was_sent(site: SiteSetUp, draft_id: str) -> bool:
    """Whether it is what was sent to be stored, of the draft that is kept under this id."""
    draft = kept_draft(draft_id)
    return draft is not None and form_of(site) in draft.sent


def file_panel(site_ids: Collection[str], organization: NamedOrganization) -> Stored | None:
    """A site from a file: what is asked for, once it is. `site_ids` are those that are there."""
    part = st.expander(
        "Take a site from a file", icon=":material/upload_file:", key="site-from-file", on_change="rerun"
    )
    if not part.open:
        return None
    with part:
        return _uploaded(site_ids, organization)


def _uploaded(site_ids: Collection[str], organization: NamedOrganization) -> Stored | None:
    st.caption("JSON as “Save as JSON” writes it, or as a v3 service answers GET /v3/sites/{siteId}.")
    file = st.file_uploader("File", type="json", key="site-file")
    if file is None:
        return None
    found = site_in(file.getvalue())
    if isinstance(found, str):
        st.error(plain(found), icon=":material/error:")
        return None
    site_id, form = found
    name = one_line(str(form.get("name", "")), LONGEST_NAME)
    st.markdown(plain(f"“{name}” ({one_line(site_id, LONGEST_NAME)}). {_becomes(site_id in site_ids)}"))
    if other := other_organization_words(form, organization):
        st.markdown(f":material/info: {plain(other)}")
    if site_id not in site_ids and (zones := open_whole_zone(form)):
        labels = distinct_labels(zones)
        whole = st.selectbox(
            "Which zone is the whole site? The file does not say it.", list(labels), None,
            format_func=labels.__getitem__, key=f"whole-zone-{site_id}", placeholder="Choose",
        )  # fmt: skip
        if whole is None:
            return None
        form = {**form, "topZoneId": whole}
    if not st.button("Store what is in the file", key="store-file", icon=":material/save:"):
        return None
    return Stored(site_id, form, None, is_from_file=True)


def _becomes(is_there: bool) -> str:
    return "It replaces the site of this id; counts stay." if is_there else "It becomes a new site."


def site_in(text: bytes) -> tuple[str, Mapping[str, Any]] | str:
    """Id and form of the one site in a file; or a sentence on why there is none."""
    if len(text) > _LARGEST:
        return (
            "The file is larger than 4 MB: take it in by the command line (python -m service sites import)."
        )
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        return (
            f"The file is no JSON, or a part of it is missing: {one_line(str(error), LONGEST_NAME)}. "
            "Save it anew where it comes from, and choose it again."
        )
    site = document.get("data", document) if isinstance(document, dict) else None
    if not isinstance(site, dict) or not isinstance(site.get("id"), str) or not site["id"]:
        return (
            "The file holds no site with an id: it is an object with id, name, zones and passages. Choose "
            "one that “Save as JSON” wrote, or an answer to GET /v3/sites/{siteId}."
        )
    return site["id"], site


def next_steps_panel(service: str) -> None:
    """What is left between a site that is stored and a gauge that moves. `service` is its address."""
    st.header("What comes next", anchor=False)
    st.markdown(
        "1. Make a key of scope ingest on the page Keys.\n"
        f"2. Let the counter post to {code(f'{service}/ingest/MAKER')} with that key; a program of your own "
        f"posts to {code(f'{service}/ingest/counts')}.\n"
        "3. It appears on the page Counters within seconds; place it at its door there.\n"
        "4. Walk through the door: the page Live shows it."
    )
    with st.container(horizontal=True):
        st.page_link("pages/keys.py", label="Keys", icon=":material/key:")
        st.page_link("pages/counters.py", label="Counters", icon=":material/sensors:")
        st.page_link("pages/live.py", label="Live", icon=":material/speed:")
