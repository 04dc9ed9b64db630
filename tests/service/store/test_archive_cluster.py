"""What only a cluster shows: whose rows lie on which shard, and what one that is away keeps from whom."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from contract import Granularity, MetricKey, Passage
from contract.minutes import minute_number
from service.store.errors import ArchiveAwayError
from service.store.protocol import BucketQuery, PassageCount, SiteRecord, Store, WriteMode
from tests.every_store import URL_IN, opener
from tests.served_clickhouse_18 import TwoShards, two_shards
from tests.small_site import ORGANIZATION, SITE

NOW = datetime(2025, 6, 20, 12, tzinfo=UTC)
OLD, LATER, NEW = (NOW - timedelta(days=days) for days in (40, 12, 1))
SITES = [f"shop-{number}" for number in range(6)]
TABLES = ("passage_minutes", "passage_quarters", "zone_minutes", "zone_quarters")


class Cluster:
    """Six sites in a store, of each of which a day lies on one of two shards."""

    def __init__(self, shards: TwoShards, store: Store) -> None:
        self.servers, self.store = shards.shards, store
        for site_id in SITES:
            door = Passage(id=f"{site_id}-door", name="Door", to_zone_id="hall")
            site = SITE.model_copy(update={"id": site_id, "passages": (door,)})
            store.catalogue.save(ORGANIZATION, [SiteRecord(site, "shop", 4)])
            self.count(site_id, OLD, 2)
            self.count(site_id, LATER, 3)
            self.count(site_id, NEW, 1)
        assert self.ship(30) == len(SITES)

    def count(self, site_id: str, moment: datetime, forward: int) -> None:
        told = PassageCount(f"{site_id}-door", minute_number(moment), forward, 0)
        self.store.metrics.append([told], WriteMode.ADD)

    def ship(self, days: int) -> int:
        return self.store.archiving.ship(days, NOW, threading.Event())

    def take(self) -> int:
        return self.store.archiving.take_late(threading.Event())

    def entrances(self, site_id: str, start: datetime = OLD) -> list[int | float]:
        timezone, metrics = ZoneInfo("Europe/Zurich"), (MetricKey.ENTRANCES,)
        asked = BucketQuery(site_id, metrics, start, NOW, Granularity.DAY, timezone)
        return [bucket.values[MetricKey.ENTRANCES] for bucket in self.store.metrics.buckets(asked)]

    def sites_on(self, number: int, table: str = TABLES[0]) -> list[str]:
        server = self.servers[number]
        found = server.ask(f"SELECT DISTINCT site FROM headroom.{table}_local ORDER BY site FORMAT TSV")
        return found.split()


@pytest.fixture(scope="module", params=URL_IN)
def cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("shards")
    with two_shards(folder) as shards, opener(request.param, folder) as opened:
        yield Cluster(shards, opened(archive=shards.url("headroom"), clock=lambda: NOW))


def test_all_rows_of_a_site_lie_on_one_shard_and_each_shard_has_some(cluster: Cluster) -> None:
    first, second = ([cluster.sites_on(number, table) for table in TABLES] for number in (0, 1))
    assert first == [first[0]] * len(TABLES)
    assert second == [second[0]] * len(TABLES)
    assert first[0]
    assert second[0]
    assert sorted(first[0] + second[0]) == SITES
    assert [cluster.entrances(site_id) for site_id in SITES] == [[2, 3, 1]] * len(SITES)


def test_a_shard_that_is_away_keeps_its_own_sites_waiting_alone(cluster: Cluster) -> None:
    here, there = cluster.sites_on(0), cluster.sites_on(1)
    archiving = cluster.store.archiving
    cluster.servers[1].kill()
    try:
        for site_id in here:
            assert cluster.entrances(site_id) == [2, 3, 1]
        for site_id in there:
            with pytest.raises(ArchiveAwayError, match="cannot be used"):
                cluster.entrances(site_id)
            assert cluster.store.trouble() is None
            assert cluster.entrances(site_id, LATER) == [3, 1]
        for site_id in SITES:
            cluster.count(site_id, OLD, 5)
        assert cluster.take() == len(here)
        assert archiving.late_minutes() == len(there)
        assert archiving.trouble()
        assert cluster.store.trouble() is None
        # Of each the day that returned, and what has become old.
        assert cluster.ship(10) == 2 * len(here)
        assert [cluster.entrances(site_id) for site_id in here] == [[7, 3, 1]] * len(here)
    finally:
        cluster.servers[1].start()
    assert cluster.take() == len(there)
    assert cluster.ship(10) == 2 * len(there)
    assert archiving.trouble() is None
    assert [cluster.entrances(site_id) for site_id in SITES] == [[7, 3, 1]] * len(SITES)
    assert archiving.late_minutes() == 0
