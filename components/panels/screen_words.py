"""What the Screens page calls kinds, looks and languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from screens.definition import OF_ALL_SITES, PAGED, SHORTEST_PAGE, Language, Theme, View, ViewKind

KIND_NAMES: Final = {
    ViewKind.NUMBER: "Number and places left",
    ViewKind.LIGHT: "Enter or wait",
    ViewKind.GAUGE: "Gauge",
    ViewKind.BOARD: "Zones of a site",
    ViewKind.CURVE: "Today against a typical day",
    ViewKind.SITES: "All sites",
}
VIEW_SENTENCES: Final = {
    ViewKind.NUMBER: "How many are inside and how many may still come in, readable from across the street.",
    ViewKind.LIGHT: "One colour, one sign and one word at the door: come in, or please wait.",
    ViewKind.GAUGE: "How full it is, and the last two hours, for those who work there.",
    ViewKind.BOARD: "Every zone beside the others, so that people go where there is room.",
    ViewKind.CURVE: "Today against the same weekday of past weeks, to plan the next hours.",
    ViewKind.SITES: "Every site at a glance, for the office.",
}
"""What each view is for."""
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


def round_sentence(turns: Sequence[tuple[ViewKind, int]]) -> str:
    """How long a rotation takes, as Markdown; empty: nothing rotates. Turns in seconds."""
    if len(turns) < 2:  # noqa: PLR2004 -- one view stands still
        return ""
    minutes, seconds = divmod(sum(turn for _kind, turn in turns), 60)
    told = [f"{minutes} min"] * bool(minutes) + [f"{seconds} s"] * bool(seconds)
    paged = [KIND_NAMES[kind] for kind in ViewKind if kind in PAGED and kind in dict(turns)]
    longer = (
        f" It takes longer where “{'” or “'.join(paged)}” has more places than can be read at once on its "
        f"wall: that turns pages, each for {SHORTEST_PAGE} s at least."
    )
    return f":material/timer: One round takes {' '.join(told)}.{longer if paged else ''}"
