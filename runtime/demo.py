"""The demo, once the service answers: hours of its shop are kept, and with HEADROOM_DEMO, which `make demo`
sets, a wall screen is composed and the link of the tour told.
"""

from __future__ import annotations

import os
import sys
import threading
import webbrowser
from contextlib import suppress
from typing import Final

import streamlit as st
import structlog

from api_client import ApiClientError
from contract import SiteSummary
from runtime.demo_hours import keep_demo_hours
from runtime.reads import read_sites
from runtime.resources import get_screens
from runtime.settings import SettingsError, get_settings
from screens import Composition, Screen, ScreenStore, ScreenStoreError, View, ViewKind

DEMO_SCREEN: Final = "Demo wall"
TOUR: Final = "replay?tour=1"
"""Address of its first stop."""
_BETWEEN: Final = 1.0
"""Seconds between two questions whether the service answers."""
_log: Final = structlog.get_logger("runtime.demo")


def is_demo() -> bool:
    """Whether the settings ask for it."""
    return bool(get_settings().demo)


def has_demo_data() -> bool:
    """Whether the sites of the service in use are those of the demo."""
    return get_settings().base_url is None and get_settings().demo_data


def begin_demo(ended: threading.Event) -> None:
    """In a thread of its own, where there is anything to do; until `ended` it waits for the service."""
    with suppress(SettingsError):
        if is_demo() or has_demo_data():
            threading.Thread(target=_begin, args=(ended,), name="demo", daemon=True).start()


def _begin(ended: threading.Event) -> None:
    while not ended.is_set():
        with suppress(ApiClientError):
            sites = read_sites()
            if has_demo_data():
                keep_demo_hours(sites)
            if is_demo() and get_settings().base_url is None:
                compose_wall(sites)
            break
        ended.wait(_BETWEEN)
    if is_demo() and not ended.is_set():
        address = f"http://localhost:{st.get_option('server.port')}/{TOUR}"
        sys.stdout.write(f"\n  The tour is ready: {address}\n\n")
        sys.stdout.flush()
        if _has_browser():
            webbrowser.open(address)


def compose_wall(sites: list[SiteSummary]) -> None:
    """A screen with the views that say something at any hour first; none where one of its name is there."""
    if not sites or demo_screen_id():
        return
    site_id = sites[0].id
    views = [View(kind=ViewKind.CURVE, site_id=site_id), View(kind=ViewKind.BOARD, site_id=site_id)]
    views += [View(kind=ViewKind.LIGHT, site_id=site_id), View(kind=ViewKind.SITES)]
    try:
        get_screens().create(Composition(name=DEMO_SCREEN, views=tuple(views)))
    except ScreenStoreError as error:
        _log.warning("the demo's wall screen cannot be kept", reason=str(error))


def demo_screen_id() -> str:
    """Of the screen that the demo has composed; empty: it is not there, or nothing can be read."""
    with suppress(ScreenStoreError):
        return _found(get_screens())
    return ""


def _found(store: ScreenStore) -> str:
    named = (one.id for one in store.screens() if isinstance(one, Screen) and one.name == DEMO_SCREEN)
    return next(named, "")


def _has_browser() -> bool:
    """Whether there are windows: a browser within the terminal would take it."""
    return sys.platform in {"darwin", "win32"} or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))
