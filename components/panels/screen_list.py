"""The saved screens: what each shows, its link, who looks at it now, and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple, Protocol
from zoneinfo import ZoneInfo

import streamlit as st

from components.number_format import Formats
from components.panels.screen_link import new_link_panel
from components.panels.screen_words import LANGUAGE_NAMES, THEME_NAMES, view_sentence
from components.panels.viewer import viewer_formats, viewer_or_utc
from components.plain_text import LONGEST_NAME, plain
from screens.definition import Screen, UnreadableScreen

_MOST_LISTED: Final = 5


class Viewer(Protocol):
    """Somebody who looks at a screen."""

    @property
    def address(self) -> str: ...

    @property
    def agent(self) -> str: ...

    @property
    def since(self) -> datetime: ...


ViewersOf = Callable[[str], Sequence[Viewer]]
"""Screen id -> who looks at it now, the longest there first."""


class Deed(StrEnum):
    EDIT = "edit"
    ROTATE = "rotate"
    REVOKE = "revoke"
    DELETE = "delete"


class Asked(NamedTuple):
    deed: Deed
    screen_id: str


@dataclass(frozen=True, slots=True)
class _Confirmation:
    deed: Deed
    label: str
    icon: str
    question: str
    without_link: str = ""
    """The question where no link leads to the screen; empty: it is the same."""

    def asked_of(self, screen: Screen | UnreadableScreen) -> str:
        return self.without_link if self.without_link and screen.link is None else self.question


_CONFIRMED: Final = (
    _Confirmation(
        Deed.ROTATE,
        "New link",
        ":material/autorenew:",
        "The link in use stops working within seconds, and every wall that was opened with it shows a "
        "neutral page until it is opened with the new one, which is shown here.",
        without_link="The screen can be opened again, with the new link, which is shown here. Links that it "
        "had before stay dead.",
    ),
    _Confirmation(
        Deed.REVOKE,
        "Revoke",
        ":material/link_off:",
        "The link stops working within seconds. The screen stays in this list; a new link brings it back.",
    ),
    _Confirmation(
        Deed.DELETE,
        "Delete",
        ":material/delete:",
        "The screen and its link are gone for good.",
        without_link="The screen is gone for good.",
    ),
)


_LINK_IN_USE: Final = (
    ":material/link: A link leads to this screen. It was shown when it was made; whoever lost it makes a "
    "new one."
)
_REVOKED: Final = ":material/link_off: **Revoked.** No link leads to this screen."


def screen_panel(
    screen: Screen | UnreadableScreen, sites: Mapping[str, str], viewers_of: ViewersOf
) -> Asked | None:
    """One saved screen. `sites` is id -> name."""
    if isinstance(screen, UnreadableScreen):
        return _unreadable(screen)
    with st.container(border=True, key=f"screen-{screen.id}"):
        st.subheader(plain(screen.name, LONGEST_NAME), anchor=False)
        st.markdown("  \n".join(plain(view_sentence(view, sites)) for view in screen.views))
        st.caption(_look(screen))
        left_out_panel(screen)
        link = new_link_panel(screen)
        if screen.link is None:
            st.markdown(_REVOKED)
        elif link is None:
            st.markdown(_LINK_IN_USE)
        if screen.link is not None:
            st.markdown(viewers_sentence(viewers_of(screen.id), viewer_formats(), viewer_or_utc()))
        return _deeds(screen, link)


def _unreadable(screen: UnreadableScreen) -> Asked | None:
    with st.container(border=True, key=f"screen-{screen.id}"):
        st.subheader(plain(screen.name) or "A screen without a readable name", anchor=False)
        st.warning(
            f"This dashboard cannot read this screen. {plain(screen.reason)}  \nIf a newer dashboard saved "
            "it, update this one, and its walls come back by themselves. Else delete it and compose it anew.",
            icon=":material/warning:",
        )
        if screen.link is None:
            st.markdown(_REVOKED)
        with st.container(horizontal=True):
            return _confirmed(screen, Deed.REVOKE, Deed.DELETE)


def no_screen_panel(*, was_edited: bool) -> None:
    """Instead of the editor of a screen that is not there."""
    st.warning(
        "This screen is no more: somebody deleted it meanwhile. What was not saved is lost."
        if was_edited
        else "There is no such screen: somebody deleted it, or the address is not whole.",
        icon=":material/delete:",
    )


def left_out_panel(screen: Screen) -> None:
    """What a newer dashboard saved of it that this one does not know, where there is such a thing."""
    if screen.left_out:
        sentences = "  \n".join(plain(left_out) for left_out in screen.left_out)
        st.warning(
            "A newer dashboard saved this screen. What this one does not know, it leaves out; saving it here "
            f"drops that for good:  \n{sentences}",
            icon=":material/warning:",
        )


def _deeds(screen: Screen, link: str | None) -> Asked | None:
    with st.container(horizontal=True):
        if link:
            st.link_button("Open", link, icon=":material/open_in_new:")
        is_edited = st.button("Edit", key=f"edit-{screen.id}", icon=":material/edit:")
        confirmed = _confirmed(screen, *Deed)
    return Asked(Deed.EDIT, screen.id) if is_edited else confirmed


def _confirmed(screen: Screen | UnreadableScreen, *offered: Deed) -> Asked | None:
    asked = None
    for one in _CONFIRMED:
        if one.deed not in offered or (one.deed is Deed.REVOKE and screen.link is None):
            continue
        with st.popover(one.label, icon=one.icon):
            st.markdown(one.asked_of(screen))
            if st.button(f"{one.label} now", key=f"{one.deed}-{screen.id}", type="primary"):
                asked = Asked(one.deed, screen.id)
    return asked


def _look(screen: Screen) -> str:
    changed = viewer_formats().moment(screen.updated_at.astimezone(viewer_or_utc()))
    return f"{THEME_NAMES[screen.theme]} · {LANGUAGE_NAMES[screen.language]} · last changed {plain(changed)}"


def viewers_sentence(viewers: Sequence[Viewer], formats: Formats, timezone: ZoneInfo) -> str:
    if not viewers:
        return ":material/visibility_off: Nobody looks at it now."
    listed = [
        f"{plain(viewer.agent, LONGEST_NAME)}, {plain(viewer.address, LONGEST_NAME)}, "
        f"since {plain(formats.moment(viewer.since.astimezone(timezone)))}"
        for viewer in viewers[:_MOST_LISTED]
    ]
    more = len(viewers) - len(listed)
    listed += [f"and {plain(formats.number(more))} more"] if more else []
    count = "1 viewer" if len(viewers) == 1 else f"{plain(formats.number(len(viewers)))} viewers"
    return f":material/visibility: **{count} now:** " + " · ".join(listed)
