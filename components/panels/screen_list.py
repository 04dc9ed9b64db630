"""The saved screens: what each shows, its link, who looks at it now, and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import streamlit as st

from analysis.names import LONGEST_NAME, one_line
from components.panels.permission import may_change, may_change_or_say
from components.panels.screen_actions import Action, Asked, button_key, put_back_mark
from components.panels.screen_draft import LANGUAGE_NAMES, THEME_NAMES, view_sentence
from components.panels.screen_find import ScreenState, found_screens, states_of
from components.panels.screen_link import link_panel, made_screens, stands_above
from components.panels.screen_preview import preview_panel
from components.panels.screen_state import Seen, Trouble, seen_panel, shared_troubles_panel, troubles_panel
from components.panels.viewer import viewer_moment
from components.plain_text import plain, plain_name
from screens.definition import Composition, Screen, UnreadableScreen

_PREVIEWED: Final = "screen-previewed"
"""Session key: id of the one screen of the list whose preview is open; each keeps a stream."""


@dataclass(frozen=True, slots=True)
class Known:
    """What this process knows of screens, by their ids."""

    sites: Mapping[str, str]
    """Site id -> name."""
    seen: Seen
    troubles_of: Callable[[str], Sequence[Trouble]]
    """What is wrong with it now, in the order of its views."""
    ticket_of: Callable[[str], str]
    """Opens its preview."""


@dataclass(frozen=True, slots=True)
class _Confirmation:
    action: Action
    label: str
    icon: str
    question: str
    without_link: str = ""
    """The question where no link leads to the screen; empty: it is the same."""

    def asked_of(self, screen: Screen | UnreadableScreen) -> str:
        return self.without_link if self.without_link and screen.link is None else self.question


_CONFIRMED: Final = (
    _Confirmation(
        Action.ROTATE,
        "New link",
        ":material/autorenew:",
        "The link in use stops working within seconds, and every wall that was opened with it shows a "
        "neutral page until it is opened with the new one, which is shown here.",
        without_link="The screen can be opened again, with the new link, which is shown here. Links that it "
        "had before stay dead.",
    ),
    _Confirmation(
        Action.REVOKE,
        "Revoke",
        ":material/link_off:",
        "The link stops working within seconds. The screen stays in this list. You can undo this until you "
        "load the page anew; later, a new link brings it back.",
    ),
    _Confirmation(
        Action.DELETE,
        "Delete",
        ":material/delete:",
        "The screen and its link are gone, and its walls go dark. You can undo this until you load the page "
        "anew.",
        without_link="The screen is gone. You can undo this until you load the page anew.",
    ),
)


_REVOKED: Final = ":material/link_off: **Revoked.** No link leads to this screen."
_NO_SCREEN: Final = "No screen is saved yet. Compose one, and open its link on the device on the wall."
_BELOW: Final = (
    "A link is shown once, when it is made. If it is lost, make a new one. Viewers are counted over all "
    "dashboards that share these screens."
)


def compose_panel(*, is_possible: bool) -> bool:
    """Whether a new screen is asked for; `is_possible` where a site is known that it could show."""
    if not may_change_or_say():
        return False
    if not is_possible:
        st.info(
            "No site can be read now: none is set up yet, or the service does not answer. A screen can be "
            "composed as soon as one can.",
            icon=":material/hourglass_top:",
        )
        return False
    return st.button("Compose a screen", type="primary", icon=":material/add:")


def screens_panel(screens: Sequence[Screen | UnreadableScreen], known: Known) -> Asked | None:
    """The saved screens, of many those that are chosen; what is asked of one."""
    troubles = {screen.id: () if screen.link is None else known.troubles_of(screen.id) for screen in screens}
    said = shared_troubles_panel(troubles)

    def states(screen: Screen | UnreadableScreen) -> frozenset[ScreenState]:
        return states_of(screen, known.seen.state(screen.id), is_troubled=bool(troubles[screen.id]))

    asked = None
    for screen in found_screens(screens, known.sites, states):
        if isinstance(screen, UnreadableScreen):
            asked = _unreadable(screen) or asked
        else:
            asked = _screen_panel(screen, known, troubles[screen.id], said) or asked
    if screens:
        st.caption(_BELOW)
    else:
        st.info(_NO_SCREEN if may_change() else "No screen is saved yet.")
    return asked


def _screen_panel(
    screen: Screen, known: Known, troubles: Sequence[Trouble], said: Collection[str]
) -> Asked | None:
    """One saved screen."""
    with st.container(border=True, key=f"screen-{screen.id}"):
        st.header(plain_name(screen.name), anchor=False)
        put_back_mark(screen.id)
        st.markdown("  \n".join(plain(view_sentence(view, known.sites)) for view in screen.views))
        st.caption(_look(screen))
        left_out_panel(screen)
        troubles_panel(troubles, said)
        _where(screen)
        if screen.link is not None:
            seen_panel(known.seen, screen.id)
        if st.session_state.get(_PREVIEWED) == screen.id and not stands_above(screen):
            preview_panel(screen, known.ticket_of(screen.id))
        return _actions(screen)


def _where(screen: Screen) -> None:
    if screen.link is None:
        st.markdown(_REVOKED)
    elif stands_above(screen):
        st.markdown(":material/key: Its link stands at the top of this page.")
    elif screen.id not in made_screens():
        link_panel(screen)


def _unreadable(screen: UnreadableScreen) -> Asked | None:
    with st.container(border=True, key=f"screen-{screen.id}"):
        st.header(plain_name(screen.name) or "A screen without a readable name", anchor=False)
        st.warning(
            f"This dashboard cannot read this screen. {plain(screen.reason)}  \nIf a newer dashboard saved "
            "it, update this one, and its walls come back by themselves. Else delete it and compose it anew.",
            icon=":material/warning:",
        )
        if screen.link is None:
            st.markdown(_REVOKED)
        with st.container(horizontal=True):
            return _confirmed(screen, Action.REVOKE, Action.DELETE)


def no_screen_panel(screen_id: str, *, was_edited: bool) -> None:
    """Say that a screen is not there, in the place of its editor."""
    named = one_line(screen_id, LONGEST_NAME)
    st.warning(
        "This screen is no more: somebody deleted it meanwhile. What was not saved is lost."
        if was_edited
        else plain(f"There is no screen “{named}”: somebody deleted it, or the address is not whole."),
        icon=":material/delete:",
    )


def saved_by_others_panel(screen: Screen, begun: Composition | None) -> None:
    """Where the screen was revoked; where another tab saved it since its editor was opened with `begun`, or a
    newer dashboard.
    """
    left_out_panel(screen)
    if screen.link is None:
        st.markdown(_REVOKED)
    if begun is not None and screen.composition != begun:
        st.warning(
            "Somebody changed this screen since you opened it here. Saving replaces that with what you see; "
            "“Back to the list” keeps it.",
            icon=":material/edit_note:",
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


def _actions(screen: Screen) -> Asked | None:
    with st.container(horizontal=True):
        if not stands_above(screen):
            st.button(
                f"Preview{_of(screen)}",
                key=f"preview-of-{screen.id}",
                icon=":material/visibility:",
                on_click=_turn_preview,
                args=(screen.id,),
            )
        if not may_change():
            return None
        is_edited = st.button(f"Edit{_of(screen)}", key=f"edit-{screen.id}", icon=":material/edit:")
        confirmed = _confirmed(screen, Action.ROTATE, Action.REVOKE, Action.DELETE)
    return Asked(Action.EDIT, screen.id, screen.name) if is_edited else confirmed


def _of(screen: Screen | UnreadableScreen) -> str:
    """In a label, for screen readers alone: of which screen (`button em` in `page_frame/page.css`)."""
    name = plain_name(screen.name)
    return f" *{name}*" if name else ""


def _turn_preview(screen_id: str) -> None:
    """Open or close the preview of a screen; of all screens, one is open."""
    is_off = st.session_state.get(_PREVIEWED) != screen_id
    st.session_state[_PREVIEWED] = screen_id if is_off else None


def _confirmed(screen: Screen | UnreadableScreen, *offered: Action) -> Asked | None:
    asked = None
    if not may_change():
        return None
    for one in _CONFIRMED:
        if one.action not in offered or (one.action is Action.REVOKE and screen.link is None):
            continue
        # By its key it is another than the one beside it: a question stays open where it was asked, and after
        # “Revoke now” the next in its place would be “Delete now”.
        key = f"ask-{one.action}-{screen.id}"
        with st.popover(f"{one.label}{_of(screen)}", icon=one.icon, key=key, on_change="rerun"):
            st.markdown(one.asked_of(screen))
            if st.button(f"{one.label} now", key=button_key(one.action, screen.id), type="primary"):
                asked = Asked(one.action, screen.id, screen.name)
    return asked


def _look(screen: Screen) -> str:
    changed = viewer_moment(screen.updated_at)
    return f"{THEME_NAMES[screen.theme]} · {LANGUAGE_NAMES[screen.language]} · last changed {plain(changed)}"
