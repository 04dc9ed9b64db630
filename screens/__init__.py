"""Screens that hang on a wall: what each shows, its link, and the page that the link opens.

`ScreenStore` keeps them, `ScreenRoutes` serves them, `ViewerRegistry` knows who looks.
"""

from screens.definition import (
    Composition,
    Language,
    Screen,
    Theme,
    UnreadableScreen,
    View,
    ViewKind,
    Words,
    problems,
)
from screens.link_limits import LinkLimits
from screens.previews import PreviewSigner
from screens.routes import ScreenRoutes
from screens.shared_viewers import BEAT, SharedViewers, ViewersError
from screens.store import ChangedScreenError, NewLink, ScreenStore, ScreenStoreError, UnknownScreenError
from screens.troubles import ShownBook, Trouble, troubles_of
from screens.viewers import ViewerRegistry

__all__ = [
    "BEAT",
    "ChangedScreenError",
    "Composition",
    "Language",
    "LinkLimits",
    "NewLink",
    "PreviewSigner",
    "Screen",
    "ScreenRoutes",
    "ScreenStore",
    "ScreenStoreError",
    "SharedViewers",
    "ShownBook",
    "Theme",
    "Trouble",
    "UnknownScreenError",
    "UnreadableScreen",
    "View",
    "ViewKind",
    "ViewerRegistry",
    "ViewersError",
    "Words",
    "problems",
    "troubles_of",
]
