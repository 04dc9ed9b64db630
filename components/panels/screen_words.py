"""What the Screens page calls looks and languages, and how it tells of views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from screens.definition import SHORTEST_PAGE, Language, Scope, Theme, View, ViewKind

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
    what = view.kind.facts.label
    if view.kind.facts.scope is Scope.SITES or view.site_id is None:
        return f"{what}, {view.seconds} s"
    where = sites.get(view.site_id, view.site_id)
    return f"{what}: {where}{', one zone' if view.zone_id else ''}, {view.seconds} s"


def round_sentence(turns: Sequence[tuple[ViewKind, int]]) -> str:
    """How long a rotation takes, as Markdown; empty: nothing rotates. Turns in seconds."""
    if len(turns) < 2:  # noqa: PLR2004 -- one view stands still
        return ""
    minutes, seconds = divmod(sum(turn for _kind, turn in turns), 60)
    told = [f"{minutes} min"] * bool(minutes) + [f"{seconds} s"] * bool(seconds)
    paged = [kind.facts.label for kind in ViewKind if kind.facts.turns_pages and kind in dict(turns)]
    longer = (
        f" It takes longer where “{'” or “'.join(paged)}” has more places than can be read at once on its "
        f"wall: that turns pages, each for {SHORTEST_PAGE} s at least."
    )
    return f":material/timer: One round takes {' '.join(told)}.{longer if paged else ''}"
