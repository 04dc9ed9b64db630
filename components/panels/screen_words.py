"""What the Screens page calls kinds, looks and languages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from screens.definition import OF_ALL_SITES, Language, Theme, View, ViewKind

KIND_NAMES: Final = {
    ViewKind.NUMBER: "Number and places left",
    ViewKind.LIGHT: "Enter or wait",
    ViewKind.GAUGE: "Gauge",
    ViewKind.BOARD: "Zones of a site",
    ViewKind.CURVE: "Today against a typical day",
    ViewKind.SITES: "All sites",
}
THEME_NAMES: Final = {
    Theme.LIGHT: "Light",
    Theme.DARK: "Dark",
    Theme.CLOCK: "Light by day, dark by night",
}
LANGUAGE_NAMES: Final = {
    Language.ENGLISH: "English",
    Language.GERMAN: "Deutsch",
    Language.FRENCH: "Français",
    Language.ITALIAN: "Italiano",
}
LEVEL_LABELS: Final = {"free": "Word for free", "filling": "Word for filling", "full": "Word for full"}


def view_sentence(view: View, sites: Mapping[str, str]) -> str:
    """`Gauge of Corner shop, 20 s`. `sites` is id -> name."""
    what = KIND_NAMES[view.kind]
    if view.kind in OF_ALL_SITES or view.site_id is None:
        return f"{what}, {view.seconds} s"
    where = sites.get(view.site_id, view.site_id)
    return f"{what}: {where}{', one zone' if view.zone_id else ''}, {view.seconds} s"
