"""The graph of a site's zones and passages, ready to be drawn by a browser at any of a few widths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from analysis.names import LONGEST_NAME, one_line
from analysis.subject import labels_of
from analysis.zone_drawing import WIDTHS, ZoneDrawing, drawn
from analysis.zone_folds import Fold, Folded, folded
from analysis.zone_labels import name_room
from analysis.zone_layout import OUTSIDE, Node, Way, is_legible, ways_of
from contract import Site

WALL_WIDTHS: Final = (288, 340, 420, 560, 720, 960, 1280)
"""Pixels before a wall makes the drawing as large as its screen: shapes from upright to very wide."""
PEOPLE_ON_LINE: Final = "9,999"
"""Room on a line for a number in the place of a name."""
_WIDEST: Final = 260.0
"""Pixels to which a card on a wall grows for its name."""
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
    details: tuple[int, ...] = ()
    """How much the cards of each drawing tell, from 0; none: they lie on no picture."""

    def data(self) -> dict[str, Any]:
        """JSON of all but the cards, for `gauge/place/drawing.js`."""
        return {
            "ways": [way._asdict() for way in self.ways],
            "drawings": self.drawings_data(),
            "description": self.description,
            "note": self.note,
        }

    def drawings_data(self) -> list[dict[str, Any]]:
        found = [self._drawing(drawing) for drawing in self.drawings]
        for drawing, detail in zip(found, self.details, strict=False):
            drawing["detail"] = detail
        return found

    def _drawing(self, drawing: ZoneDrawing) -> dict[str, Any]:
        # Lists: not every writer of JSON takes a named tuple.
        return {
            "width": drawing.width,
            "height": drawing.height,
            "outline": list(drawing.outline),
            "cards": [list(drawing.cards[zone_id]) for zone_id in self.zone_ids],
            "lines": [[list(point) for point in line] for line in drawing.lines],
            "pitch": drawing.pitch,
            "leaders": [[list(point) for point in leader] for leader in drawing.leaders],
            "listed": [list(drawing.listed[zone_id]) for zone_id in self.zone_ids if drawing.listed],
            "labels": [label and [list(label.box), label.is_name] for label in drawing.labels],
        }


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


@lru_cache(maxsize=_KEPT)
def wall_graphs(site: Site) -> tuple[ZoneGraph, ...]:
    """Of the zones, then of their categories, each where there is one that can be read; its labels are of
    numbers. Where it is too small for a wall, the wall shows the next, or none.
    """
    found = folded(site)
    graphs = [_for_wall(site)] if site.zones and is_legible(site) else []
    if found and is_legible(found.site):
        graphs.append(_for_wall(found.site)._replace(folds=found.folds))
    return tuple(graph for graph in graphs if graph.drawings)


def _for_wall(site: Site) -> ZoneGraph:
    """With cards as wide as usual, and as wide as their names: the wall takes what is whole on it."""
    names = labels_of(site.zones)
    return _drawn(site, WALL_WIDTHS, PEOPLE_ON_LINE, {id_: name_room(name) for id_, name in names.items()})


def _drawn(
    site: Site, widths: Sequence[float] = WIDTHS, label: str = "", wanted: Mapping[str, float] | None = None
) -> ZoneGraph:
    """`label`: what stands on each line in the place of its name; `wanted`: as in `drawn`, too."""
    words = way_words(site, ways_of(site))
    # How many passages are drawn as one names none of them.
    names = [label or (way.name if len(way.passages) == 1 else "") for way in words]
    kinds: list[Mapping[str, float]] = [
        {},
        *([{id_: min(one, _WIDEST) for id_, one in wanted.items()}] if wanted else []),
    ]
    found = [drawn(site, width, names, kind) for width in widths for kind in kinds]
    # A small site looks the same at most widths.
    drawings = {(one.width, one.height, *one.cards.values()): one for one in found if one is not None}
    both = f"{counted(len(site.zones), 'zone')} and {counted(len(site.passages), 'passage')}"
    described = " ".join(f"{way.title}." for way in words)
    return ZoneGraph(
        tuple(zone.id for zone in site.zones),
        words,
        tuple(drawings.values()),
        f"{both}. {described}".strip(),
        _left_out(site),
    )


def _folds_note(site: Site, found: Folded) -> str:
    passages = counted(found.within, "passage")
    verb = "is" if found.within == 1 else "are"
    within = f" {passages} within a category {verb} not drawn." if found.within else ""
    return (
        f"{counted(len(site.zones), 'zone')} and {counted(len(site.passages), 'passage')} are too many to "
        "read as a graph, so each card stands for a category: its number is the sum of its zones, which the "
        f"table below lists.{within}"
    )


def way_words(site: Site, ways: Sequence[Way]) -> tuple[WayWords, ...]:
    zones: dict[Node, str] = {OUTSIDE: "outside"}
    zones.update(labels_of(site.zones))
    passages = labels_of(site.passages)
    return tuple(
        WayWords(
            names[0] if len(names) == 1 else f"{len(names)} passages",
            f"{listed(names)}: from {zones[way.start]} to {zones[way.end]}",
            tuple(passage.id for passage in way.passages),
        )
        for way in ways
        for names in ([passages[passage.id] for passage in way.passages],)
    )


def listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST_LISTED
    return ", ".join([*names[:_MOST_LISTED], *([f"{more} more"] if more > 0 else [])])


def _nothing_drawn(site: Site) -> str:
    if not site.zones:
        return "The service lists no zones for this site, so there is nothing to draw."
    both = f"{counted(len(site.zones), 'zone')} and {counted(len(site.passages), 'passage')}"
    return f"{both} are too many to read as a graph. The tables below list all of them."


def _left_out(site: Site) -> str:
    shown = {passage.id for way in ways_of(site) for passage in way.passages}
    hidden = [one_line(passage.name, LONGEST_NAME) for passage in site.passages if passage.id not in shown]
    if not hidden:
        return ""
    verb = "is" if len(hidden) == 1 else "are"
    return (
        f"{counted(len(hidden), 'passage')} {verb} not drawn ({listed(hidden)}): "
        "outside on both sides, or to a zone that the service does not list."
    )


def counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
