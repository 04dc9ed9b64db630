"""Where this dashboard keeps what is its own: its data folder, or the database that several share."""

from __future__ import annotations

import streamlit as st

from keeping import Place, Reached, SharedDatabase
from runtime.settings import get_settings


def kept_place() -> Place:
    """As the settings have it. Its text tells it from another; no secret is in it."""
    settings = get_settings()
    url = settings.dashboard_store
    return _database(url.get_secret_value()) if url else settings.data_dir


def shared_store() -> SharedDatabase | None:
    """None: files hold what is kept."""
    place = kept_place()
    return place if isinstance(place, SharedDatabase) else None


def shared_store_reached() -> Reached | None:
    """How it went with it the last time; None: files hold what is kept."""
    database = shared_store()
    return database.reached if database else None


def close_kept_place() -> None:
    """May be called more than once."""
    _database.clear()


@st.cache_resource(show_spinner=False, on_release=SharedDatabase.close)
def _database(url: str) -> SharedDatabase:
    return SharedDatabase(url)
