"""Sites that open at half past nine and close at a quarter past eight, each of their open minutes counted.

    outside --front--> hall --inner--> back

The counts are made here, kept by a real service, and added up here again, minute by minute.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

from analysis.hours_text import spans_of_text
from analysis.opening_hours import OpeningHours
from api_client import Client
from contract import MetricPoint, MetricsQuery, Passage, Site, Zone
from service.open_store import open_store, store_url
from service.store.protocol import KeyScope, Organization, PassageCount, SiteRecord, WriteMode

ZONES = (ZoneInfo("Australia/Lord_Howe"), ZoneInfo("Asia/Kathmandu"), ZoneInfo("Europe/Zurich"))
FIRST, DAYS = date(2024, 9, 30), 35
"""A Monday. The clocks change on Lord Howe on 6 October, by half an hour, and in Zürich on 27 October."""
OPENS, CLOSES = 9 * 60 + 30, 20 * 60 + 15
OPEN_MINUTES = CLOSES - OPENS
HOURS = OpeningHours(week=(spans_of_text("09:30-20:15"),) * 7)
SILENT_DAY = date(2024, 10, 16)
SILENT = range(15 * 60 + 40, 17 * 60)
"""Minutes of that day in which nothing is counted."""
_LAST_WAY_BACK = 19 * 60 + 40
"""From then on nobody is in the back room, nor goes there."""
_ORGANIZATION = Organization("cut", "Cut hours")


Minute = tuple[int, int, int, int]
"""Who came in by the front and left by it, who went to the back and came from it."""


@dataclass(frozen=True)
class CutSite:
    timezone: ZoneInfo

    @property
    def id(self) -> str:
        return self.timezone.key.rpartition("/")[2].lower()

    @property
    def site(self) -> Site:
        zones = (
            Zone(id=f"{self.id}-all", name="All", category="site", capacity=200, area=300),
            Zone(id=f"{self.id}-hall", name="Hall", category="hall", capacity=100, area=200),
            Zone(id=f"{self.id}-back", name="Back", category="room", capacity=50, area=100),
        )
        front = Passage(id=f"{self.id}-front", name="Front", from_zone_id=None, to_zone_id=f"{self.id}-hall")
        inner = Passage(
            id=f"{self.id}-inner", name="Inner", from_zone_id=f"{self.id}-hall", to_zone_id=f"{self.id}-back"
        )
        return Site(
            id=self.id, name=self.id, timezone=self.timezone.key, organization_id=_ORGANIZATION.id,
            zones=zones, passages=(front, inner),
        )  # fmt: skip

    @cached_property
    def counted(self) -> Mapping[datetime, Minute]:
        """Each counted minute, local."""
        return dict(self._counted())

    def _counted(self) -> Iterator[tuple[datetime, Minute]]:
        chance = Random(self.id)
        for number in range(DAYS):
            day = FIRST + timedelta(days=number)
            hall = back = 0
            for minute in range(OPENS, CLOSES):
                came, left = chance.randrange(0, 4), min(hall, chance.randrange(0, 3))
                there, again = min(hall - left, chance.randrange(0, 2)), min(back, chance.randrange(0, 2))
                if minute == _LAST_WAY_BACK:
                    there, again = 0, back
                elif minute > _LAST_WAY_BACK:
                    there = again = 0
                if minute == CLOSES - 1:
                    came, left, there = 0, hall, 0
                if day == SILENT_DAY and minute in SILENT:
                    continue
                hall, back = hall + came - left - there + again, back + there - again
                moment = datetime.combine(day, time(minute // 60, minute % 60), self.timezone)
                yield moment, (came, left, there, again)

    def within(self, first: date, last: date) -> dict[datetime, Minute]:
        return {moment: one for moment, one in self.counted.items() if first <= moment.date() <= last}

    def came_by_hour(self, first: date, last: date) -> dict[tuple[date, int], int]:
        """By local date and hour."""
        hours: dict[tuple[date, int], int] = defaultdict(int)
        for moment, one in self.within(first, last).items():
            hours[moment.date(), moment.hour] += one[0]
        return hours


SITES = [CutSite(zone) for zone in ZONES]


def fill(data_dir: Path) -> str:
    """A key that reads them."""
    store = open_store(store_url(data_dir))
    try:
        records = [SiteRecord(one.site, f"{one.id}-all", daily_reset_hour=4) for one in SITES]
        store.catalogue.save(_ORGANIZATION, records)
        for one in SITES:
            store.metrics.append(list(_rows(one)), WriteMode.SET)
        return store.keys.create(_ORGANIZATION.id, "reads", KeyScope.READ)[1]
    finally:
        store.close()


def _rows(site: CutSite) -> Iterator[PassageCount]:
    for moment, (came, left, there, again) in site.counted.items():
        minute = int(moment.astimezone(UTC).timestamp()) // 60
        yield PassageCount(f"{site.id}-front", minute, came, left)
        yield PassageCount(f"{site.id}-inner", minute, there, again)


@dataclass(frozen=True)
class Asked:
    """Runs queries against the service."""

    client: Client

    def __call__(self, queries: Mapping[Any, MetricsQuery], /) -> Mapping[Any, Sequence[MetricPoint]]:
        return {key: self.client.metrics(query).points for key, query in queries.items()}
