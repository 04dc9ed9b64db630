"""The link of a screen, as this browser reaches the dashboard, and what it shows."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit, urlunsplit

import streamlit as st

from components.panels.viewer import dashboard_root
from screens.definition import Screen

_WIDTH: Final = 768
_HEIGHT: Final = 432
"""Pixels: the shape of a television."""


def link_of(screen: Screen) -> str | None:
    """None: revoked. A path prefix and the name that this browser knows the dashboard by are kept."""
    if not screen.token:
        return None
    own = urlsplit(st.context.url or "")
    return urlunsplit((own.scheme, own.netloc, f"{dashboard_root()}screen/{screen.token}", "", ""))


def preview_panel(screen: Screen) -> None:
    """The screen as it is saved, in place; whoever previews it is not counted as a viewer."""
    if link := link_of(screen):
        st.subheader("Preview", anchor=False, help="As it is saved. You are not counted as a viewer.")
        with st.container(border=True, width="content"):
            # Another address with each change, so that the frame shows it at once.
            st.iframe(f"{link}?preview={screen.revision}", width=_WIDTH, height=_HEIGHT)
