"""The preview of a screen, saved or not: it needs no link, and whoever looks at it is no viewer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import streamlit as st

from analysis.names import LONGEST_NAME, one_line
from components.panels.screen_link import screen_address
from components.plain_text import plain
from components.wall_frame import wall_frame
from screens.definition import Composition, Screen

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
    name = one_line(screen.name, LONGEST_NAME)
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
