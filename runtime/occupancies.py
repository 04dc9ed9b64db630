"""How full whole sites are, for a list of them: the newest value beside the capacity of the top zone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from api_client import ApiClientError, MetricsAnswer
from contract import DEFAULT_TIMEZONE, MetricKey, MetricsQuery, Number, Site, SiteSummary
from runtime.reads import read_site
from runtime.remembered import Remembered
from runtime.resources import get_client
from runtime.upstream import Upstream, get_upstream

_AGE: Final = timedelta(seconds=30)
_AT_ONCE: Final = 8
"""Requests under way together: enough to hide the waiting, few enough to leave the service to others."""
_MOST_SITES: Final = 10_000


class SiteOccupancy(NamedTuple):
    inside: Number | None
    """People inside by the newest minute; None: no count yet."""
    capacity: float | None
    """Of the top zone; None: not told."""
    measured_at: datetime | None
    """Start of that minute, UTC."""
    top_zone_ids: tuple[str, ...]
    """The zones that stand for the whole site; empty: the service did not say."""


class Occupancies(NamedTuple):
    known: Mapping[str, SiteOccupancy]
    """By site id; a site that could not be read is absent."""
    failures: tuple[ApiClientError, ...]


def read_occupancies(sites: Iterable[SiteSummary]) -> Occupancies:
    """The occupancy of each site, at most 30 s old; what fails for one site leaves the others be."""
    upstream = get_upstream()

    def attempt(site: SiteSummary) -> SiteOccupancy | ApiClientError:
        try:
            return _occupancy(upstream, site.id, site.timezone or DEFAULT_TIMEZONE)
        except ApiClientError as error:
            return error

    asked = list(sites)
    with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="occupancies") as pool:
        outcomes = list(pool.map(attempt, asked))
    found = {
        site.id: outcome
        for site, outcome in zip(asked, outcomes, strict=True)
        if isinstance(outcome, SiteOccupancy)
    }
    return Occupancies(found, tuple(one for one in outcomes if isinstance(one, ApiClientError)))


def read_occupancy(site: SiteSummary) -> SiteOccupancy:
    """The occupancy of one site, at most 30 s old. Raises ApiClientError."""
    return _occupancy(get_upstream(), site.id, site.timezone or DEFAULT_TIMEZONE)


_occupancies: Final = Remembered[tuple[Upstream, str, str], SiteOccupancy](_AGE, most=_MOST_SITES)


def _occupancy(upstream: Upstream, site_id: str, timezone: str) -> SiteOccupancy:
    return _occupancies.get((upstream, site_id, timezone), lambda: _newest(site_id, timezone))


def _newest(site_id: str, timezone: str) -> SiteOccupancy:
    query = MetricsQuery(metrics=(MetricKey.VISITORS_INSIDE,), site_id=site_id, timezone=timezone)
    answer = get_client().latest(query)
    top_zone_ids = _answered_zones(answer)
    capacity = _capacity(read_site(site_id), top_zone_ids)
    newest = answer.points[-1] if answer.points else None
    if newest is None:
        return SiteOccupancy(None, capacity, None, top_zone_ids)
    inside = newest.metrics.get(MetricKey.VISITORS_INSIDE)
    return SiteOccupancy(inside, capacity, newest.timestamp, top_zone_ids)


def _answered_zones(answer: MetricsAnswer) -> tuple[str, ...]:
    """The API does not name a site's top zone; it says which zones it answered for."""
    for point in answer.points:
        if point.matching_filters and point.matching_filters.zone_ids:
            return point.matching_filters.zone_ids
    inferred = answer.inferred.get("filter")
    zones = inferred.get("zoneIds") if isinstance(inferred, Mapping) else None
    return tuple(str(zone) for zone in zones) if isinstance(zones, list | tuple) else ()


def _capacity(site: Site, zone_ids: tuple[str, ...]) -> float | None:
    """Together; None as soon as one zone's is not told."""
    capacities = [zone.capacity for zone in site.zones if zone.id in zone_ids]
    told = [float(capacity) for capacity in capacities if capacity]
    return sum(told) if told and len(told) == len(zone_ids) else None
