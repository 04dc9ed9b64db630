"""Which zones of a site stand side by side: in layers, by their distance from the outside."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import networkx as nx

from contract import Passage, Site

Node = str | tuple[str]
"""A zone's id, or the outside: a tuple, so that no zone can be taken for it."""

OUTSIDE: Final[Node] = ("outside",)
MOST_ZONES: Final = 60
"""Beyond, a drawing is longer than one looks for a zone."""
MOST_IN_ROWS: Final = 30
MOST_WAYS: Final = 45
"""Between zones in rows, which stand in no bay: beyond either, lines cross each other everywhere."""
_FEWEST_IN_BAY: Final = 3
"""Beside a zone; fewer stand in rows as all others do."""
_MOST_TO_BAY: Final = 2
"""Ways of one zone in a bay: more have no room beside each other."""
_MOST_APART: Final = 24
"""Passages that are drawn one by one; of more, those that lead the same way are one line."""
_SWEEPS: Final = 4


class Way(NamedTuple):
    """One line of the graph: a passage, or all that lead from the same zone to the same."""

    start: Node
    end: Node
    passages: tuple[Passage, ...]
    """At least one."""


def layers(site: Site) -> list[list[str]]:
    """The zones next to the outside first; parts without a way out follow, zones without passages come last.

    Each layer is in an order in which few lines cross.
    """
    graph = _graph(site)
    found: list[list[Node]] = []
    alone: list[str] = []
    placed: set[Node] = set()
    for start in graph.nodes:
        if start != OUTSIDE and graph.degree(start) == 0:
            alone.append(str(start))
        elif start not in placed:
            reached = [list(layer) for layer in nx.bfs_layers(graph, [start])]
            placed.update(*reached)
            found += _untangled(graph, reached)
    zones = [[str(node) for node in layer if node != OUTSIDE] for layer in found]
    return [layer for layer in [*zones, alone] if layer]


def ways_of(site: Site) -> list[Way]:
    """The lines to draw: not between two zones that are not listed, nor from the outside to itself."""
    ends = {ends: passages for ends, passages in by_ends(site).items() if ends != (OUTSIDE, OUTSIDE)}
    if sum(map(len, ends.values())) > _MOST_APART:
        return [Way(*two, tuple(passages)) for two, passages in ends.items()]
    return [Way(*two, (passage,)) for two, passages in ends.items() for passage in passages]


def is_legible(site: Site) -> bool:
    """Whether the site has few enough zones and ways between them for a graph that one can read."""
    leaves = leaves_of(site, ways_of(site))
    inner = [ends for ends in by_ends(site) if not leaves.keys() & {*ends}]
    in_rows = len(site.zones) - len(leaves)
    return len(site.zones) <= MOST_ZONES and in_rows <= MOST_IN_ROWS and len(inner) <= MOST_WAYS


def leaves_of(site: Site, ways: Sequence[Way]) -> dict[str, str]:
    """Zones that are reached from one other zone alone, where that has several -> that zone."""
    neighbours: defaultdict[str, set[Node]] = defaultdict(set)
    for start, end in by_ends(site):
        for one, other in ((start, end), (end, start)):
            if isinstance(one, str):
                neighbours[one].add(other)
    often = Counter(end for way in ways for end in {way.start, way.end})
    found: defaultdict[str, list[str]] = defaultdict(list)
    for zone, others in neighbours.items():
        hub, *more = others
        if not more and isinstance(hub, str) and hub != zone and often[zone] <= _MOST_TO_BAY:
            found[hub].append(zone)
    return {leaf: hub for hub, own in found.items() if len(own) >= _FEWEST_IN_BAY for leaf in own}


def by_ends(site: Site) -> dict[tuple[Node, Node], list[Passage]]:
    """Passages by (from, to); one that leads to a zone the site does not list is left out."""
    known = {OUTSIDE, *(zone.id for zone in site.zones)}
    found: dict[tuple[Node, Node], list[Passage]] = {}
    for passage in site.passages:
        ends = (_node(passage.from_zone_id), _node(passage.to_zone_id))
        if known.issuperset(ends):
            found.setdefault(ends, []).append(passage)
    return found


def without_enclosing(site: Site, zone_ids: Sequence[str]) -> Site:
    """The site without those of `zone_ids` (its top zone) that no passage touches: they enclose the rest."""
    touched = {end for ends in by_ends(site) for end in ends}
    zones = tuple(zone for zone in site.zones if zone.id in touched or zone.id not in zone_ids)
    return site.model_copy(update={"zones": zones})


def _graph(site: Site) -> nx.Graph[Node]:
    graph: nx.Graph[Node] = nx.Graph()
    graph.add_nodes_from([OUTSIDE, *(zone.id for zone in site.zones)])
    graph.add_edges_from(ends for ends in by_ends(site) if ends[0] != ends[1])
    return graph


def _node(zone_id: str | None) -> Node:
    return OUTSIDE if zone_id is None else zone_id


def _untangled(graph: nx.Graph[Node], reached: list[list[Node]]) -> list[list[Node]]:
    """Each layer by the mean position of its neighbours in the layer before, then in that after, in turn."""
    for sweep in range(_SWEEPS):
        order = range(1, len(reached)) if sweep % 2 == 0 else range(len(reached) - 2, -1, -1)
        for depth in order:
            beside = reached[depth - 1 if sweep % 2 == 0 else depth + 1]
            positions = {node: (position + 0.5) / len(beside) for position, node in enumerate(beside)}
            means = {node: _mean_position(graph, node, positions) for node in reached[depth]}
            reached[depth] = sorted(reached[depth], key=means.__getitem__)
    return reached


def _mean_position(graph: nx.Graph[Node], node: Node, beside: Mapping[Node, float]) -> float:
    positions = [beside[other] for other in graph.neighbors(node) if other in beside]
    return sum(positions) / len(positions) if positions else 0.5
