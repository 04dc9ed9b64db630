"""The zones and passages of a site on its floor plan, ready to be drawn by a browser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from analysis.floor_plan import FloorPlan, Placed
from analysis.plan_drawing import CARDS, SMALLEST_WITH_NAME, PlacedWay, disc_drawing, plan_drawing
from analysis.plan_list import Side, with_list
from analysis.subject import labels_of
from analysis.zone_drawing import WIDTHS, ZoneDrawing
from analysis.zone_graph import PEOPLE_ON_LINE, WALL_WIDTHS, ZoneGraph, counted, listed, way_words
from analysis.zone_labels import name_room
from analysis.zone_layout import OUTSIDE, Node, Way
from contract import Passage, Site

_LEAST_DETAIL_ON_WALL: Final = len(CARDS) - 1 - SMALLEST_WITH_NAME
"""Nobody looks for a letter that nothing explains."""

_LISTED_WIDTHS: Final = (288, 340, 420, 480, 560, 640, 720, 960, 1280)
"""Pixels of drawings with a list on a wall: more than without one, as its columns leave a plan less room."""

_MOST_WITHOUT_NUMBER: Final = 0.25
"""Of the lines between letters."""


class NotPlaced(NamedTuple):
    """Names of what the service lists and the plan lacks."""

    zones: tuple[str, ...]
    passages: tuple[str, ...]
    """Those that cannot be drawn for it: between two zones that are placed, a passage needs no place."""


def plan_graph(site: Site, plan: FloorPlan) -> ZoneGraph:
    """For a page; of a plan on which nothing is placed there is no drawing."""
    return _drawn(site, plan, WIDTHS, "")


def wall_plan(site: Site, plan: FloorPlan) -> ZoneGraph:
    """Only as it can be read from afar: with names that do not cover each other and all numbers of lines, or
    with letters that cards explain and most of these numbers.
    """
    names = labels_of(site.zones)
    name_width = max((name_room(names[id_]) for id_ in plan.placed.of(site).zones), default=0)
    graph = _drawn(site, plan, WALL_WIDTHS, PEOPLE_ON_LINE, name_width, is_listed=True)
    kept = [
        (drawing, detail)
        for drawing, detail in zip(graph.drawings, graph.details, strict=True)
        if (_is_mostly_numbered(drawing) if drawing.listed else _tells_all(drawing, detail))
    ]
    return graph._replace(drawings=tuple(one for one, _ in kept), details=tuple(one for _, one in kept))


def _tells_all(drawing: ZoneDrawing, detail: int) -> bool:
    return detail >= _LEAST_DETAIL_ON_WALL and None not in drawing.labels


def _is_mostly_numbered(drawing: ZoneDrawing) -> bool:
    """The wall says how many lines have no number."""
    return drawing.labels.count(None) <= _MOST_WITHOUT_NUMBER * len(drawing.labels)


def not_placed(site: Site, placed: Placed) -> NotPlaced:
    drawn = {passage.id for passage in _passages(site, placed)}
    zones, passages = labels_of(site.zones), labels_of(site.passages)
    return NotPlaced(
        tuple(zones[zone.id] for zone in site.zones if zone.id not in placed.zones),
        tuple(passages[one.id] for one in placeable(site) if one.id not in drawn),
    )


def placeable(site: Site) -> list[Passage]:
    """Not from the outside, or a zone, to itself, nor to a zone that is not listed."""
    known = {None, *(zone.id for zone in site.zones)}
    ends = [(one, one.from_zone_id, one.to_zone_id) for one in site.passages]
    return [one for one, start, end in ends if start != end and {start, end} <= known]


def not_placed_words(missing: NotPlaced) -> str:
    """A sentence; empty: all is on the plan."""
    counts = [
        f"{counted(len(names), thing)} ({listed(names)})"
        for names, thing in ((missing.zones, "zone"), (missing.passages, "passage"))
        if names
    ]
    number = len(missing.zones) + len(missing.passages)
    return f"{' and '.join(counts)} {'is' if number == 1 else 'are'} not on the plan." if counts else ""


def _drawn(
    site: Site,
    plan: FloorPlan,
    widths: Sequence[float],
    label: str,
    name_width: float = 0,
    *,
    is_listed: bool = False,
) -> ZoneGraph:
    """`is_listed`: there are drawings of letters, too, with cards that explain them."""
    placed = plan.placed.of(site)
    zones = [zone for zone in site.zones if zone.id in placed.zones]
    ways = [Way(_node(one.from_zone_id), _node(one.to_zone_id), (one,)) for one in _passages(site, placed)]
    words = way_words(site, ways)
    spots = {zone.id: (placed.zones[zone.id].x, placed.zones[zone.id].y) for zone in zones}
    doors = [_placed_way(way.passages[0], placed) for way in ways]
    size = plan.picture.width, plan.picture.height
    found = (
        [plan_drawing(size, spots, doors, width, label, name_width=name_width) for width in widths]
        if zones
        else []
    )
    if is_listed and zones:
        discs = (disc_drawing(size, spots, doors, width, label) for width in _LISTED_WIDTHS)
        found += [(with_list(one, name_width, side), 0) for one in discs for side in Side]
    # As for a graph.
    drawings = {(one.width, one.height, bool(one.listed)): (one, detail) for one, detail in found}
    counts = f"{counted(len(zones), 'zone')} and {counted(len(ways), 'passage')} on the floor plan"
    described = " ".join(f"{way.title}." for way in words)
    return ZoneGraph(
        tuple(zone.id for zone in zones),
        words,
        tuple(drawing for drawing, _ in drawings.values()),
        f"{counts}. {described}".strip(),
        not_placed_words(not_placed(site, placed)),
        details=tuple(detail for _, detail in drawings.values()),
    )


def _passages(site: Site, placed: Placed) -> list[Passage]:
    """Those whose zones are placed, and themselves, too, where they lead outside."""
    return [
        one
        for one in placeable(site)
        if {one.from_zone_id, one.to_zone_id} <= {None, *placed.zones}
        and (one.id in placed.passages or None not in (one.from_zone_id, one.to_zone_id))
    ]


def _placed_way(passage: Passage, placed: Placed) -> PlacedWay:
    spot = placed.passages.get(passage.id)
    return PlacedWay(passage.from_zone_id, passage.to_zone_id, (spot.x, spot.y) if spot else None)


def _node(zone_id: str | None) -> Node:
    return OUTSIDE if zone_id is None else zone_id
