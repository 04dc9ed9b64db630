"""The saved screens of this dashboard, and who looks at them."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from runtime.resources import signing_secret
from runtime.settings import get_settings
from screens import PreviewSigner, ScreenStore, ViewerRegistry


def get_screens() -> ScreenStore:
    """The one store of this process; dashboards with the same data folder share the file.

    Raises ScreenStoreError where nothing can be kept.
    """
    return _screens(str(get_settings().data_dir))


def get_viewers() -> ViewerRegistry:
    """Who looks at screens that this process serves."""
    return _viewers()


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
def _viewers() -> ViewerRegistry:
    return ViewerRegistry()
