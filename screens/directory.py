"""What the service says of the sites and zones on screens, asked once for all screens."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Final, TypeVar

from analysis.floor_plan import FloorPlan
from analysis.site_report import capacity_of
from api_client import ApiClientError, Client, Forbidden, NotFound
from api_client.site_now import newest_query, site_now
from contract import DEFAULT_TIMEZONE, Site, SiteSummary, Zone
from live.clock import local_zone
from screens.definition import Screen
from screens.shared_reads import SharedReads

MOST_SITES: Final = 500
"""On the view of all sites, which turns through them and says of how many; each is a stream of its own."""
ALL_SITES: Final = ""
"""In the place of a site's id, where the list of all sites is meant."""
_FRESH: Final = 300.0
"""Seconds after which a new name or capacity is noticed."""
_FAILED: Final = 10.0

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Place:
    site: Site
    top_zone_ids: tuple[str, ...]
    """The zones that stand for the whole site; empty: the service did not say."""

    @property
    def timezone(self) -> str:
        """IANA name."""
        return known_timezone(self.site.timezone)

    @property
    def capacity(self) -> float | None:
        """People, of the zones that stand for the whole; None as soon as one zone's is not reported."""
        return capacity_of(self.site, self.top_zone_ids)

    @property
    def inner_zones(self) -> tuple[Zone, ...]:
        """All zones but those that stand for the whole."""
        return tuple(zone for zone in self.site.zones if zone.id not in self.top_zone_ids)

    def zone(self, zone_id: str) -> Zone | None:
        return next((zone for zone in self.site.zones if zone.id == zone_id), None)


@dataclass(frozen=True, slots=True)
class Known:
    """What was learned of the service before a screen is resolved."""

    places: Mapping[str, Place | ApiClientError]
    """By site id."""
    sites: Sequence[SiteSummary] | ApiClientError = ()
    """All that the key reads; asked only where a view shows them."""
    since: Mapping[str, datetime | None] = field(default_factory=dict)
    """Site id or `ALL_SITES` -> since when nothing can be learned of it, UTC."""
    plans: Mapping[str, FloorPlan] = field(default_factory=dict)
    """By site id: kept by this dashboard, of sites that a view shows so."""

    @property
    def outage(self) -> ApiClientError | None:
        """The first failure that may be over soon; a place that is not there is none."""
        return next(iter(self._outages().values()), None)

    @property
    def outage_since(self) -> datetime | None:
        """When the first of them failed, UTC."""
        return min(filter(None, map(self.since.get, self._outages())), default=None)

    def _outages(self) -> dict[str, ApiClientError]:
        outcomes = {ALL_SITES: self.sites, **self.places}
        failures = {one: found for one, found in outcomes.items() if isinstance(found, ApiClientError)}
        return {one: found for one, found in failures.items() if not isinstance(found, NotFound | Forbidden)}


class Directory:
    """Sites and zones by what screens need, read once for all. To be used within one event loop.

    `get_client` may block; it is called in a worker thread.
    """

    def __init__(self, get_client: Callable[[], Client]) -> None:
        self._places: SharedReads[str, Place] = SharedReads(
            lambda site_id: read_place(get_client(), site_id), fresh=_FRESH, failed=_FAILED
        )
        self._sites: SharedReads[str, tuple[SiteSummary, ...]] = SharedReads(
            lambda _all: by_name(get_client().sites()), fresh=_FRESH, failed=_FAILED
        )

    async def known(self, screen: Screen) -> Known:
        """All that the screen's views need, each part with its own failure."""
        site_ids = {view.site_id for view in screen.views if view.site_id}
        sites: tuple[SiteSummary, ...] | ApiClientError = ()
        if screen.shows_all_sites:
            sites = await _attempt(partial(self._sites.get, ALL_SITES))
        if not isinstance(sites, ApiClientError):
            site_ids |= {site.id for site in sites[:MOST_SITES]}
        asked = sorted(site_ids)
        found = await asyncio.gather(*(_attempt(partial(self._places.get, one)) for one in asked))
        since = {one: self._places.failing_since(one) for one in asked}
        since[ALL_SITES] = self._sites.failing_since(ALL_SITES)
        return Known(dict(zip(asked, found, strict=True)), sites, since)


async def _attempt(read: Callable[[], Awaitable[Value]]) -> Value | ApiClientError:
    try:
        return await read()
    except ApiClientError as error:
        return error


def known_timezone(reported: str | None) -> str:
    """The zone that a service tells of a site; UTC where there is none of that name."""
    return local_zone(reported or DEFAULT_TIMEZONE).key


def read_place(client: Client, site_id: str) -> Place:
    """Raises ApiClientError."""
    site = client.site(site_id)
    answer = client.newest(newest_query(site_id, known_timezone(site.timezone)))
    return Place(site, site_now(answer).zone_ids)


def by_name(sites: Iterable[SiteSummary]) -> tuple[SiteSummary, ...]:
    """Sites by name, which is the order on all walls: passers-by look where a name stood the last time.

    The service promises no order.
    """
    return tuple(sorted(sites, key=lambda site: (site.name.casefold(), site.id)))
