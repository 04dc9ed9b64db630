"""A site with every kind of passage, and counts for it: gaps, quiet minutes, more out than in."""

from __future__ import annotations

import random

from contract import Passage, Site, Zone
from service.store.protocol import Organization, PassageCount, SiteRecord

ORGANIZATION = Organization("crowd", "Crowd")

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
