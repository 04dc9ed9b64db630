"""The newest values of an organization's sites, as `GET /live/sites` tells them. Reads the store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import Any, Final, NamedTuple

from contract import CROSSINGS, MetricKey
from contract.latest_sites import LatestKind
from service.sensors.presence import Status
from service.site_devices import with_devices
from service.store.protocol import MetricStore, SiteRecord, Store
from service.store.sensor_protocol import SensorLine

_ONLINE: Final = Status.ONLINE.casefold()
LATEST_METRICS: Final = (MetricKey.VISITORS_INSIDE, *CROSSINGS)
"""What a list of sites compares, and all that its gauges show."""


class ListedSite(NamedTuple):
    """What is told of a site beside its counts."""

    record: SiteRecord
    devices_offline: int


def listed_sites(
    store: Store, organization_id: str, now: datetime, listening_since: datetime
) -> dict[str, ListedSite]:
    """Site id -> what is told of it, of all that are not archived, by name and id."""
    records = [record for record in store.catalogue.all_sites(organization_id) if not record.site.archived]
    lines = _lines_by_site(store.sensors.lines(organization_id))
    return {
        record.site.id: ListedSite(
            record, devices_offline(record, lines.get(record.site.id, ()), now, listening_since)
        )
        for record in records
    }


def devices_offline(
    record: SiteRecord, lines: Sequence[SensorLine], now: datetime, listening_since: datetime
) -> int:
    """How many devices of the site, of which `lines` are the placed counters, are not online."""
    site = with_devices(record.site, lines, now, listening_since)
    devices = chain(*(zone.devices for zone in site.zones), *(passage.devices for passage in site.passages))
    return sum(device.status.strip().casefold() not in {"", _ONLINE} for device in devices)


def latest_of_site(metrics: MetricStore, listed: ListedSite) -> dict[str, Any]:
    """An object of kind `site`. Takes microseconds: an event loop may call it."""
    site, top_zone_id = listed.record.site, listed.record.top_zone_id
    newest = metrics.newest(site.id, zone_ids=(top_zone_id,), metrics=LATEST_METRICS)
    return {
        "kind": LatestKind.SITE,
        "siteId": site.id,
        "name": site.name,
        "timezone": site.timezone,
        "topZoneId": top_zone_id,
        "capacity": next((zone.capacity for zone in site.zones if zone.id == top_zone_id), None),
        "devicesOffline": listed.devices_offline,
        "newest": None if newest is None else {"timestamp": newest.start, "metrics": newest.values},
    }


def _lines_by_site(lines: Iterable[SensorLine]) -> Mapping[str, list[SensorLine]]:
    by_site: defaultdict[str, list[SensorLine]] = defaultdict(list)
    for line in lines:
        if line.site_id is not None:
            by_site[line.site_id].append(line)
    return by_site
