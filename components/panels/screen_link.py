"""The link of a screen, shown once when it is made, and the preview, which needs none."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit, urlunsplit

import streamlit as st

from components.panels.viewer import dashboard_root
from screens.definition import Composition, Screen

_WIDTH: Final = 768
_HEIGHT: Final = 432
"""Pixels: the shape of a television."""
_KEPT: Final = "screen-links"
"""Session key: screen id -> token of the link that was made in this session."""


def keep_link(screen_id: str, token: str) -> str:
    """Show the link that was just made in this session, until the page is loaded anew; the screen's id."""
    st.session_state.setdefault(_KEPT, {})[screen_id] = token
    return screen_id


def new_link_panel(screen: Screen) -> str | None:
    """The link, to be copied now, where it was made in this session and is still the one in use."""
    token = st.session_state.get(_KEPT, {}).get(screen.id)
    if token is None:
        return None
    if not screen.is_opened_by(token):
        if screen.link is not None:
            st.warning(
                "The link that was shown here works no more: somebody made a newer one.",
                icon=":material/key_off:",
            )
        return None
    link = _address(token)
    st.markdown(
        ":material/key: **Its link: copy it now.** Whoever has it sees this screen, so it is not kept "
        "readable and not shown again once this page is reloaded. Whoever lost it makes a new one."
    )
    st.code(link, language=None, wrap_lines=True)
    if _is_of_this_computer(link):
        st.caption(
            ":material/lan: This address works on this computer only. For another device, open the dashboard "
            "to the network and come here by an address that the device can use; “On a wall” in the README "
            "says how."
        )
    return link


def preview_panel(screen: Screen, ticket: str, composed: Composition | tuple[str, ...]) -> None:
    """The screen as it is saved, in place; whoever previews it is not counted as a viewer.

    `composed` is how the editor above it stands: what is wrong with it, where it cannot be saved.
    """
    if composed != screen.composition:
        st.caption(":material/edit_note: Not saved yet: walls and preview show what was saved before.")
    st.subheader("Preview", anchor=False, help="As it is saved. You are not counted as a viewer.")
    with st.container(border=True, width="content"):
        # Another address with each change, so that the frame shows it at once.
        st.iframe(f"{_address(ticket)}?revision={screen.revision}", width=_WIDTH, height=_HEIGHT)


def _address(token: str) -> str:
    """As this browser reaches the dashboard: its path prefix and the name that it is known by are kept."""
    own = urlsplit(st.context.url or "")
    return urlunsplit((own.scheme, own.netloc, f"{dashboard_root()}screen/{token}", "", ""))


def _is_of_this_computer(link: str) -> bool:
    host = urlsplit(link).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
