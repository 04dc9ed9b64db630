"""An organization with as many sites as a test wants: a shop each, with a door and a capacity of 100.

Every tenth shop has a device that is offline and every twenty-fifth has never counted. In shop `n` as many
people are inside as `inside_of(n)`; in the middle of them is one that is by far the fullest.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from contract import Address, Device, Passage, Site, Zone
from service.open_store import open_store, store_url
from service.store.protocol import KeyScope, Organization, PassageCount, SiteRecord, WriteMode

CAPACITY = 100


@dataclass(frozen=True)
class ManySites:
    data_dir: Path
    count: int
    read_key: str
    ingest_key: str

    @property
    def fullest(self) -> int:
        """Number of the shop that is full."""
        return self.count // 2 + 1

    def inside_of(self, number: int) -> int:
        return 97 if number == self.fullest else number % 60


def is_offline(number: int) -> bool:
    return number % 10 == 4


def has_never_counted(number: int) -> bool:
    return number % 25 == 7


def shop(number: int) -> SiteRecord:
    status = "Offline" if is_offline(number) else "Online"
    door = Passage(
        id=f"door-{number}",
        name="Door",
        to_zone_id=f"all-{number}",
        devices=(Device(id=f"pad-{number}", name="Pad", status=status),),
    )
    site = Site(
        id=f"shop-{number}",
        name=f"Shop {number:04}",
        address=Address(city="Bern" if number % 2 else "Basel"),
        timezone="Europe/Zurich",
        organization_id="chain",
        zones=(Zone(id=f"all-{number}", name="All", category="site", capacity=CAPACITY, area=10),),
        passages=(door,),
    )
    return SiteRecord(site, f"all-{number}", daily_reset_hour=(datetime.now(UTC).hour + 12) % 24)


def create_many_sites(data_dir: Path, count: int) -> ManySites:
    """Counts are of the minute before; the store is closed again."""
    minute = int((datetime.now(UTC) - timedelta(minutes=1)).timestamp()) // 60
    store = open_store(store_url(data_dir))
    try:
        store.catalogue.save(Organization("chain", "Chain"), [shop(number) for number in range(count)])
        made = ManySites(
            data_dir,
            count,
            store.keys.create("chain", "reads", KeyScope.READ)[1],
            store.keys.create("chain", "counts", KeyScope.INGEST)[1],
        )
        counts = [
            PassageCount(f"door-{number}", minute, made.inside_of(number), 0)
            for number in range(count)
            if not has_never_counted(number)
        ]
        store.metrics.append(counts, WriteMode.SET)
    finally:
        store.close()
    return made
