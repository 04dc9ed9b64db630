"""What is being written of sites in one tab, and what was stored when that began."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import streamlit as st

from contract.administration import SiteSetUp

NEW_SITE: Final = ""
"""Id of the choice under which a site is begun."""
_DRAFTS: Final = "site-drafts"
"""Session key: drafts by site id."""
_FILLED: Final = "site-drafts-filled"
"""Session key: how many were begun; the fields of each are others."""


@dataclass(slots=True)
class SiteDraft:
    site: SiteSetUp
    """As it is written."""
    stored: SiteSetUp | None
    """As it was stored when that began; None: it is new."""
    tag: str | None
    """The ETag of that."""
    turn: int
    """Names its fields."""

    @property
    def is_changed(self) -> bool:
        return self.site != self.stored

    def key(self, field: str) -> str:
        return f"site-{self.turn}-{field}"


def kept_draft(site_id: str) -> SiteDraft | None:
    return _drafts().get(site_id)


def begin_draft(site: SiteSetUp, stored: SiteSetUp | None, tag: str | None) -> SiteDraft:
    turn = st.session_state[_FILLED] = st.session_state.get(_FILLED, 0) + 1
    draft = SiteDraft(site, stored, tag, turn)
    _drafts()[site.id if stored else NEW_SITE] = draft
    return draft


def drop_draft(site_id: str) -> None:
    _drafts().pop(site_id, None)


def _drafts() -> dict[str, SiteDraft]:
    found: dict[str, SiteDraft] = st.session_state.setdefault(_DRAFTS, {})
    return found
