"""The saved screens of this dashboard, and who looks at them."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import streamlit as st

from runtime.resources import get_hub, signing_secret
from runtime.settings import get_settings
from screens import (
    PreviewSigner,
    ScreenStore,
    ScreenStoreError,
    ShownBook,
    Trouble,
    ViewerRegistry,
    troubles_of,
)


def get_screens() -> ScreenStore:
    """The one store of this process; dashboards with the same data folder share the file.

    Raises ScreenStoreError where nothing can be kept.
    """
    return _screens(str(get_settings().data_dir))


def has_screens() -> bool:
    """Whether any is saved; also where that cannot be told: why stands where the list does, on top."""
    with suppress(ScreenStoreError):
        return bool(get_screens().standings())
    return True


def get_viewers() -> ViewerRegistry:
    """Who looks at screens that this process serves."""
    return _viewers()


def get_shown() -> ShownBook:
    """What was last learned for the screens that this process serves."""
    return _shown()


def troubles_now(screen_id: str) -> tuple[Trouble, ...]:
    """Why the walls that show it show no number."""
    views = get_shown().of(screen_id, is_watched=bool(get_viewers().of(screen_id)))
    return troubles_of(views, get_hub().snapshot)


def get_previews() -> PreviewSigner:
    """Makes and reads the tickets with which the Screens page shows a screen."""
    return PreviewSigner(signing_secret())


def close_screens() -> None:
    """May be called more than once."""
    _screens.clear()


@st.cache_resource(show_spinner=False, on_release=ScreenStore.close)
def _screens(data_dir: str) -> ScreenStore:
    return ScreenStore(Path(data_dir))


@st.cache_resource(show_spinner=False)
def _shown() -> ShownBook:
    return ShownBook()


@st.cache_resource(show_spinner=False)
def _viewers() -> ViewerRegistry:
    return ViewerRegistry()
