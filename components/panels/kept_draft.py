"""What is being written in one tab in the place of what the dashboard keeps, and what was kept at its begin.

Whoever keeps something hands over what it is to replace. Where others have kept something else meanwhile, it
is said what stands there now, nothing that was written is lost, and it can be kept nevertheless.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any, Final, Generic, TypeVar, cast

import streamlit as st

from components.panels.viewer import page_moment
from components.plain_text import plain

_DRAFTS: Final = "kept-drafts"
"""Session key: drafts by their kind and what they are of."""

Kept = TypeVar("Kept")


class Choice(Enum):
    """What somebody presses below the fields."""

    MINE = "mine"
    """Keep what is written."""
    THEIRS = "theirs"
    """Take what others have kept into the fields."""
    FORGET = "forget"
    """Keep nothing any more."""


@dataclass(slots=True)
class KeptDraft(Generic[Kept]):
    of: str
    base: Kept
    """What the fields were filled from."""
    kept: Kept
    """What is kept now."""
    turn: int = 0
    """Fields that are filled anew are others, with names of their own."""
    filled: str | None = None
    """What stood in the fields at first; None: they were not drawn yet."""
    is_changed: bool = False
    """Whether anything was written since."""
    is_done: bool = False
    """Whether what was written is kept, or given up."""

    @property
    def name(self) -> str:
        """Of its fields."""
        return f"{self.of}-{self.turn}" if self.turn else self.of

    @property
    def is_overtaken(self) -> bool:
        """Whether others were kept since it began."""
        return self.base != self.kept

    def touch(self) -> None:
        """Of a field: something is written in it. It is known before the page is drawn with it."""
        self.is_changed = True

    def note(self, written: str) -> None:
        """What stands in the fields, after they were drawn."""
        self.filled = written if self.filled is None else self.filled
        self.is_changed = written != self.filled

    def begin_anew(self) -> None:
        """With what is kept at the next run."""
        self.is_done = True


def kept_draft(
    kind: str,
    of: str,
    kept: Kept,
    first_field: Callable[[str], str],
    *,
    is_changed: bool | None = None,
) -> KeptDraft[Kept]:
    """The one of this tab; what was kept since it began is taken into it where nothing was written.

    `first_field` is the session key of its first field, by its name. `is_changed` None: as its fields tell.
    """
    drafts: dict[tuple[str, str], KeptDraft[Any]] = st.session_state.setdefault(_DRAFTS, {})
    draft = cast(KeptDraft[Kept], drafts.setdefault((kind, of), KeptDraft(of, kept, kept)))
    # Fields that were not drawn in the run before are filled anew: nothing that was written is there.
    are_gone = first_field(draft.name) not in st.session_state
    draft.kept = kept
    draft.is_changed = draft.is_changed if is_changed is None else is_changed
    if are_gone or draft.is_done or (draft.is_overtaken and not draft.is_changed):
        turn = draft.turn if are_gone else draft.turn + 1
        draft = drafts[kind, of] = KeptDraft(of, kept, kept, turn)
    return draft


def overtaken_note(now: str, kept_at: Callable[[], datetime | None], *, is_written: bool = True) -> None:
    """`now` says what others have done: it ends the sentence that begins "Since you began, somebody has".
    `is_written`: whether something stands in the fields that is not kept.
    """
    moment = kept_at()
    when = f" That was at {page_moment(moment)}." if moment else ""
    rest = "What you wrote still stands here, and is not kept." if is_written else "You have changed nothing."
    st.warning(plain(f"Since you began, somebody has {now}{when} {rest}"), icon=":material/warning:")


def mine_or_theirs(key: str) -> Choice | None:
    """What is pressed. `key` names what is shown beside the two: whoever presses one has read that."""
    if st.button("Keep mine instead", key=f"keep-mine-{key}", type="primary", icon=":material/save:"):
        return Choice.MINE
    if st.button("Take theirs into the fields", key=f"take-theirs-{key}"):
        return Choice.THEIRS
    return None
