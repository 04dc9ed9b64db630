"""A chain of shops with three zones and two doors each, as it is when a cluster begins.

Of a hundred days ago three days are there, which the cluster brings to the archive; then nothing, until the
load begins.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

import numpy as np

from contract import Address, Passage, Site, Zone
from contract.minutes import minute_number
from service.open_store import open_store
from service.store.protocol import CountSeries, KeyScope, Organization, PassageCount, SiteRecord, WriteMode

LONG_AGO: Final = timedelta(days=100)
_DAYS: Final = 3
_OPEN: Final = (9 * 60, 19 * 60)
"""Minutes of a UTC day at which counts begin and end."""
DOORS: Final = ("front", "back")


@dataclass(frozen=True)
class Chain:
    site_ids: tuple[str, ...]
    read_key: str
    ingest_key: str
    first_day: datetime
    """Of a hundred days ago: midnight, UTC."""
    people_long_ago: int
    """Who came in at each site on those days."""

    def long_ago(self, number: int) -> datetime:
        """A minute of one of those days."""
        begin, end = _OPEN
        day, minute = number % _DAYS, begin + number % (end - begin)
        return self.first_day + timedelta(days=day, minutes=minute)


def zone_of(site_id: str) -> str:
    """The whole of it."""
    return f"{site_id}-all"


def door_of(site_id: str, number: int) -> str:
    return f"{site_id}-{DOORS[number % len(DOORS)]}"


def shop(number: int) -> SiteRecord:
    site_id = f"shop-{number:04}"
    names = ("all", "hall", "café")
    zones = tuple(
        Zone(
            id=f"{site_id}-{name}" if name != "café" else f"{site_id}-cafe",
            name=name.capitalize(),
            category="site",
            capacity=100,
            area=100,
        )
        for name in names
    )
    passages = (
        *(
            Passage(id=f"{site_id}-{door}", name=f"{door.capitalize()} door", to_zone_id=zones[1].id)
            for door in DOORS
        ),
        Passage(id=f"{site_id}-inner", name="To the café", from_zone_id=zones[1].id, to_zone_id=zones[2].id),
    )
    site = Site(
        id=site_id,
        name=f"Shop {number:04}",
        address=Address(city="Bern" if number % 2 else "Basel"),
        timezone="Europe/Zurich",
        organization_id="chain",
        zones=zones,
        passages=passages,
    )
    return SiteRecord(site, zone_of(site_id), 4)


def load_chain(url: str, sites: int) -> Chain:
    """Into the store at that URL, which is empty."""
    records = [shop(number) for number in range(1, sites + 1)]
    first_day = (datetime.now(UTC) - LONG_AGO).replace(hour=0, minute=0, second=0, microsecond=0)
    begin = minute_number(first_day)
    minutes = np.concatenate([np.arange(*_OPEN) + begin + day * 1440 for day in range(_DAYS)])
    ones, none = np.ones_like(minutes), np.zeros_like(minutes)
    with closing(open_store(url)) as store:
        store.catalogue.save(Organization("chain", "A chain"), records)
        _, read_key = store.keys.create("chain", "dashboards", KeyScope.READ)
        _, ingest_key = store.keys.create("chain", "counters", KeyScope.INGEST)
        store.imports.store(
            CountSeries(door_of(record.site.id, 0), minutes, ones, none, WriteMode.SET) for record in records
        )
        # The last day of which there is something stays in the store.
        now = minute_number(datetime.now(UTC))
        store.metrics.append(
            [PassageCount(door_of(record.site.id, 0), now - 1, 5, 0) for record in records], WriteMode.ADD
        )
    return Chain(tuple(record.site.id for record in records), read_key, ingest_key, first_day, len(minutes))
