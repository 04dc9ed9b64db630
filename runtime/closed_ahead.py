"""When sites are closed from now on, by the opening hours that are kept of them: for live pages and walls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from analysis.closed_ahead import ClosedAhead, ClosedSpans, closed_spans, is_closed_at, range_ahead
from analysis.opening_hours import OpeningHours, closed_within
from analysis.time_range import TimeRange
from api_client.trouble_log import TroubleLog
from contract import DEFAULT_TIMEZONE, Site, SiteSummary
from live.clock import local_zone
from live.snapshot import FeedKey
from runtime.resources import service_time
from runtime.site_knowledge import read_all_opening_hours
from runtime.site_knowledge_store import SiteKnowledgeError

_MOST_KEPT: Final = 2_000
"""Of what hours come to in the days ahead: a millisecond each, and a wall may have hundreds of sites."""
_log = TroubleLog("runtime.closed_ahead")


class Closed(NamedTuple):
    """By the service's clock."""

    ahead: ClosedAhead
    """From now on, as `read_closed_ahead` tells it."""
    now: frozenset[str]
    """Ids of the sites that are closed."""


def closed_sites(sites: Iterable[SiteSummary | Site]) -> Closed:
    """Of those of `sites` whose hours are kept and can be read."""
    now = service_time()
    ahead = _ahead({site.id: site.timezone or DEFAULT_TIMEZONE for site in sites}, now) or {}
    closed = frozenset(site_id for site_id, spans in ahead.items() if is_closed_at(now, spans))
    return Closed(_by_feed(ahead), closed)


def read_closed_ahead(timezones: Mapping[str, str], now: datetime) -> dict[str, ClosedSpans] | None:
    """When the sites of `timezones` (id -> IANA name) are closed from `now` on, by the name of the site's own
    feed, of those whose hours are kept and not damaged. None: it cannot be read now.
    """
    ahead = _ahead(timezones, now)
    return None if ahead is None else _by_feed(ahead)


def _by_feed(ahead: Mapping[str, ClosedSpans]) -> dict[str, ClosedSpans]:
    return {FeedKey(site_id).name: spans for site_id, spans in ahead.items()}


def _ahead(timezones: Mapping[str, str], now: datetime) -> dict[str, ClosedSpans] | None:
    """By site id; None: it cannot be read."""
    try:
        kept = read_all_opening_hours(timezones)
    except SiteKnowledgeError as error:
        _log.warning("walls and pages go without opening hours", reason=str(error))
        return None
    range_ = range_ahead(now)
    return {
        site_id: _spans_ahead(hours, range_, local_zone(timezones[site_id]))
        for site_id, hours in kept.items()
    }


@lru_cache(_MOST_KEPT)
def _spans_ahead(hours: OpeningHours, range_: TimeRange, timezone: ZoneInfo) -> ClosedSpans:
    return closed_spans(closed_within(hours, range_, timezone), range_)
