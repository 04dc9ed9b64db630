"""A screen as its page gets it: views resolved to feeds, titles, time zones and capacities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from analysis.floor_plan import FloorPlan
from analysis.names import LONGEST_TEXT, distinct_labels, one_line
from analysis.plan_graph import not_placed, wall_plan
from analysis.site_report import zone_capacity
from analysis.zone_graph import ZoneGraph, wall_graphs
from analysis.zone_layout import without_enclosing
from api_client import ApiClientError
from contract import DEFAULT_TIMEZONE, Site, SiteSummary, Zone
from gauge.levels import Thresholds
from live.snapshot import CrossingsKey, FeedKey
from live.tokens import GrantedFeed, GrantedPassages, StreamGrant
from screens.definition import Scope, Screen, View, ViewKind, Words
from screens.directory import ALL_SITES, MOST_SITES, Known, Place, known_timezone

_MOST_DIGITS: Final = 4
"""Of a view's number."""


@dataclass(frozen=True, slots=True)
class ShownFeed:
    key: FeedKey
    title: str
    timezone: str
    capacity: float | None
    """People; None: not reported."""


@dataclass(frozen=True, slots=True)
class ShownPlace:
    """The drawings of a site, of which a wall takes the first that can be read on it."""

    graphs: tuple[ZoneGraph, ...]
    zone_ids: tuple[str, ...]
    """Of the feeds of the view, in their order."""
    crossings: CrossingsKey | None
    """None: nobody crosses anything."""
    site_id: str = ""
    picture: str = ""
    """Name of the picture on which the first drawing stands; empty: on none."""
    not_placed: int = 0
    """Zones that are not on it."""
    asks_for_plan: bool = False
    """Whether there is a plan on which it was to stand, read or not."""

    def config(self) -> dict[str, Any]:
        """Cards are lists of places among the feeds of the view."""
        crossings = self.crossings.name if self.crossings else ""
        graphs = [self._graph(graph) for graph in self.graphs]
        if self.picture:
            graphs[0] |= {"picture": self.picture, "not_placed": self.not_placed}
        return {"graphs": graphs, "crossings": crossings, "asks_for_plan": self.asks_for_plan}

    def _graph(self, graph: ZoneGraph) -> dict[str, Any]:
        place = {zone_id: number for number, zone_id in enumerate(self.zone_ids)}
        groups = [fold.zone_ids for fold in graph.folds] or [(zone_id,) for zone_id in graph.zone_ids]
        return {
            "cards": [[place[zone_id] for zone_id in group] for group in groups],
            "categories": [fold.category for fold in graph.folds],
            "ways": [list(way.passages) for way in graph.ways],
            "drawings": graph.drawings_data(),
        }


@dataclass(frozen=True, slots=True)
class ShownView:
    kind: ViewKind
    seconds: int
    thresholds: Thresholds
    words: Words
    title: str
    timezone: str
    """IANA name, for every time on this view that is no feed's."""
    feeds: tuple[ShownFeed, ...] = ()
    error: str = ""
    """Why the view has no feeds, for those who compose screens; empty: it has."""
    request_id: str = ""
    """Of the answer that led to the error."""
    since: datetime | None = None
    """When the error was first met, UTC; None: not known."""
    place: ShownPlace | None = None
    """How the zones of these feeds lie beside each other; None: it is not drawn."""
    all_feeds: int = 0
    """How many there would be if there were no bound; 0: no more than there are."""


def shown_views(screen: Screen, known: Known) -> tuple[ShownView, ...]:
    return tuple(_shown(view, known) for view in screen.views)


def grant_of(views: Sequence[ShownView]) -> StreamGrant:
    """The feeds that the screen's stream may carry: those that it shows, each once."""
    feeds = (GrantedFeed(feed.key, feed.timezone) for view in views for feed in view.feeds)
    passages = (
        GrantedPassages(view.place.crossings, view.timezone)
        for view in views
        if view.place and view.place.crossings
    )
    return StreamGrant(tuple(dict.fromkeys(feeds)), tuple(dict.fromkeys(passages)))


def view_at(asked: str, views: tuple[ShownView, ...]) -> ShownView | None:
    """The view of the number that somebody `asked` for; None: there is none."""
    is_number = asked.isascii() and asked.isdecimal() and len(asked) <= _MOST_DIGITS
    return views[int(asked)] if is_number and int(asked) < len(views) else None


def view_config(view: ShownView) -> dict[str, Any]:
    """The view as the browser gets it, without addresses: of an error only that there is one."""
    return {
        "kind": view.kind,
        "seconds": view.seconds,
        "title": view.title,
        "timezone": view.timezone,
        "thresholds": view.thresholds.model_dump(),
        "words": view.words.model_dump(),
        "feeds": [
            {
                "feed": feed.key.name,
                "title": feed.title,
                "timezone": feed.timezone,
                "capacity": feed.capacity,
            }
            for feed in view.feeds
        ],
        "place": view.place.config() if view.place else None,
        "all": max(view.all_feeds, len(view.feeds)),
        "is_missing": bool(view.error),
    }


def _shown(view: View, known: Known) -> ShownView:
    scope = view.kind.facts.scope
    if scope is Scope.SITES:
        return _all_sites(view, known)
    assert view.site_id is not None
    place = known.places[view.site_id]
    if isinstance(place, ApiClientError):
        return _failed(view, str(place), place.request_id, known.since.get(view.site_id))
    if scope is Scope.ZONES:
        plan = known.plans.get(view.site_id) if view.on_plan else None
        return _flow(view, place, plan) if view.kind.facts.draws_passages else _board(view, place)
    return _single(view, place)


def _single(view: View, place: Place) -> ShownView:
    zone = place.zone(view.zone_id) if view.zone_id else None
    if view.zone_id and zone is None:
        return _failed(view, f"The site {place.site.name} has no longer the zone of this view.")
    key = FeedKey(place.site.id, (zone.id,) if zone else ())
    title = f"{_name(place.site)}, {_zone_titles(place.site.zones)[zone.id]}" if zone else _name(place.site)
    capacity = zone_capacity(zone) if zone else place.capacity
    return _with_feeds(view, title, place.timezone, (ShownFeed(key, title, place.timezone, capacity),))


def _board(view: View, place: Place) -> ShownView:
    titles = _zone_titles(place.inner_zones)
    feeds = tuple(
        ShownFeed(FeedKey(place.site.id, (zone.id,)), titles[zone.id], place.timezone, zone_capacity(zone))
        for zone in place.inner_zones
    )
    if not feeds:
        return _failed(view, f"The site {place.site.name} has no zones to show on a board.")
    return _with_feeds(view, _name(place.site), place.timezone, feeds)


def _flow(view: View, place: Place, plan: FloorPlan | None) -> ShownView:
    """Of the zones that are drawn: one that stands for the whole, too, where a passage leads there."""
    site = without_enclosing(place.site, place.top_zone_ids)
    if not site.zones:
        return _failed(view, f"The site {site.name} has no zones to draw.")
    titles = _zone_titles(site.zones)
    feeds = tuple(
        ShownFeed(_zone_key(place, zone), titles[zone.id], place.timezone, zone_capacity(zone))
        for zone in site.zones
    )
    on_plan = wall_plan(site, plan) if plan else None
    asks_for_plan = bool(on_plan and on_plan.zone_ids)
    graphs = wall_graphs(site)
    if plan and on_plan and on_plan.drawings:
        graphs = (on_plan, *graphs)
    else:
        plan = None
    crossings = CrossingsKey(site.id) if any(graph.ways for graph in graphs) else None
    drawn = ShownPlace(
        graphs,
        tuple(zone.id for zone in site.zones),
        crossings,
        site.id,
        plan.picture.name if plan else "",
        len(not_placed(site, plan.placed).zones) if plan else 0,
        asks_for_plan,
    )
    return replace(_with_feeds(view, _name(site), place.timezone, feeds), place=drawn)


def _zone_key(place: Place, zone: Zone) -> FeedKey:
    """What the service tells of the whole site is told of the zone that stands for it."""
    return FeedKey(place.site.id, () if place.top_zone_ids == (zone.id,) else (zone.id,))


def _all_sites(view: View, known: Known) -> ShownView:
    if isinstance(known.sites, ApiClientError):
        return _failed(view, str(known.sites), known.sites.request_id, known.since.get(ALL_SITES))
    if not known.sites:
        return _failed(view, "The service shows no sites to this dashboard.")
    sites = known.sites[:MOST_SITES]
    titles = distinct_labels({site.id: site.name for site in sites}, LONGEST_TEXT)
    feeds = tuple(_site_feed(site, titles[site.id], known.places.get(site.id)) for site in sites)
    shown = _with_feeds(view, "", feeds[0].timezone, feeds)
    return replace(shown, all_feeds=len(known.sites))


def _site_feed(site: SiteSummary, title: str, place: Place | ApiClientError | None) -> ShownFeed:
    capacity = place.capacity if isinstance(place, Place) else None
    return ShownFeed(FeedKey(site.id), title, known_timezone(site.timezone), capacity)


def _name(site: Site) -> str:
    """The name without characters that turn the direction of others, or the id where there is no name."""
    return one_line(site.name) or one_line(site.id)


def _zone_titles(zones: Sequence[Zone]) -> dict[str, str]:
    """As `_name`, by id; with the id where several share the name."""
    return distinct_labels({zone.id: zone.name for zone in zones}, LONGEST_TEXT)


def _with_feeds(view: View, title: str, timezone: str, feeds: tuple[ShownFeed, ...]) -> ShownView:
    return ShownView(view.kind, view.seconds, view.thresholds, view.words, title, timezone, feeds)


def _failed(view: View, reason: str, request_id: str = "", since: datetime | None = None) -> ShownView:
    return ShownView(
        view.kind,
        view.seconds,
        view.thresholds,
        view.words,
        title="",
        timezone=DEFAULT_TIMEZONE,
        error=reason,
        request_id=request_id,
        since=since,
    )
