"""A site with every kind of passage, and counts for it: gaps, quiet minutes, more out than in."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from contract import Granularity, MetricKey, Passage, Site, Zone
from service.store.protocol import BucketQuery, Organization, PassageCount, SiteRecord, Store

ORGANIZATION = Organization("crowd", "Crowd")
NOON = datetime(2025, 6, 2, 10, tzinfo=UTC)
MINUTE = int(NOON.timestamp()) // 60
"""Noon at the site, in Zurich, and its minute since the epoch."""

PASSAGES = (
    Passage(id="north", name="North", to_zone_id="hall"),
    Passage(id="south", name="South", from_zone_id="cafe", to_zone_id=None),
    Passage(id="arch", name="Arch", from_zone_id="hall", to_zone_id="cafe"),
    Passage(id="stairs", name="Stairs", from_zone_id="loft", to_zone_id="hall"),
)


def crowded_site(timezone: str | None, *, site_id: str = "crowded", reset_hour: int = 4) -> SiteRecord:
    prefix = "" if site_id == "crowded" else f"{site_id}-"
    site = Site(
        id=site_id,
        name="Crowded",
        timezone=timezone,
        organization_id=ORGANIZATION.id,
        zones=tuple(Zone(id=name, name=name) for name in ("whole", "hall", "cafe", "loft")),
        passages=tuple(passage.model_copy(update={"id": f"{prefix}{passage.id}"}) for passage in PASSAGES),
    )
    return SiteRecord(site, top_zone_id="whole", daily_reset_hour=reset_hour)


def crowded_counts(first: int, last: int, *, seed: int, share: float = 0.6) -> list[PassageCount]:
    """Counts of all passages in about a `share` of the minutes [first, last)."""
    chance = random.Random(seed)
    return [
        PassageCount(passage.id, minute, chance.choice((0, 0, 1, 3)), chance.choice((0, 1, 1, 2)))
        for minute in range(first, last)
        for passage in PASSAGES
        if chance.random() < share
    ]


def levels(store: Store, zone_id: str) -> dict[int, int | float]:
    """How many were inside a zone, by minutes after `NOON`."""
    query = BucketQuery(
        site_id="crowded",
        metrics=(MetricKey.VISITORS_INSIDE,),
        start=NOON - timedelta(days=400),
        end=NOON + timedelta(days=400),
        granularity=Granularity.MINUTE,
        timezone=ZoneInfo("Etc/UTC"),
        zone_ids=(zone_id,),
    )
    return {
        int(bucket.start.timestamp()) // 60 - MINUTE: bucket.values[MetricKey.VISITORS_INSIDE]
        for bucket in store.metrics.buckets(query)
    }


def north(after: int, forward: int, backward: int = 0) -> PassageCount:
    """At the northern door, so many minutes after `NOON`."""
    return PassageCount("north", MINUTE + after, forward, backward)
