"""Which saved screens are listed, of many: search, state and page, all in the URL."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from enum import StrEnum
from typing import Final

import streamlit as st

from analysis.names import LONGEST_NAME, one_line
from components.panels.screen_state import SeenState
from components.panels.site_list import page_choice
from components.panels.unknown_in_link import unknown_in_link
from components.panels.url_choice import url_filter
from components.panels.viewer import viewer_formats
from components.plain_text import plain
from screens.definition import Screen, UnreadableScreen

Saved = Screen | UnreadableScreen

ON_A_PAGE: Final = 10
_SHOWN_STATE: Final = "show"


class ScreenState(StrEnum):
    """What screens are narrowed to; one may be in several."""

    UNSEEN = "unseen"
    """A link leads to it, and nobody looks at it."""
    AWAY = "away"
    """Nobody has looked at it for a day."""
    NEVER = "never"
    """A link leads to it, and no wall has opened it."""
    SEEN = "seen"
    TROUBLED = "no-number"
    """A view that somebody looked at a moment ago shows no number, or none of it can be read here."""
    REVOKED = "revoked"


_LABELS: Final = {
    ScreenState.UNSEEN: ":material/visibility_off: Nobody looks",
    ScreenState.AWAY: ":material/tv_off: Not seen for a day",
    ScreenState.NEVER: ":material/link: Never opened",
    ScreenState.SEEN: ":material/visibility: Somebody looks",
    ScreenState.TROUBLED: ":material/warning: Without a number",
    ScreenState.REVOKED: ":material/link_off: Revoked",
}


def states_of(screen: Saved, seen: SeenState, *, is_troubled: bool) -> frozenset[ScreenState]:
    is_troubled = is_troubled or isinstance(screen, UnreadableScreen)
    troubled = {ScreenState.TROUBLED} if is_troubled else set()
    if screen.link is None:
        return frozenset({ScreenState.REVOKED, *troubled})
    unseen = set() if seen is SeenState.SEEN else {ScreenState.UNSEEN}
    return frozenset({ScreenState(seen), *unseen, *troubled})


def matching(screens: Sequence[Saved], search: str, sites: Mapping[str, str]) -> list[Saved]:
    """The screens with each word of `search` in their name or in what they show. `sites` is id -> name."""
    words = search.casefold().split()
    return [screen for screen in screens if all(word in _text(screen, sites) for word in words)]


def _text(screen: Saved, sites: Mapping[str, str]) -> str:
    views = screen.views if isinstance(screen, Screen) else ()
    shown = [f"{view.kind.facts.label} {sites.get(view.site_id or '', view.site_id or '')}" for view in views]
    return "\n".join([screen.name, *shown]).casefold()


def found_screens(
    screens: Sequence[Saved],
    sites: Mapping[str, str],
    states: Callable[[Saved], Collection[ScreenState]],
) -> Sequence[Saved]:
    """The screens of the chosen page; all of them, without a search, where one page holds them."""
    asked = {"find", _SHOWN_STATE} & set(st.query_params)
    if len(screens) <= ON_A_PAGE and not asked:
        return screens
    unknown_in_link({_SHOWN_STATE: set(ScreenState)})
    search = st.text_input(
        "Find",
        key="find",
        bind="query-params",
        placeholder="Name of a screen or site, or what it shows",
        icon=":material/search:",
    )
    found = matching(screens, search, sites)
    chosen = _chosen_state(Counter(state for screen in found for state in states(screen)))
    found = [screen for screen in found if not chosen or chosen in states(screen)]
    if not found:
        state = _LABELS[chosen].partition(": ")[2].lower() if chosen else ""
        sought = one_line(" ".join(filter(None, (search, state))), LONGEST_NAME)
        st.info(plain(f"None of the {len(screens)} screens matches “{sought}”."))
        return []
    page = page_choice(len(found), len(screens), "screens", viewer_formats(), ON_A_PAGE)
    return found[(page - 1) * ON_A_PAGE : page * ON_A_PAGE]


def _chosen_state(counts: Mapping[ScreenState, int]) -> ScreenState | None:
    formats = viewer_formats()
    asked = st.query_params.get(_SHOWN_STATE)
    offered = {
        str(state): f"{label} **{plain(formats.number(counts.get(state, 0)))}**"
        for state, label in _LABELS.items()
        if counts.get(state) or state == asked
    }
    chosen = url_filter("Show only", offered, _SHOWN_STATE)
    return ScreenState(chosen) if chosen else None
