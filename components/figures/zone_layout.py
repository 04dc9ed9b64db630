"""Where the zones of a site stand in its graph: in rows, by their distance from the outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import networkx as nx

from contract import Passage, Site

Node = str | tuple[str]
"""A zone's id, or the outside: a tuple, so that no zone can be taken for it."""
Place = tuple[float, float]
"""One unit from neighbour to neighbour; y grows upwards."""

OUTSIDE: Final[Node] = ("outside",)
_WIDEST_ROW: Final = 4
"""Zones side by side on the narrowest screen."""


def layout(site: Site) -> dict[Node, Place]:
    """The outside stands at the top, what it opens to below it; zones without passages come last."""
    graph = _graph(site)
    rows: list[list[Node]] = []
    alone: list[Node] = []
    placed: set[Node] = set()
    for start in graph.nodes:
        if start != OUTSIDE and graph.degree(start) == 0:
            alone.append(start)
        elif start not in placed:
            reached = _rows_from(graph, start)
            placed.update(*reached)
            rows += reached
    lines = [line for row in [*rows, alone] for line in _lines(row)]
    return {
        node: (place - (len(line) - 1) / 2, -float(depth))
        for depth, line in enumerate(lines)
        for place, node in enumerate(line)
    }


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


def _rows_from(graph: nx.Graph[Node], start: Node) -> list[list[Node]]:
    """Nodes by distance from `start`; each row in the order of its neighbours in the row before."""
    rows: list[list[Node]] = []
    for reached in nx.bfs_layers(graph, [start]):
        before = {node: place for place, node in enumerate(rows[-1])} if rows else {}
        means = {node: _mean_place(graph, node, before) for node in reached}
        rows.append(sorted(reached, key=means.__getitem__))
    return rows


def _mean_place(graph: nx.Graph[Node], node: Node, before: Mapping[Node, int]) -> float:
    places = [before[other] for other in graph.neighbors(node) if other in before]
    return sum(places) / len(places) if places else 0.0


def _lines(row: list[Node]) -> list[list[Node]]:
    """A wide row on several lines of about the same length."""
    if not row:
        return []
    lines = -(-len(row) // _WIDEST_ROW)
    length = -(-len(row) // lines)
    return [row[first : first + length] for first in range(0, len(row), length)]
