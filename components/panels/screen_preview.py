"""Pictures of screens: the preview of one, saved or not, and a gallery of the views to begin with."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final, NamedTuple, Protocol

import streamlit as st

from analysis.names import LONGEST_NAME as LONGEST_SHOWN
from analysis.names import one_line
from components.panels.permission import may_change
from components.panels.screen_draft import begin_draft
from components.panels.screen_link import screen_address
from components.panels.viewer import viewer_theme
from components.plain_text import plain
from components.wall_frame import wall_frame
from contract import Site
from gauge.levels import Thresholds
from screens.definition import LONGEST_NAME, Composition, Language, Scope, Screen, Theme, View, ViewKind

TELEVISION: Final = "Television"
_SHAPES: Final = {
    TELEVISION: (1920, 1080),
    "Upright": (1080, 1920),
    "Tablet": (1024, 768),
    "Phone": (390, 844),
}
"""CSS pixels of usual screens."""
_MOST_HEIGHT: Final = 430
"""Pixels: the choices below it stay in sight on a laptop."""
_NOT_A_VIEWER: Final = "In the true shape of its screen, only smaller. You are not counted as a viewer."

_IN_WORDS: Final = {6: "six", 7: "seven", 8: "eight", 9: "nine"}
_ROW: Final = 3
_WIDTH: Final = 1280
_HEIGHT: Final = 720
_PICTURE_HEIGHT: Final = 220
_MOST_DRAWN: Final = 20
"""Sites; the picture of more would ask the service for each of them."""


def draft_preview(
    draft: Composition | tuple[str, ...], ticket_of: Callable[[Composition], str | None], *, is_saved: bool
) -> None:
    """How the draft in the editor would look now, or what it misses.

    `ticket_of` gives None for what is too large. `is_saved`: whether walls show the same.
    """
    with st.container(horizontal=True, vertical_alignment="center"):
        st.header("Preview", anchor=False, help=_NOT_A_VIEWER, width="content")
        shape = st.segmented_control(
            "Shape",
            [TELEVISION, "Upright", "Tablet", "Phone"],
            default=TELEVISION,
            key="preview-shape",
            label_visibility="collapsed",
        )
    width, height = _SHAPES[shape or TELEVISION]
    ticket = None if isinstance(draft, tuple) else ticket_of(draft)
    if isinstance(draft, tuple):
        missing = "  \n".join(plain(problem) for problem in draft)
        st.info(f"There is nothing to preview yet:  \n{missing}", icon=":material/edit_note:")
    elif ticket is None:
        st.info("This is too much to be previewed before it is saved.", icon=":material/edit_note:")
    else:
        wall_frame(
            screen_address(ticket),
            title="Preview of the draft",
            width=width,
            height=height,
            most_height=_MOST_HEIGHT,
            key="draft-preview",
        )
    if not is_saved:
        st.caption(":material/edit_note: Not saved yet: walls show what was saved before.")


def preview_panel(screen: Screen, ticket: str) -> None:
    """The screen as it is saved, in place."""
    name = one_line(screen.name, LONGEST_SHOWN)
    st.caption(f":material/visibility: Preview, as it is saved. {_NOT_A_VIEWER}")
    wall_frame(
        # Another address with each change, so that the frame shows it at once.
        f"{screen_address(ticket)}?revision={screen.revision}",
        title=f"Preview of {name}",
        width=_SHAPES[TELEVISION][0],
        height=_SHAPES[TELEVISION][1],
        most_height=_MOST_HEIGHT,
        key=f"preview-{screen.id}",
    )


class Shown(NamedTuple):
    """The site that the pictures are of."""

    id: str
    name: str
    has_capacity: bool
    has_zones: bool
    """Besides those that stand for the whole."""
    thresholds: Thresholds = Thresholds()
    """Where filling and full begin there."""


class Whole(Protocol):
    """What is known of a whole site."""

    @property
    def capacity(self) -> float | None: ...

    @property
    def top_zone_ids(self) -> tuple[str, ...]: ...


def shown_site(site: Site, whole: Whole, thresholds: Thresholds | None) -> Shown:
    """`thresholds`: None where none are kept for the site."""
    has_zones = any(zone.id not in whole.top_zone_ids for zone in site.zones)
    return Shown(site.id, site.name, bool(whole.capacity), has_zones, thresholds or Thresholds())


def gallery_container(*, is_folded: bool) -> AbstractContextManager[object] | None:
    """Where the gallery stands; None while it is folded: then nothing of it is made, sent or loaded."""
    if not is_folded:
        return st.container(key="gallery")
    label = f"Begin with one of the {_IN_WORDS.get(len(ViewKind), len(ViewKind))} views"
    part = st.expander(label, icon=":material/gallery_thumbnail:", key="gallery-folded", on_change="rerun")
    return part if part.open else None


def gallery_panel(site: Shown, how_many: int, ticket_of: Callable[[Composition], str | None]) -> None:
    """`how_many` sites there are; `ticket_of` opens a composition that is not saved."""
    st.caption("Each picture is of the minute that its clock shows, taken anew every minute; a wall is live.")
    locale, theme = st.context.locale, Theme(viewer_theme())
    kinds = list(ViewKind)
    for first in range(0, len(kinds), _ROW):
        for kind, column in zip(kinds[first : first + _ROW], st.columns(_ROW), strict=False):
            # As high as its row, so that the buttons of a row stand in one line.
            with column, st.container(border=True, height="stretch", key=f"offer-{kind}"):
                begun = begun_with(kind, site, locale)
                with st.container(height="stretch", key=f"offered-{kind}"):
                    _picture(begun, site, how_many, ticket_of(begun.model_copy(update={"theme": theme})))
                    st.markdown(kind.facts.purpose)
                    st.caption(missing_for(kind, site))
                if not may_change():
                    st.markdown(f"**{plain(kind.facts.label)}**")
                    continue
                st.button(
                    kind.facts.label,
                    key=f"begin-{kind}",
                    icon=":material/add:",
                    width="stretch",
                    on_click=begin_draft,
                    args=(begun,),
                )


def begun_with(kind: ViewKind, site: Shown, locale: str | None) -> Composition:
    """One view with the thresholds of the site, in the viewer's language where walls have words in it."""
    is_of_all = kind.facts.scope is Scope.SITES
    what = kind.facts.label
    longest = LONGEST_NAME - len(what) - 2
    name = what if is_of_all else f"{one_line(site.name or site.id, longest)}: {what.lower()}"
    view = View(kind=kind, site_id=None if is_of_all else site.id, thresholds=site.thresholds)
    return Composition(name=name, views=(view,), language=language_of(locale))


def language_of(locale: str | None) -> Language:
    tongue = (locale or "")[:2].lower()
    return Language(tongue) if tongue in set(Language) else Language.ENGLISH


def missing_for(kind: ViewKind, site: Shown) -> str:
    """What the site lacks for this view, as Markdown; empty: nothing."""
    if kind.facts.needs_capacity and not site.has_capacity:
        return (
            ":material/info: Needs a capacity, which the service does not tell for this site: choose a zone."
        )
    if kind.facts.scope is Scope.ZONES and not site.has_zones:
        return ":material/info: Needs zones, and this site has none."
    return ""


def _picture(begun: Composition, site: Shown, how_many: int, ticket: str | None) -> None:
    kind = begun.views[0].kind
    if (
        ticket is None
        or (kind.facts.scope is Scope.SITES and how_many > _MOST_DRAWN)
        or missing_for(kind, site)
    ):
        st.caption(":material/tv: Drawn when it is composed.")
        return
    wall_frame(
        f"{screen_address(ticket)}?still",
        title=f"{kind.facts.label}, {one_line(site.name, LONGEST_SHOWN)}, a moment ago",
        width=_WIDTH,
        height=_HEIGHT,
        most_height=_PICTURE_HEIGHT,
        key=f"picture-{kind}",
        is_still=True,
    )
