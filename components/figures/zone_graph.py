"""The graph of a site's zones and passages, ready to be drawn by a browser at any of a few widths."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from analysis.names import LONGEST_NAME, one_line
from analysis.subject import labels_of
from components.figures.zone_drawing import WIDTHS, ZoneDrawing, drawn
from components.figures.zone_folds import Fold, Folded, folded
from components.figures.zone_layout import OUTSIDE, Node, Way, is_legible, ways_of
from contract import Site

_MOST_LISTED: Final = 8
"""Passages of one way that are named."""
_KEPT: Final = 64


class WayWords(NamedTuple):
    name: str
    """As it stands on the line: of the passage, or how many they are."""
    title: str
    """A line of its own: the names, and from where to where."""
    passages: tuple[str, ...]
    """Their ids."""


class ZoneGraph(NamedTuple):
    zone_ids: tuple[str, ...]
    """Of the cards, in their order: zones, or the places of the folds."""
    ways: tuple[WayWords, ...]
    drawings: tuple[ZoneDrawing, ...]
    """Ascending in width; none where there is nothing to draw or too much to be read."""
    description: str
    """For those who do not see it."""
    note: str
    """What is not drawn, and why; empty: nothing."""
    folds: tuple[Fold, ...] = ()
    """The cards, where they stand for several zones each; none: each stands for one."""


@lru_cache(maxsize=_KEPT)
def zone_graph(site: Site) -> ZoneGraph:
    """Kept for each site as long as it stays as it is: no number is in it."""
    if site.zones and is_legible(site):
        return _drawn(site)
    found = folded(site)
    if found is None or not is_legible(found.site):
        return ZoneGraph((), (), (), "", _nothing_drawn(site))
    graph = _drawn(found.site)
    # What leads nowhere is missing in the folded site, too, and is told of the site as it is.
    return graph._replace(folds=found.folds, note=f"{_folds_note(site, found)} {_left_out(site)}".strip())


def _drawn(site: Site) -> ZoneGraph:
    words = _words(site, ways_of(site))
    names = [way.name for way in words]
    found = [drawing for width in WIDTHS if (drawing := drawn(site, width, names)) is not None]
    drawings = {drawing.width: drawing for drawing in found}  # a small site looks the same at most widths
    counted = f"{_counted(len(site.zones), 'zone')} and {_counted(len(site.passages), 'passage')}"
    described = " ".join(f"{way.title}." for way in words)
    return ZoneGraph(
        tuple(zone.id for zone in site.zones),
        words,
        tuple(drawings.values()),
        f"{counted}. {described}".strip(),
        _left_out(site),
    )


def _folds_note(site: Site, found: Folded) -> str:
    passages = _counted(found.within, "passage")
    verb = "is" if found.within == 1 else "are"
    within = f" {passages} within a category {verb} not drawn." if found.within else ""
    return (
        f"{_counted(len(site.zones), 'zone')} and {_counted(len(site.passages), 'passage')} are too many to "
        "read as a graph, so each card stands for a category: its number is the sum of its zones, which the "
        f"table below lists.{within}"
    )


def _words(site: Site, ways: Sequence[Way]) -> tuple[WayWords, ...]:
    zones: dict[Node, str] = {OUTSIDE: "outside"}
    zones.update(labels_of(site.zones))
    passages = labels_of(site.passages)
    return tuple(
        WayWords(
            names[0] if len(names) == 1 else f"{len(names)} passages",
            f"{_listed(names)}: from {zones[way.start]} to {zones[way.end]}",
            tuple(passage.id for passage in way.passages),
        )
        for way in ways
        for names in ([passages[passage.id] for passage in way.passages],)
    )


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST_LISTED
    return ", ".join([*names[:_MOST_LISTED], *([f"{more} more"] if more > 0 else [])])


def _nothing_drawn(site: Site) -> str:
    if not site.zones:
        return "The service lists no zones for this site, so there is nothing to draw."
    counted = f"{_counted(len(site.zones), 'zone')} and {_counted(len(site.passages), 'passage')}"
    return f"{counted} are too many to read as a graph. The tables below list all of them."


def _left_out(site: Site) -> str:
    shown = {passage.id for way in ways_of(site) for passage in way.passages}
    hidden = [one_line(passage.name, LONGEST_NAME) for passage in site.passages if passage.id not in shown]
    if not hidden:
        return ""
    verb = "is" if len(hidden) == 1 else "are"
    return (
        f"{_counted(len(hidden), 'passage')} {verb} not drawn ({_listed(hidden)}): "
        "outside on both sides, or to a zone that the service does not list."
    )


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
