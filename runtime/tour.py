"""Reads what a tour is chosen by, a few questions for each of the first sites; kept for a while."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from analysis.history_request import HistoryRequest
from analysis.subject import whole_site
from analysis.tour import FEWEST_INSIDE, Tour, TourSite, past_weeks, rest_of_day, tour_of
from api_client import ApiClientError
from contract import CROSSINGS, DEFAULT_TIMEZONE, Granularity, MetricPoint, Number, Site
from live import FeedKey, GrantedFeed, queries
from live.clock import local_zone
from runtime.background import waited
from runtime.cache import Cache
from runtime.occupancies import SiteOccupancy, occupancy_or_none
from runtime.past_minutes import Drifts, Silences
from runtime.person_of_page import sees_every_site
from runtime.reads import read_points, read_site, read_sites_now
from runtime.resources import get_client, get_hub, service_time
from runtime.upstream import Account, get_upstream

_AGE: Final = timedelta(minutes=2)
"""Where somebody is inside now is among it."""
_MOST_SITES: Final = 5

_kept: Final = Cache[Account, Tour | None](_AGE, most=100)


def read_tour() -> Tour | None:
    """None where there is no site, and for whom does not see all of them. Raises ApiClientError."""
    if not sees_every_site():
        return None
    return waited(lambda: _kept.get(get_upstream().account, _read), "where the tour leads")


def _read() -> Tour | None:
    found = [_tour_site(read_site(site.id), service_time()) for site in read_sites_now()[:_MOST_SITES]]
    return tour_of(found) if found else None


def _tour_site(site: Site, now: datetime) -> TourSite:
    timezone = local_zone(site.timezone or DEFAULT_TIMEZONE)
    request = HistoryRequest(
        site_id=site.id,
        subjects=(whole_site(site),),
        metrics=CROSSINGS,
        range=past_weeks(now, timezone),
        timezone=timezone,
        asked_at=now,
        granularity=Granularity.DAY,
    )
    asked = {"days": request, "hours": request.over(rest_of_day(now, timezone), Granularity.HOUR)}
    points: dict[str, list[MetricPoint]] = {name: [] for name in asked}
    queries = {name: one.query(one.subjects[0]) for name, one in asked.items() if not one.range.is_empty}
    points.update({name: list(found) for name, found in read_points(queries).items()})
    feed, occupancy = GrantedFeed(FeedKey(site.id), timezone.key), occupancy_or_none(site)
    is_silent = occupancy is not None and _is_silent(feed, occupancy, now)
    inside = None if occupancy is None or is_silent else _trusted_inside(feed, occupancy, now)
    return TourSite(site.id, site.name, timezone, points["days"], points["hours"], inside, is_silent)


def _trusted_inside(feed: GrantedFeed, occupancy: SiteOccupancy, now: datetime) -> Number | None:
    """Nobody is led to a number that its own page says not to trust."""
    if (occupancy.inside or 0) < FEWEST_INSIDE:
        return occupancy.inside
    drifts = Drifts(get_client().metrics, get_upstream().account, get_hub().snapshot)
    return None if drifts.is_spoiling(feed, now) else occupancy.inside


def _is_silent(feed: GrantedFeed, occupancy: SiteOccupancy, now: datetime) -> bool:
    """Whether its page would say that counts are missing, or that nobody can tell."""
    if occupancy.measured_at is None:
        return False
    silences = Silences(get_client().metrics, get_hub().deliveries)
    newest = MetricPoint(timestamp=occupancy.measured_at, metrics={})
    try:
        counted = silences.counted_at(feed, newest, None, now)
    except ApiClientError:
        return True
    # Today has no minute at all: the value that is told was dated anew.
    last = counted or now - queries.span_of_today(now, local_zone(feed.timezone))
    return silences.is_silent(feed, last, now) is not False
