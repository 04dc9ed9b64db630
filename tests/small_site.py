"""A small organization with a small site, and keys to it, written straight into a store.

    outside --entrance--> hall --archway--> cafe --terrace--> outside

The top zone is `shop`. A second organization owns `elsewhere`; an archived site is hidden from the list.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from contract import Address, Device, Passage, Site, Zone
from service.open_store import open_store, store_url
from service.store.protocol import (
    DEFAULT_DAILY_RESET_HOUR,
    KeyScope,
    Organization,
    PassageCount,
    SiteRecord,
    Store,
    WriteMode,
)

ORGANIZATION = Organization("corner", "Corner shops")
OTHER_ORGANIZATION = Organization("rival", "Rival shops")

SITE = Site(
    id="corner-shop",
    name="Corner shop",
    category="shop",
    address=Address(street="Langstrasse 1", post_code="8004", city="Zürich", country="Switzerland"),
    timezone="Europe/Zurich",
    organization_id=ORGANIZATION.id,
    created_at=datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC),
    updated_at=None,
    construction_year=1931,
    zones=(
        Zone(id="shop", name="Shop", category="site", capacity=100, area=250.5),
        Zone(
            id="hall",
            name="Hall",
            category="hall",
            capacity=60,
            area=150,
            devices=(Device(id="air-1", name="Air 1", status="Online"),),
        ),
        Zone(id="cafe", name="Café", category="café", capacity=40, area=100.5),
    ),
    passages=(
        Passage(
            id="entrance",
            name="Entrance",
            from_zone_id=None,
            to_zone_id="hall",
            devices=(Device(id="pad-1", name="Pad 1", status="Online"),),
        ),
        Passage(
            id="archway",
            name="Archway",
            from_zone_id="hall",
            to_zone_id="cafe",
            devices=(Device(id="pad-2", name="Pad 2", status="Offline"),),
        ),
        Passage(id="terrace", name="Terrace door", from_zone_id="cafe", to_zone_id=None),
    ),
)

ARCHIVED_SITE = SITE.model_copy(
    update={
        "id": "closed-shop",
        "name": "Closed shop",
        "archived": True,
        "zones": (Zone(id="all", name="All", category="site", capacity=1, area=1),),
        "passages": (Passage(id="closed-door", name="Closed door", to_zone_id="all"),),
    }
)

OTHER_SITE = SITE.model_copy(
    update={
        "id": "elsewhere",
        "name": "Elsewhere",
        "organization_id": OTHER_ORGANIZATION.id,
        "zones": (Zone(id="everything", name="Everything", category="site", capacity=10, area=10),),
        "passages": (Passage(id="other-door", name="Other door", to_zone_id="everything"),),
    }
)


@dataclass(frozen=True)
class SmallSite:
    data_dir: Path
    read_key: str
    read_key_id: str
    ingest_key: str
    rival_key: str
    """Reads the other organization."""
    site_id: str = SITE.id

    @property
    def headers(self) -> dict[str, str]:
        return {"x-api-key": self.read_key}

    @property
    def ingest_headers(self) -> dict[str, str]:
        return {"x-api-key": self.ingest_key}


def half_a_day_away() -> int:
    """The hour of the small site's day at which nothing that a test does is near."""
    return (datetime.now(ZoneInfo(SITE.timezone or "")).hour + 12) % 24


def create_records(store: Store, *, reset_hour: int = DEFAULT_DAILY_RESET_HOUR) -> None:
    """The organizations and their sites, without keys."""
    store.catalogue.save(
        ORGANIZATION,
        [
            SiteRecord(SITE, "shop", daily_reset_hour=reset_hour),
            SiteRecord(ARCHIVED_SITE, "all", daily_reset_hour=0),
        ],
    )
    store.catalogue.save(OTHER_ORGANIZATION, [SiteRecord(OTHER_SITE, "everything")])


def create_small_site(
    data_dir: Path, *, reset_hour: int = DEFAULT_DAILY_RESET_HOUR, url: str | None = None
) -> SmallSite:
    """Create the store in `data_dir`, or at a URL, its sites and keys; the store is closed again."""
    store = open_store(url or store_url(data_dir))
    try:
        create_records(store, reset_hour=reset_hour)
        record, read_key = store.keys.create(ORGANIZATION.id, "reads", KeyScope.READ)
        _, ingest_key = store.keys.create(ORGANIZATION.id, "counts", KeyScope.INGEST)
        _, rival_key = store.keys.create(OTHER_ORGANIZATION.id, "reads", KeyScope.READ)
    finally:
        store.close()
    return SmallSite(data_dir, read_key, record.id, ingest_key, rival_key)


def store_counts(data_dir: Path, counts: list[tuple[datetime, str, int, int]]) -> None:
    """Set counts (start of the minute, passage id, forward, backward), as an import does."""
    store = open_store(store_url(data_dir))
    try:
        rows = [
            PassageCount(passage_id, int(start.timestamp()) // 60, forward, backward)
            for start, passage_id, forward, backward in counts
        ]
        store.metrics.append(rows, WriteMode.SET)
    finally:
        store.close()


def count(
    timestamp: datetime, forward: int = 1, backward: int = 0, passage: str = "entrance"
) -> dict[str, Any]:
    """One element of the body of `POST /ingest/counts`."""
    return {
        "timestamp": timestamp.isoformat(),
        "passageId": passage,
        "forward": forward,
        "backward": backward,
    }
