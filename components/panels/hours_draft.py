"""What is being written of opening hours in one tab, and what was kept when that began."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import pandas as pd
import streamlit as st

from analysis.opening_hours import KeptHours
from contract import Site

_DRAFTS: Final = "hours-drafts"
"""Session key: drafts by site id."""


@dataclass(slots=True)
class HoursDraft:
    site_id: str
    base: KeptHours
    """What the fields were filled from."""
    kept: KeptHours
    """What is kept now."""
    turn: int = 0
    """Fields that are filled anew are others, with names of their own."""
    filled: str | None = None
    """What stood in the fields at first; None: they were not drawn yet."""
    is_changed: bool = False
    """Whether anything was written since."""

    @property
    def name(self) -> str:
        """Of its fields."""
        return f"{self.site_id}-{self.turn}" if self.turn else self.site_id

    @property
    def is_overtaken(self) -> bool:
        """Whether others were kept since it began."""
        return self.base.document != self.kept.document

    def note(self, fields: Sequence[object], others: pd.DataFrame) -> None:
        """What stands in the fields, after they were drawn."""
        written = f"{fields!r} {others.to_json(date_format='iso')}"
        self.filled = written if self.filled is None else self.filled
        self.is_changed = written != self.filled

    def begin_anew(self) -> None:
        """With what is kept at the next run."""
        self.base, self.filled, self.is_changed = KeptHours(document="-"), None, False
        self.turn += 1


def hours_draft(site: Site, kept: KeptHours) -> HoursDraft:
    """The one of this tab; what was kept since it began is taken into it where nothing was written."""
    drafts: dict[str, HoursDraft] = st.session_state.setdefault(_DRAFTS, {})
    draft = drafts.setdefault(site.id, HoursDraft(site.id, kept, kept))
    # Fields that were not drawn in the run before are filled anew: nothing that was written is there.
    are_gone = f"hours-{draft.name}-0" not in st.session_state
    draft.kept = kept
    if are_gone or (draft.is_overtaken and not draft.is_changed):
        turn = draft.turn if are_gone else draft.turn + 1
        draft = drafts[site.id] = HoursDraft(site.id, kept, kept, turn)
    return draft
