"""A screen of the small site, composed straight into a dashboard's store."""

from __future__ import annotations

from pathlib import Path

from screens import Composition, ScreenStore, View, ViewKind
from tests.small_site import SITE


def hang_screen(data_dir: Path, kind: ViewKind = ViewKind.NUMBER) -> str:
    """The token of its link; `data_dir` is the dashboard's."""
    store = ScreenStore(data_dir)
    try:
        return store.create(Composition(name="Door", views=(View(kind=kind, site_id=SITE.id),))).token
    finally:
        store.close()
