"""How full a whole site is: the newest value beside the capacity of the top zone."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from analysis.site_report import SiteReport, capacity_of, zone_capacity
from analysis.subject import Subject, SubjectKind
from api_client import ApiClientError
from api_client.site_now import newest_query, site_now
from contract import DEFAULT_TIMEZONE, Number, Site, SiteSummary
from runtime.background import begin, waited
from runtime.cache import Cache
from runtime.reads import read_site, told_site
from runtime.resources import get_client
from runtime.told_or_last import Told
from runtime.upstream import Account, get_upstream

_AGE: Final = timedelta(seconds=30)
_MOMENT: Final = 1.0
"""Seconds."""
_MOST_SITES: Final = 10_000


class SiteOccupancy(NamedTuple):
    inside: Number | None
    """People inside by the newest minute; None: no count yet."""
    capacity: float | None
    """Of the top zone; None: not reported."""
    measured_at: datetime | None
    """Start of that minute, UTC."""
    top_zone_ids: tuple[str, ...]
    """The zones that stand for the whole site; empty: the service did not say."""


def known_capacities(reports: Mapping[str, SiteReport]) -> Mapping[str, float | None]:
    """Capacities by site id: of `reports`, and of a site that cannot be read the last known one."""
    known = _capacities.setdefault(get_upstream().account, {})
    known.update({id_: report.capacity for id_, report in reports.items() if not report.failure})
    return dict(known)


def read_occupancy(site: SiteSummary) -> SiteOccupancy:
    """The occupancy of one site, at most 30 s old. Raises ApiClientError."""
    timezone = site.timezone or DEFAULT_TIMEZONE
    asked = get_upstream().account, site.id, timezone
    return waited(
        lambda: _occupancies.get(asked, lambda: _read_now(site.id, timezone)), "how many people are inside"
    )


def occupancy_or_none(site: SiteSummary) -> SiteOccupancy | None:
    """`read_occupancy`, or None where that fails: the live view says how the feed stands."""
    try:
        return read_occupancy(site)
    except ApiClientError:
        return None


def subject_capacity(site: SiteSummary, subject: Subject) -> float | None:
    """Of a zone its own, of a whole site that of its top zone; None: not reported. Raises ApiClientError."""
    return read_occupancy(site).capacity if subject.kind is SubjectKind.SITE else subject.capacity


def begin_reading(site: SiteSummary) -> Future[SiteOccupancy]:
    """`read_occupancy` in a thread of its own; done at once where it is known."""
    timezone = site.timezone or DEFAULT_TIMEZONE
    asked = get_upstream().account, site.id, timezone
    return _occupancies.begin(asked, lambda: _read_now(site.id, timezone))


def begin_occupancy(site: SiteSummary) -> Future[SiteOccupancy | None]:
    """`occupancy_or_none` in a thread of its own, so that a page can say meanwhile what it waits for."""
    return begin(lambda: occupancy_or_none(site))


def is_told_anew(told: Told[Site], occupancy: SiteOccupancy | None) -> bool:
    """Whether the service tells by now what it did not tell a page: the site, or how full it is (None)."""
    with suppress(ApiClientError, TimeoutError, CancelledError):
        if told.age is not None and told_site(told.value.id).age is None:
            return True
        return occupancy is None and bool(begin_reading(told.value).result(_MOMENT))
    return False


def forget_occupancies() -> None:
    """Somebody has changed a site here: its capacity is asked for anew."""
    _occupancies.forget()


def lacks_capacity(site_id: str, zone_id: str | None) -> bool:
    """Whether the service tells no capacity of the zone, or of the whole site; no where that is not known."""
    with suppress(ApiClientError):
        site = read_site(site_id)
        if zone_id is None:
            return not read_occupancy(site).capacity
        return any(zone.id == zone_id and not zone_capacity(zone) for zone in site.zones)
    return False


_occupancies: Final = Cache[tuple[Account, str, str], SiteOccupancy](_AGE, most=_MOST_SITES)

_capacities: Final[dict[Account, dict[str, float | None]]] = {}
"""Of top zones by site id, as they were reported last."""


def _read_now(site_id: str, timezone: str) -> SiteOccupancy:
    now = site_now(get_client().newest(newest_query(site_id, timezone)))
    capacity = capacity_of(read_site(site_id), now.zone_ids)
    return SiteOccupancy(now.inside, capacity, now.measured_at, now.zone_ids)
