"""A screen of the small site, composed straight into a dashboard's store."""

from __future__ import annotations

from keeping import Place
from screens import Composition, ScreenStore, View, ViewKind
from tests.small_site import SITE


def hang_screen(place: Place, kind: ViewKind = ViewKind.NUMBER) -> str:
    """The token of its link; `place` is where the dashboard keeps what is its own."""
    store = ScreenStore(place)
    try:
        return store.create(Composition(name="Door", views=(View(kind=kind, site_id=SITE.id),))).token
    finally:
        store.close()
