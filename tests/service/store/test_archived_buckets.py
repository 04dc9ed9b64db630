"""Buckets of a store of which all but the last day lies in ClickHouse: against the calculation row by row,
and against a store that has everything itself.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contract import CROSSINGS, Aggregation, Granularity, MetricKey
from contract.minutes import minute_number
from service.store.level_protocol import ZoneLevel
from service.store.protocol import BucketQuery, PassageCount, SiteRecord, Store, WriteMode
from tests.every_store import URL_IN, opener
from tests.running_clickhouse import RunningClickHouse
from tests.service.store.test_bucket_rows import ZONES, Case, assert_right, cases
from tests.service.store.test_buckets import Around, check_buckets
from tests.small_site import ORGANIZATION, SITE

FAR = datetime(2040, 1, 1, tzinfo=UTC)
START, NOW = datetime(2025, 2, 20, tzinfo=UTC), datetime(2025, 4, 20, 12, tzinfo=UTC)
DAYS = 20
DOORS = ("entrance", "archway", "terrace")
GROUPS = ((), ("hall",), ("cafe",), ("hall", "cafe"), ("shop", "hall", "cafe"))
TIMEZONES = ("Etc/UTC", "Europe/Zurich", "Asia/Kathmandu", "America/New_York")


def archive_all_but_the_last_day(store: Store) -> int:
    shipped = store.archiving.ship(1, FAR, threading.Event())
    assert store.archiving.trouble() is None
    return shipped


@pytest.fixture(scope="module", params=URL_IN)
def archived(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, clickhouse: RunningClickHouse
) -> Iterator[Store]:
    folder = tmp_path_factory.mktemp("store")
    with opener(request.param, folder) as opened:
        yield opened(archive=clickhouse.url(folder))


@pytest.fixture(
    scope="module",
    params=[
        ("sqlite", "Europe/Zurich", "2025-03-30T01:00"),
        ("postgresql", "Australia/Lord_Howe", "2025-04-05T15:00"),
    ],
    ids=str,
)
def around(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, clickhouse: RunningClickHouse
) -> Iterator[Around]:
    kind, *moment = request.param
    folder = tmp_path_factory.mktemp("store")
    with opener(kind, folder) as opened:
        found = Around(opened(archive=clickhouse.url(folder)), *moment)
        assert archive_all_but_the_last_day(found.store)
        yield found


@pytest.mark.parametrize(
    ("granularity", "aggregation"),
    [
        (Granularity.MINUTE, None),
        (Granularity.HOUR, None),
        (Granularity.HOUR, Aggregation.MAXIMUM),
        (Granularity.DAY, Aggregation.MINIMUM),
        (Granularity.MONTH, Aggregation.AVERAGE),
    ],
)
def test_buckets_equal_the_calculation_row_by_row(
    around: Around, granularity: Granularity, aggregation: Aggregation | None
) -> None:
    check_buckets(around, granularity, aggregation)


@settings(max_examples=2, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(case=cases(st.lists(st.sampled_from(ZONES), max_size=4, unique=True), st.just([])))
def test_zones_equal_it_whatever_their_gaps(archived: Store, case: Case) -> None:
    assert_right(archived, case, archive_all_but_the_last_day)


@settings(max_examples=2, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    case=cases(
        st.lists(st.sampled_from(ZONES), max_size=2, unique=True),
        st.lists(st.integers(0, 2), min_size=1, unique=True),
    )
)
def test_passages_equal_it_whatever_their_gaps(archived: Store, case: Case) -> None:
    assert_right(archived, case, archive_all_but_the_last_day)


class Twins:
    """The small site in two stores, of which one has an archive."""

    def __init__(self, archived: Store, plain: Store, chance: random.Random) -> None:
        self.archived, self.plain, self._chance = archived, plain, chance
        for store in (archived, plain):
            store.catalogue.save(ORGANIZATION, [SiteRecord(SITE, "shop", 4)])

    def count(self, runs: int, mode: WriteMode) -> None:
        """So many runs of minutes of any door, at any time."""
        chance, end = self._chance, minute_number(NOW)
        counts = [PassageCount("entrance", end - 5, 1, 1)]
        for _ in range(runs):
            first = chance.randrange(minute_number(START), end)
            minutes = range(first, min(first + chance.choice((1, 1, 30, 120)), end))
            counts += [
                PassageCount(chance.choice(DOORS), minute, chance.randrange(4), chance.randrange(4))
                for minute in minutes
            ]
        for store in (self.archived, self.plain):
            store.metrics.append(counts, mode)

    def tell(self, runs: int) -> None:
        """So many runs of minutes of which the level of a zone is told, whether somebody counts or not."""
        chance, end = self._chance, minute_number(NOW)
        for _ in range(runs):
            first, zone = chance.randrange(minute_number(START), end), chance.choice(GROUPS[-1])
            minutes = range(first, min(first + chance.choice((1, 20, 120)), end))
            levels = [ZoneLevel(SITE.id, zone, minute, chance.randrange(9)) for minute in minutes]
            for store in (self.archived, self.plain):
                store.levels.append(levels, organization_id=ORGANIZATION.id)

    def assert_alike(self, queries: int) -> None:
        for _ in range(queries):
            query = self._any_query()
            assert self.archived.metrics.buckets(query) == self.plain.metrics.buckets(query), query

    def _any_query(self) -> BucketQuery:
        chance = self._chance
        granularity = chance.choice(list(Granularity))
        minutes = (1, 60, 600, 3000) if granularity is Granularity.MINUTE else (60, 1440, 10_000, 90_000)
        start = START + timedelta(minutes=chance.randrange(-3000, 84_000))
        doors = tuple(chance.sample(DOORS, chance.randint(1, 3))) if chance.random() < 0.25 else ()
        return BucketQuery(
            site_id=SITE.id,
            metrics=CROSSINGS if doors else tuple(chance.sample(list(MetricKey), chance.randint(1, 4))),
            start=start,
            end=start + timedelta(minutes=chance.choice(minutes)),
            granularity=granularity,
            timezone=ZoneInfo(chance.choice(TIMEZONES)),
            aggregation=chance.choice((None, *Aggregation)),
            zone_ids=chance.choice(GROUPS[:4] if doors else GROUPS),
            passage_ids=doors,
        )


@pytest.mark.parametrize(("kind", "seed"), [("sqlite", 1), ("postgresql", 2)])
def test_a_store_answers_the_same_whatever_of_it_lies_in_the_archive_and_comes_late(
    kind: str, seed: int, tmp_path: Path, clickhouse: RunningClickHouse
) -> None:
    with opener(kind, tmp_path / "archived") as archived, opener("sqlite", tmp_path / "plain") as plain:
        store = archived(archive=clickhouse.url(tmp_path), clock=lambda: NOW)
        twins = Twins(store, plain(clock=lambda: NOW), random.Random(seed))
        archiving, stop = store.archiving, threading.Event()
        twins.count(150, WriteMode.ADD)
        twins.tell(60)
        assert archiving.ship(DAYS, NOW, stop)
        twins.assert_alike(20)
        for mode in WriteMode:
            twins.count(6, mode)
            assert archiving.late_minutes()
            assert archiving.take_late(stop)
            assert not archiving.late_minutes()
            twins.assert_alike(6)
            assert archiving.ship(DAYS, NOW, stop)
            twins.assert_alike(6)
        assert not any(checked.differences for checked in store.metrics.check())
        assert archiving.trouble() is None
