"""Audit: what was changed of the organization, by whom, when, and what it was before."""

from __future__ import annotations

from functools import partial

import streamlit as st

from analysis.names import distinct_labels
from components.panels.administration import refused_panel
from components.panels.changes_panel import changes_choice, changes_panel, page_begin
from components.panels.page_parts import guarded, loading
from components.panels.viewer import site_zone, viewer_formats, viewer_or_utc
from runtime import ApiClientError, read_sites
from runtime.administration import NotAdministrableError, may_administer, read_keys
from runtime.changes import ChangesAsked, read_all_changes, read_page


def show() -> None:
    sites = {one.id: one for one in read_sites()}
    names = distinct_labels({id_: one.name for id_, one in sites.items()})
    choice = changes_choice(names)
    asked = ChangesAsked(*choice)
    with loading("audit", 400):
        changes, is_last = read_page(asked, page_begin(choice))
        keys = {one.id: one.name for one in read_keys()}
    zones = {site_zone(one) for one in sites.values() if choice.site_id in ("", one.id)}
    # Sites of several zones have no clock in common.
    timezone = zones.pop() if len(zones) == 1 else viewer_or_utc()
    read_all = partial(read_all_changes, asked)
    changes_panel(
        choice, changes, keys | names, timezone, viewer_formats(), is_last=is_last, read_all=read_all
    )


st.title("Audit", anchor=False)
granted = may_administer()
if granted.refusal:
    refused_panel(granted.refusal)
else:
    with (
        guarded("The record of changes", "audit", ApiClientError),
        guarded("The record of changes", "administration", NotAdministrableError),
    ):
        show()
