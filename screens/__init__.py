"""Screens that hang on a wall: what each shows, its link, and the page that the link opens.

`ScreenStore` keeps them, `screen_routes` serves them, `ViewerRegistry` knows who looks.
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
from screens.previews import PreviewSigner
from screens.routes import screen_routes
from screens.store import (
    ChangedScreenError,
    NewLink,
    Removed,
    ScreenStore,
    ScreenStoreError,
    UnknownScreenError,
)
from screens.troubles import ShownBook, Trouble, troubles_of
from screens.viewers import Viewer, ViewerRegistry

__all__ = [
    "ChangedScreenError",
    "Composition",
    "Language",
    "NewLink",
    "PreviewSigner",
    "Removed",
    "Screen",
    "ScreenStore",
    "ScreenStoreError",
    "ShownBook",
    "Theme",
    "Trouble",
    "UnknownScreenError",
    "UnreadableScreen",
    "View",
    "ViewKind",
    "Viewer",
    "ViewerRegistry",
    "Words",
    "problems",
    "screen_routes",
    "troubles_of",
]
