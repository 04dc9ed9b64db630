"""Composing a screen: its name, its look, and its views in the order of the rotation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Final, TypeVar, cast

import streamlit as st

from analysis.names import distinct_labels
from components.panels.screen_draft import (
    LANGUAGE_NAMES,
    LEVEL_LABELS,
    THEME_NAMES,
    ScreenDraft,
    ViewDraft,
    round_sentence,
)
from components.plain_text import plain
from gauge.levels import Thresholds
from screens.definition import (
    LONGEST_NAME,
    LONGEST_TURN,
    LONGEST_WORD,
    MOST_VIEWS,
    SHORTEST_TURN,
    Scope,
    ViewKind,
)

_WHOLE_SITE: Final = ""
_NO_CAPACITY: Final = (
    ":material/info: The service tells no capacity for this place, so that the light can show no colour and "
    "no word, only how many are inside. Choose a zone that has one, or another view."
)
_STEP: Final = 5

ZonesOf = Callable[[str], Mapping[str, str]]
"""Site id -> its zones, id -> name."""
LacksCapacity = Callable[[str, str | None], bool]
"""Whether the service tells no capacity of a site (its id), or of a zone of it."""
Choice = TypeVar("Choice", bound=StrEnum)


class Decision(StrEnum):
    SAVE = "save"
    LEAVE = "leave"


def screen_editor(
    draft: ScreenDraft,
    sites: Mapping[str, str],
    zones_of: ZonesOf,
    lacks_capacity: LacksCapacity,
    *,
    is_new: bool,
) -> Decision | None:
    """Edit `draft` in place. `sites` is id -> name; `zones_of` may raise, and the page guards."""
    draft.name = st.text_input(
        "Name",
        key=_begun(f"name-{draft.identity}", draft.name),
        max_chars=LONGEST_NAME,
        placeholder="Entrance, ground floor",
    )
    look, tongue = st.columns(2)
    draft.theme = _one_of(look, "Look", f"theme-{draft.identity}", draft.theme, THEME_NAMES)
    draft.language = _one_of(tongue, "Words in", f"tongue-{draft.identity}", draft.language, LANGUAGE_NAMES)
    for number, view in enumerate(list(draft.views), start=1):
        with st.container(border=True, key=f"view-{view.identity}"):
            _heading(draft, view, number)
            _view_editor(draft, view, sites, zones_of)
            if view.kind.facts.needs_capacity and view.site_id and lacks_capacity(view.site_id, view.zone_id):
                st.caption(_NO_CAPACITY)
            if view.kind.facts.draws_passages:
                _plan_choice(view)
            if view.kind.facts.has_own_words:
                _words_editor(view)
    return _footer(draft, sites, is_new=is_new)


def _heading(draft: ScreenDraft, view: ViewDraft, number: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**View {plain(str(number))}**", width="stretch")
        _step(draft, view, -1, "Earlier", ":material/arrow_upward:", is_last=number == 1)
        _step(draft, view, 1, "Later", ":material/arrow_downward:", is_last=number == len(draft.views))
        st.button(
            "Remove",
            key=f"remove-{view.identity}",
            icon=":material/close:",
            type="tertiary",
            on_click=draft.views.remove,
            args=(view,),
        )


def _step(draft: ScreenDraft, view: ViewDraft, steps: int, label: str, icon: str, *, is_last: bool) -> None:
    st.button(
        label,
        key=f"{label}-{view.identity}",
        icon=icon,
        type="tertiary",
        disabled=is_last,
        on_click=draft.move,
        args=(view, steps),
    )


def _view_editor(draft: ScreenDraft, view: ViewDraft, sites: Mapping[str, str], zones_of: ZonesOf) -> None:
    what, where, which, turn = st.columns([3, 3, 3, 2])
    labels = {kind: kind.facts.label for kind in ViewKind}
    view.kind = _one_of(what, "Shows", f"kind-{view.identity}", view.kind, labels)
    if view.kind.facts.scope is not Scope.SITES:
        with where:
            _site(draft, view, sites)
    if view.kind.facts.scope is Scope.PLACE and view.site_id:
        with which:
            _zone(view, zones_of(view.site_id))
    view.seconds = turn.number_input(
        "Seconds",
        key=_begun(f"seconds-{view.identity}", view.seconds),
        min_value=SHORTEST_TURN,
        max_value=LONGEST_TURN,
        step=_STEP,
        help="How long its turn lasts where several views rotate.",
    )
    handles = st.slider(
        "Filling and full begin at (% of capacity)",
        key=_begun(f"limits-{view.identity}", (view.filling, view.full)),
        min_value=_STEP,
        max_value=100,
        step=_STEP,
    )
    # One of two handles, as its first value is; the type knows the argument only.
    view.filling, view.full = cast("tuple[int, int]", handles)


def _site(draft: ScreenDraft, view: ViewDraft, sites: Mapping[str, str]) -> None:
    known = distinct_labels(sites)
    if view.site_id and view.site_id not in known:
        known = {view.site_id: f"{view.site_id} (not there now)"} | known
    key = f"site-{view.identity}"
    chosen = st.selectbox(
        "Site", list(known), key=_begun(key, view.site_id), format_func=lambda site: known.get(site, site)
    )
    if chosen != view.site_id:
        _follow_site(view, draft.thresholds_of(view.site_id), draft.thresholds_of(chosen))
        view.site_id, view.zone_id = chosen, None


def _follow_site(view: ViewDraft, before: Thresholds, own: Thresholds) -> None:
    """Thresholds that are those of the former site give way to those of the chosen one; others stay."""
    if (view.filling, view.full) == (before.filling, before.full):
        view.filling, view.full = own.filling, own.full
        st.session_state[f"limits-{view.identity}"] = (own.filling, own.full)


def _zone(view: ViewDraft, zones: Mapping[str, str]) -> None:
    known = {_WHOLE_SITE: "Whole site"} | distinct_labels(zones)
    if view.zone_id and view.zone_id not in known:
        known |= {view.zone_id: f"{view.zone_id} (not there now)"}
    key = f"zone-{view.identity}-{view.site_id}"
    chosen = st.selectbox(
        "Zone",
        list(known),
        key=_begun(key, view.zone_id or _WHOLE_SITE),
        format_func=lambda zone: known.get(zone, zone),
    )
    view.zone_id = chosen or None


def _plan_choice(view: ViewDraft) -> None:
    view.on_plan = st.checkbox(
        "On the floor plan",
        key=_begun(f"on-plan-{view.identity}", view.on_plan),
        help="Where zones are placed on one, on the page Site; else, and where it would be too small to be "
        "read, as a graph. On a small screen zones are letters on the plan, with a list beside it.",
    )


def _words_editor(view: ViewDraft) -> None:
    for column, (level, label) in zip(st.columns(len(LEVEL_LABELS)), LEVEL_LABELS.items(), strict=True):
        view.words[level] = column.text_input(
            label,
            key=_begun(f"{level}-{view.identity}", view.words.get(level, "")),
            max_chars=LONGEST_WORD,
            placeholder="As usual in the language",
        )


def _footer(draft: ScreenDraft, sites: Mapping[str, str], *, is_new: bool) -> Decision | None:
    st.button(
        "Add a view",
        icon=":material/add:",
        disabled=len(draft.views) >= MOST_VIEWS,
        on_click=draft.add_view,
        args=(next(iter(sites), None),),
    )
    turns = [(view.kind, view.seconds) for view in draft.views]
    st.caption(round_sentence(turns))
    with st.container(horizontal=True):
        is_saved = st.button("Create the screen" if is_new else "Save", type="primary", key="save-screen")
        is_left = st.button("Back to the list", key="leave-screen")
    return Decision.SAVE if is_saved else Decision.LEAVE if is_left else None


def _one_of(container: Any, label: str, key: str, chosen: Choice, names: Mapping[Choice, str]) -> Choice:
    options = list(names)
    found: Choice = container.selectbox(
        label, options, key=_begun(key, chosen), format_func=lambda option: names[option]
    )
    return found


def _begun(key: str, value: object) -> str:
    """The key of a widget that begins with `value`.

    Not given to the widget itself: a widget whose first value changes becomes another, and loses the focus.
    """
    st.session_state.setdefault(key, value)
    return key
