"""A screen as it is being composed, incomplete or wrong until it is saved; what its choices are called."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol
from uuid import uuid4

import streamlit as st
from pydantic import ValidationError

from gauge.levels import Thresholds
from screens.definition import (
    SHORTEST_PAGE,
    Composition,
    Language,
    Scope,
    Screen,
    Theme,
    View,
    ViewKind,
    problems,
)

CHOSEN: Final = "screen"
"""URL parameter: the id of the screen that is edited, or NEW."""
NEW: Final = "new"
USUAL_TURN: Final = 20
"""Seconds."""
_KEPT: Final = "screen-draft"
"""Session key: the id of the screen that is composed (empty: a new one), and how it stands."""

THEME_NAMES: Final = {
    Theme.LIGHT: "Light",
    Theme.DARK: "Dark",
    Theme.CLOCK: "Light by day, dark by night",
}
LANGUAGE_NAMES: Final = {
    Language.ENGLISH: "English",
    Language.GERMAN: "Deutsch",
    Language.FRENCH: "Français",
    Language.ITALIAN: "Italiano",
}
LEVEL_LABELS: Final = {"free": "Word for free", "filling": "Word for filling", "full": "Word for full"}


@dataclass(slots=True)
class ViewDraft:
    kind: ViewKind = ViewKind.NUMBER
    site_id: str | None = None
    zone_id: str | None = None
    """None: the whole site."""
    seconds: int = USUAL_TURN
    filling: int = Thresholds().filling
    full: int = Thresholds().full
    words: dict[str, str] = field(default_factory=dict)
    """Level name -> one's own word."""
    on_plan: bool = False
    """Whether it is drawn on the site's floor plan, where it has one."""
    identity: str = field(default_factory=lambda: uuid4().hex)
    """Of the widgets that edit it, wherever it stands in the rotation."""

    def fields(self) -> dict[str, object]:
        """The fields of a `View`, without what its kind does not use."""
        facts = self.kind.facts
        return {
            "kind": self.kind,
            "site_id": self.site_id if facts.scope is not Scope.SITES else None,
            "zone_id": self.zone_id if facts.scope is Scope.PLACE else None,
            "seconds": self.seconds,
            "thresholds": {"filling": self.filling, "full": self.full},
            "words": self.words if facts.has_own_words else {},
            "on_plan": self.on_plan and facts.draws_passages,
        }


@dataclass(slots=True)
class ScreenDraft:
    name: str = ""
    theme: Theme = Theme.CLOCK
    language: Language = Language.ENGLISH
    views: list[ViewDraft] = field(default_factory=list)
    identity: str = field(default_factory=lambda: uuid4().hex)
    """Of the widgets that edit it."""
    begun: Composition | None = None
    """The saved screen that it began with; None: a new one."""
    kept: Mapping[str, Thresholds] = field(default_factory=dict)
    """Thresholds by site id, with which a view begins."""

    def thresholds_of(self, site_id: str | None) -> Thresholds:
        return self.kept.get(site_id or "", Thresholds())

    def add_view(self, site_id: str | None) -> None:
        """Add a view of the last view's site, else of `site_id`, with the thresholds kept for that site."""
        site_id = self.views[-1].site_id or site_id if self.views else site_id
        own = self.thresholds_of(site_id)
        self.views.append(ViewDraft(site_id=site_id, filling=own.filling, full=own.full))

    def move(self, view: ViewDraft, steps: int) -> None:
        """Move a view by `steps` in the rotation; it stops at the ends."""
        position = self.views.index(view)
        self.views.insert(max(0, min(position + steps, len(self.views) - 1)), self.views.pop(position))

    def composed(self, *, name: str | None = None) -> Composition | tuple[str, ...]:
        """The composition, or what is wrong with it, as sentences. `name`: instead of its own."""
        try:
            return Composition.model_validate(
                {
                    "name": self.name if name is None else name,
                    "theme": self.theme,
                    "language": self.language,
                    "views": [view.fields() for view in self.views],
                }
            )
        except ValidationError as error:
            return problems(error)


def draft_of(composition: Composition) -> ScreenDraft:
    return ScreenDraft(
        composition.name,
        composition.theme,
        composition.language,
        [_view_draft(view) for view in composition.views],
        begun=composition,
    )


class Kept(Protocol):
    """What is kept of sites."""

    @property
    def thresholds(self) -> Mapping[str, Thresholds]: ...

    @property
    def first_site(self) -> str | None: ...


def kept_draft(screen: Screen | None, sites: Collection[str], preferences: Kept) -> ScreenDraft:
    """How `screen` stands in this session, else as it is saved. None: a new one, with one view to begin.

    `sites` are ids.
    """
    edited = screen.id if screen else ""
    kept: tuple[str, ScreenDraft] | None = st.session_state.get(_KEPT)
    if kept is not None and kept[0] == edited:
        kept[1].kept = preferences.thresholds
        return kept[1]
    draft = draft_of(screen.composition) if screen else ScreenDraft()
    draft.kept = preferences.thresholds
    if not draft.views:
        first = preferences.first_site
        draft.add_view(first if first in sites else next(iter(sites), None))
    st.session_state[_KEPT] = (edited, draft)
    return draft


def begin_draft(composition: Composition) -> None:
    """Open the editor of a new screen that stands like this."""
    open_editor(NEW)
    draft = draft_of(composition)
    draft.begun = None
    st.session_state[_KEPT] = ("", draft)


def is_kept(screen_id: str) -> bool:
    """Whether this session composes that screen."""
    kept: tuple[str, ScreenDraft] | None = st.session_state.get(_KEPT)
    return kept is not None and kept[0] == screen_id


def open_editor(chosen: str | None) -> None:
    """Open the editor of a screen (its id) or of a NEW one; None: the list. What was not saved is lost."""
    st.session_state.pop(_KEPT, None)
    st.query_params.pop(CHOSEN, None)
    if chosen is not None:
        st.query_params[CHOSEN] = chosen


def _view_draft(view: View) -> ViewDraft:
    return ViewDraft(
        view.kind,
        view.site_id,
        view.zone_id,
        view.seconds,
        view.thresholds.filling,
        view.thresholds.full,
        view.words.model_dump(),
        on_plan=view.on_plan,
    )


def view_sentence(view: View, sites: Mapping[str, str]) -> str:
    """`Gauge of Corner shop, 20 s`. `sites` is id -> name."""
    what = view.kind.facts.label
    if view.kind.facts.scope is Scope.SITES or view.site_id is None:
        return f"{what}, {view.seconds} s"
    where = sites.get(view.site_id, view.site_id)
    return f"{what}: {where}{', one zone' if view.zone_id else ''}, {view.seconds} s"


def round_sentence(turns: Sequence[tuple[ViewKind, int]]) -> str:
    """How long a rotation takes, as Markdown; empty: nothing rotates. Turns in seconds."""
    if len(turns) < 2:  # noqa: PLR2004 -- one view stands still
        return ""
    minutes, seconds = divmod(sum(turn for _kind, turn in turns), 60)
    parts = [f"{minutes} min"] * bool(minutes) + [f"{seconds} s"] * bool(seconds)
    paged = [kind.facts.label for kind in ViewKind if kind.facts.turns_pages and kind in dict(turns)]
    longer = (
        f" It takes longer where “{'” or “'.join(paged)}” has more places than can be read at once on its "
        f"wall: that turns pages, each for {SHORTEST_PAGE} s at least."
    )
    return f":material/timer: One round takes {' '.join(parts)}.{longer if paged else ''}"
