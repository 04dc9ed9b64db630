"""How a place is drawn, on the floor plan that is kept of it or as a graph: chosen beside the drawing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple
from urllib.parse import urlencode

from analysis.floor_plan import FloorPlan, KeptPlan
from analysis.plan_graph import plan_graph
from analysis.zone_graph import ZoneGraph, zone_graph
from components.live_site import Ground
from components.panels.read_last import read_or_last
from components.panels.unknown_in_link import asked_in_link, is_unclear, unknown_in_link
from components.panels.url_choice import keep_in_link, remembered
from components.panels.viewer import dashboard_root
from contract import Site

DRAWING: Final = "drawing"
"""URL parameter: `plan` or `graph`."""
_PLAN, _GRAPH = "plan", "graph"


class PlaceDrawn(NamedTuple):
    graph: ZoneGraph
    ground: Ground


NOT_DRAWN: Final = PlaceDrawn(ZoneGraph((), (), (), "", ""), Ground())


class DrawnOn(NamedTuple):
    plan: FloorPlan | None
    """None: the place is drawn as a graph."""
    ground: Ground


def drawing_choice(site: Site, read: Callable[[str], KeptPlan]) -> DrawnOn:
    """`site` is what may be drawn of it; `read` gives what is kept of the site of an id, and raises
    RuntimeError with a sentence for people: that is said, and the graph is shown.

    Whoever has placed something is shown that, unless the graph is chosen.
    """
    kept = _kept(site, read)
    plan = kept.plan if kept.plan and kept.plan.placed.of(site).zones else None
    options = (_PLAN, _GRAPH) if plan else (_GRAPH,)
    unknown_in_link({DRAWING: options})
    if plan is None:
        return DrawnOn(None, Ground())
    asked = asked_in_link(DRAWING) or [remembered(DRAWING)]
    chosen = asked[0] if asked[0] in options else _PLAN
    if not is_unclear(DRAWING, options):
        _keep_drawing(chosen)
    if chosen == _GRAPH:
        return DrawnOn(None, Ground(drawn_as=_GRAPH, choose=_keep_drawing))
    return DrawnOn(plan, Ground(plan_address(site, plan), _PLAN, _keep_drawing))


def place_drawn(site: Site, read: Callable[[str], KeptPlan]) -> PlaceDrawn:
    """As it is chosen; see `drawing_choice`."""
    plan, ground = drawing_choice(site, read)
    return PlaceDrawn(plan_graph(site, plan) if plan else zone_graph(site), ground)


def _kept(site: Site, read: Callable[[str], KeptPlan]) -> KeptPlan:
    return read_or_last("The floor plan", "kept-plan", site.id, lambda: read(site.id), KeptPlan())


def _keep_drawing(chosen: str) -> None:
    """The plan is what a link without a word means."""
    keep_in_link(DRAWING, _GRAPH if chosen == _GRAPH else "")


def plan_address(site: Site, plan: FloorPlan) -> str:
    """Of its picture, as this browser reaches it."""
    return f"{dashboard_root()}floor-plan/{plan.picture.name}?{urlencode({'site': site.id})}"
