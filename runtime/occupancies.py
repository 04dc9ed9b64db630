"""How full whole sites are, for a list of them: the newest value beside the capacity of the top zone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from api_client import ApiClientError
from contract import DEFAULT_TIMEZONE, MetricKey, MetricsQuery, Number, SiteSummary
from live.questions import zones_answered_for
from runtime.reads import read_site
from runtime.remembered import Remembered
from runtime.resources import get_client
from runtime.upstream import Account, get_upstream
from screens.places import Place

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
    account = get_upstream().account

    def attempt(site: SiteSummary) -> SiteOccupancy | ApiClientError:
        try:
            return _occupancy(account, site.id, site.timezone or DEFAULT_TIMEZONE)
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
    return _occupancy(get_upstream().account, site.id, site.timezone or DEFAULT_TIMEZONE)


_occupancies: Final = Remembered[tuple[Account, str, str], SiteOccupancy](_AGE, most=_MOST_SITES)


def _occupancy(account: Account, site_id: str, timezone: str) -> SiteOccupancy:
    return _occupancies.get((account, site_id, timezone), lambda: _newest(site_id, timezone))


def _newest(site_id: str, timezone: str) -> SiteOccupancy:
    query = MetricsQuery(metrics=(MetricKey.VISITORS_INSIDE,), site_id=site_id, timezone=timezone)
    answer = get_client().latest(query)
    place = Place(read_site(site_id), zones_answered_for(answer))
    newest = answer.points[-1] if answer.points else None
    if newest is None:
        return SiteOccupancy(None, place.capacity, None, place.top_zone_ids)
    inside = newest.metrics.get(MetricKey.VISITORS_INSIDE)
    return SiteOccupancy(inside, place.capacity, newest.timestamp, place.top_zone_ids)
