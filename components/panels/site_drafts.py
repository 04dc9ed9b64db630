"""What is being written of sites in one tab, and what was stored when that began."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

import streamlit as st

from contract.administration import SiteSetUp

NEW_SITE: Final = ""
"""Id of the choice under which a site is begun."""
_DRAFTS: Final = "site-drafts"
"""Session key: drafts by site id."""
_FILLED: Final = "site-drafts-filled"
"""Session key: the turn of the draft that was begun last."""
_TURNS: Final = "site-drafts-turns"
"""Session key: how many were begun, by what was stored then; the fields of each are others."""


@dataclass(slots=True)
class SiteDraft:
    site: SiteSetUp
    """As it is written."""
    stored: SiteSetUp | None
    """As it was stored when that began; None: it is new."""
    tag: str | None
    """The ETag of that."""
    turn: str
    """Names its fields. The same in another session for what is stored alike: where the dashboard is started
    anew, a browser that is still open tells it what is written in them.
    """
    sent: list[Mapping[str, Any]] = field(default_factory=list)
    """Forms of it that were sent to be stored, as of `form_of`: one may have come whose answer did not."""
    is_unheard: bool = False
    """Whether no answer has told what became of what was sent last."""

    @property
    def is_changed(self) -> bool:
        return self.site != self.stored

    def key(self, field: str) -> str:
        return f"site-{self.turn}-{field}"


def kept_draft(site_id: str) -> SiteDraft | None:
    return _drafts().get(site_id)


def begin_draft(site: SiteSetUp, stored: SiteSetUp | None, tag: str | None) -> SiteDraft:
    own = sha256(f"{site.id} {tag}".encode()).hexdigest()[:12]
    turns: dict[str, int] = st.session_state.setdefault(_TURNS, {})
    turns[own] = turns.get(own, 0) + 1
    turn = st.session_state[_FILLED] = f"{own}-{turns[own]}"
    draft = SiteDraft(site, stored, tag, turn)
    _drafts()[site.id if stored else NEW_SITE] = draft
    return draft


def drop_draft(site_id: str) -> None:
    _drafts().pop(site_id, None)


def _drafts() -> dict[str, SiteDraft]:
    found: dict[str, SiteDraft] = st.session_state.setdefault(_DRAFTS, {})
    return found
