"""A picture of a site's floor, on which zones and passages are placed. Kept by the dashboard."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from hashlib import sha256
from typing import Final, NamedTuple

import streamlit as st
from pydantic import BaseModel, ValidationError

from analysis.floor_plan import FloorPlan, KeptPlan, Placed, PlanImage
from analysis.names import LONGEST_HINT, one_line
from analysis.plan_graph import not_placed, not_placed_words, placeable
from analysis.subject import labels_of
from components.panels.drawing_choice import plan_address
from components.panels.page_parts import folded
from components.panels.permission import may_change_or_say
from components.panels.read_last import read_or_last
from components.plain_text import plain
from components.plan_editor import PlanItem, plan_editor
from contract import Site

_LARGEST_MB: Final = 4
_SAID: Final = "floor-plan-said"
"""Session key: by site id, what the next run says of the last change, and more of it, quietly."""
_SEEN: Final = "floor-plan-seen"
"""Session key: by site id, the revision that was drawn last."""
_TO_DELETE: Final = "floor-plan-to-delete"
"""Session key: the document of the plan that somebody is asked about."""
_DAMAGED: Final = "The floor plan kept of this site is damaged and cannot be read: none is used."
_OVERTAKEN: Final = (
    "Somebody has changed the floor plan since you saw it. Look at what is there now, then do it again."
)


class _Handed(BaseModel):
    """What the editor hands over, which is what a browser says."""

    before: str
    placed: Placed


class PlanActions(NamedTuple):
    """What the page does for the panel; those that keep are False where others have come there meanwhile."""

    read: Callable[[str], KeptPlan]
    """Of the site of an id; raises RuntimeError with a sentence for people, as those that keep do."""
    made_harmless: Callable[[bytes], PlanImage]
    """Raises ValueError with a sentence for people."""
    keep_picture: Callable[[str, PlanImage, KeptPlan], bool]
    """Of the site of an id, in the place of what was kept."""
    keep_placed: Callable[[str, Placed, KeptPlan], bool]
    forget: Callable[[str, KeptPlan], bool]


def floor_plan_panel(site: Site, actions: PlanActions) -> None:
    """`site` is what may be drawn of it."""
    folded("Floor plan", "map", partial(_panel, site, actions))


def _panel(site: Site, actions: PlanActions) -> None:
    # Read with each press: somebody else may have changed it since the page was drawn.
    kept = read_or_last("The floor plan", "floor-plan", site.id, lambda: actions.read(site.id), None)
    if kept is not None:
        _plan_and_picture(site, kept, actions)


def _plan_and_picture(site: Site, kept: KeptPlan, actions: PlanActions) -> None:
    said, more = st.session_state.get(_SAID, {}).pop(site.id, ("", ""))
    if said:
        st.success(plain(said), icon=":material/check_circle:")
    if more:
        st.caption(plain(more))
    if kept.is_damaged:
        st.error(plain(f"{_DAMAGED} Delete it, or choose a picture: the damaged one is put aside."))
    if not may_change_or_say(site.id):
        return
    is_overtaken = _is_overtaken(site, kept)
    plan = kept.plan
    if plan:
        _editor(site, plan, kept, actions)
    else:
        st.caption(
            "A picture of the floor, on which you place zones and doors once. Then people are drawn there,"
            " here and on walls. This dashboard keeps it, for every browser that opens it."
        )
    _chooser(site, kept, actions, is_overtaken=is_overtaken)
    if kept.document:
        _deletion(site, kept, actions, is_overtaken=is_overtaken)


def _editor(site: Site, plan: FloorPlan, kept: KeptPlan, actions: PlanActions) -> None:
    own = plan.placed.of(site)
    if missing := not_placed_words(not_placed(site, own)):
        st.caption(plain(missing))
    sent = plan_editor(
        _items(site),
        own.model_dump(),
        site=site.id,
        picture=plan_address(site, plan),
        size=(plan.picture.width, plan.picture.height),
        revision=_revision(kept),
        key=f"plan-editor-{site.id}",
    )
    if sent is None:
        return
    try:
        handed = _Handed.model_validate(sent)
        placed = plan.placed.changed_to(handed.placed.of(site), site)
    except ValidationError:
        st.error("These places cannot be read, so nothing is kept. Reload the page.", icon=":material/error:")
        return
    if handed.before != _revision(kept):
        return  # the editor has been given what is kept now, and says it
    _done(site, partial(actions.keep_placed, site.id, placed, kept), "")


def _items(site: Site) -> list[PlanItem]:
    zones, passages = labels_of(site.zones), labels_of(site.passages)
    ends = zones | {"": "outside"}
    return [
        *(PlanItem(zone.id, zones[zone.id], "zones") for zone in site.zones),
        *(
            PlanItem(
                one.id,
                passages[one.id],
                "passages",
                f"{ends[one.from_zone_id or '']} to {ends[one.to_zone_id or '']}",
                tuple(id_ for id_ in (one.from_zone_id, one.to_zone_id) if id_),
            )
            for one in placeable(site)
        ),
    ]


def _chooser(site: Site, kept: KeptPlan, actions: PlanActions, *, is_overtaken: bool) -> None:
    turns: dict[str, int] = st.session_state.setdefault("floor-plan-turns", {})
    turn = turns.get(site.id, 0)
    file = st.file_uploader(
        "Another picture" if kept.plan else "A picture of the floor",
        type=["png", "jpg", "jpeg", "svg"],
        key=f"floor-picture-{site.id}-{turn}",
        max_upload_size=_LARGEST_MB,
        help="PNG, JPEG or SVG. What else such a file may hold, as where a photo was taken, is not kept.",
    )
    if file is None:
        return
    label = "Replace the picture" if kept.plan else "Use this picture"
    if kept.plan:
        st.caption(
            "What is placed stays where it is, in shares of the picture: look then whether it still fits."
        )
    if is_overtaken:
        st.warning(plain(_OVERTAKEN), icon=":material/warning:")
    if not st.button(
        label, key=f"use-picture-{site.id}-{_revision(kept)}", type="primary", icon=":material/map:"
    ):
        return
    try:
        image = actions.made_harmless(file.getvalue())
    except ValueError as error:
        st.error(
            plain(f"“{one_line(file.name, LONGEST_HINT)}” is not kept. {error}"), icon=":material/error:"
        )
        return
    said = "The picture is replaced. Look whether what is placed still fits it."
    said = said if kept.plan else "The picture is kept. Now place the zones and passages on it."
    more = f"Left out of the picture: {', '.join(image.left_out)}." if image.left_out else ""

    def keep() -> bool:
        is_kept = actions.keep_picture(site.id, image, kept)
        # Only now: a picture that could not be kept is still chosen.
        turns[site.id] = turn + 1
        return is_kept

    _done(site, keep, said, more, held="The picture is still chosen here.")


def _deletion(site: Site, kept: KeptPlan, actions: PlanActions, *, is_overtaken: bool) -> None:
    asked = st.session_state.get(_TO_DELETE)
    if asked and is_overtaken:
        st.warning(plain(_OVERTAKEN), icon=":material/warning:")
    if asked != kept.document:
        st.button(
            "Delete the floor plan",
            key=f"delete-plan-{site.id}",
            icon=":material/delete:",
            on_click=lambda: st.session_state.update({_TO_DELETE: kept.document}),
        )
        return
    what = "the picture and all that is placed on it" if kept.plan else "what is damaged"
    st.warning(plain(f"Delete {what}, for everybody and on walls, too?"), icon=":material/warning:")
    with st.container(horizontal=True):
        is_sure = st.button("Delete it", key=f"delete-plan-now-{site.id}", type="primary")
        st.button(
            "Keep it", key=f"keep-plan-{site.id}", on_click=lambda: st.session_state.pop(_TO_DELETE, None)
        )
    if is_sure:
        st.session_state.pop(_TO_DELETE)
        _done(site, partial(actions.forget, site.id, kept), "The floor plan is deleted.")


def _is_overtaken(site: Site, kept: KeptPlan) -> bool:
    """Whether others have changed the plan since it was drawn here: a press meant the one before, and its
    button, which has the revision in its key, is not heard.
    """
    seen: dict[str, str] = st.session_state.setdefault(_SEEN, {})
    before, seen[site.id] = seen.get(site.id), _revision(kept)
    return before not in (None, seen[site.id])


def _done(
    site: Site, keep: Callable[[], bool], said: str, more: str = "", held: str = "What you did is not kept."
) -> None:
    """Keep, and draw the page anew, which says both; what goes wrong is said in its place, and what became of
    what was to be kept: `held`.
    """
    try:
        is_kept = keep()
    except RuntimeError as error:
        st.error(plain(f"{error} {held}"), icon=":material/error:")
        return
    if is_kept:
        st.session_state.setdefault(_SAID, {})[site.id] = (said, more)
        st.session_state[_SEEN].pop(site.id, None)
        _again()
    st.warning(plain(_OVERTAKEN), icon=":material/warning:")


def _again() -> None:
    """The whole page: the drawing above is another one."""
    st.rerun()


def _revision(kept: KeptPlan) -> str:
    return sha256(kept.document.encode()).hexdigest()[:16]
