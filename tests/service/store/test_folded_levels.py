"""Levels and corrections of folded minutes: what quarters tell of them, what is refused, what stays."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from math import isclose
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from sqlalchemy import text

from contract import Aggregation, Granularity, MetricKey, Zone
from contract.minutes import minute_number
from service.store import retention, series_import
from service.store.audit_protocol import Author
from service.store.errors import FoldedCountsError
from service.store.level_protocol import ZoneLevel
from service.store.protocol import BucketQuery, CountSeries, PassageCount, SiteRecord, Store, WriteMode
from tests.crowded_site import ORGANIZATION, PASSAGES, crowded_counts, crowded_site
from tests.database_of import database_of
from tests.every_store import opener
from tests.plain_metrics import PlainSeries, Told, counts_of, plain_reduction, plain_series

ZURICH = "Europe/Zurich"
FIRST = minute_number(datetime(2025, 3, 28, 12, tzinfo=UTC))
LAST = FIRST + 4 * 1440
NOW = datetime(2025, 4, 2, 12, tzinfo=UTC)
EDGE = datetime(2025, 3, 30, 2, tzinfo=UTC)
"""Up to which two days are kept: a reset at 4 of the site."""
UNTIL = minute_number(EDGE)
FLOWS = (MetricKey.ENTRANCES, MetricKey.EXITS)
ALL = tuple(MetricKey)
SOMEBODY = Author("Front desk", "key-1", "Maria")
SELECTIONS: list[tuple[str, ...]] = [
    (), ("hall",), ("cafe",), ("attic",), ("hall", "attic"), ("cafe", "loft", "attic"),
]  # fmt: skip
"""No passage leads to the attic."""
COUNTED = crowded_counts(FIRST, FIRST + 900, seed=1, share=1.0) + crowded_counts(
    FIRST + 900, LAST, seed=2, share=0.5
)


def site(*more: str) -> SiteRecord:
    record = crowded_site(ZURICH)
    zones = (*record.site.zones, *(Zone(id=name, name=name) for name in more))
    return replace(record, site=record.site.model_copy(update={"zones": zones}))


@cache
def levels() -> list[ZoneLevel]:
    """Of the attic nearly every minute; of others now and then, also in minutes without a count."""
    chance = random.Random(3)
    whole = [ZoneLevel("crowded", "attic", minute, chance.randrange(30)) for minute in range(FIRST, LAST)]
    some = [
        ZoneLevel("crowded", zone, minute, chance.randrange(30))
        for zone in ("hall", "loft")
        for minute in chance.sample(range(FIRST - 300, LAST), 150)
    ]
    return [*whole[:900], *(level for level in whole[900:] if chance.random() < 0.9), *some]


@cache
def corrections() -> dict[tuple[str, int], int]:
    chance = random.Random(4)
    minutes = [*chance.sample(range(FIRST - 300, UNTIL), 12), UNTIL + 70]
    return {(zone, minute): 5 + minute % 9 for zone in ("cafe", "attic") for minute in minutes}


def told() -> Told:
    """The first correction of each zone is taken back."""
    found: dict[tuple[str, int], int | None] = {}
    withdrawn = set[str]()
    for (zone, minute), inside in corrections().items():
        found[zone, minute] = inside if zone in withdrawn else None
        withdrawn.add(zone)
    of_levels = {(level.zone_id, level.minute): level.inside for level in levels()}
    return found | of_levels | {place: inside for place, inside in found.items() if inside is not None}


@cache
def plain(zones: tuple[str, ...]) -> PlainSeries:
    return plain_series(site("attic"), counts_of(COUNTED), zones, (), told())


@pytest.fixture(autouse=True, scope="module")
def _at_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for module in (retention, series_import):
            patch.setattr(module, "ROOM_SECONDS", 0.0)
        patch.setattr(retention, "_MINUTES_TOGETHER", 1440)
        yield


def tell(store: Store) -> None:
    store.levels.append(levels(), organization_id=ORGANIZATION.id)
    withdrawn = set[str]()
    for (zone, minute), inside in corrections().items():
        made = store.levels.correct(ZoneLevel("crowded", zone, minute, inside), "counted", SOMEBODY, NOW)
        if zone not in withdrawn:
            store.levels.withdraw("crowded", made.number, SOMEBODY, NOW)
        withdrawn.add(zone)


@pytest.fixture(scope="module")
def folded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Not changed by tests, but for what is refused."""
    with opener("sqlite", tmp_path_factory.mktemp("folded")) as opened:
        store = opened(clock=lambda: NOW)
        store.catalogue.save(ORGANIZATION, [site("attic")])
        tell(store)
        store.metrics.append(COUNTED, WriteMode.SET)
        assert is_sound(store)
        assert store.retention.fold(2)
        yield store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with opener("sqlite", tmp_path) as opened:
        yield opened(clock=lambda: NOW)


def is_sound(store: Store) -> bool:
    return not any(found.differences for found in store.metrics.check())


def rows(store: Store, table: str) -> int:
    """Before the edge."""
    with database_of(store).reading() as connection:
        counted = text(f"SELECT COUNT(*) FROM {table} WHERE minute < :minute")
        return int(connection.execute(counted, {"minute": UNTIL}).scalar_one())


def asked(**changes: object) -> BucketQuery:
    whole: dict[str, object] = {
        "site_id": "crowded",
        "metrics": ALL,
        "start": datetime(2025, 3, 26, tzinfo=UTC),
        "end": NOW + timedelta(days=1),
        "granularity": Granularity.HOUR,
        "timezone": ZoneInfo(ZURICH),
    }
    return BucketQuery(**(whole | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize("zones", SELECTIONS, ids=lambda zones: "+".join(zones) or "top")
def test_each_point_is_what_it_was_or_is_not_there(folded: Store, zones: tuple[str, ...]) -> None:
    ranges = [
        (datetime(2025, 3, 26, tzinfo=UTC), NOW),
        (datetime(2025, 3, 28, 17, 7, tzinfo=UTC), datetime(2025, 3, 29, 18, 22, tzinfo=UTC)),
        (datetime(2025, 3, 29, 18, 22, tzinfo=UTC), datetime(2025, 3, 31, 5, 5, tzinfo=UTC)),
    ]
    of_folded = 0
    for (start, end), metrics, granularity, aggregation in itertools.product(
        ranges, (ALL, FLOWS), Granularity, (None, *Aggregation)
    ):
        if granularity is Granularity.MINUTE and aggregation not in {None, Aggregation.MAXIMUM}:
            continue  # of a single minute, one aggregation says what another does
        query = asked(
            metrics=metrics, zone_ids=zones, start=start, end=end,
            granularity=granularity, aggregation=aggregation,
        )  # fmt: skip
        expected = dict(plain_reduction(plain(zones), query))
        found = {bucket.start: bucket.values for bucket in folded.metrics.buckets(query)}
        for at, values in found.items():
            assert values.keys() == expected[at].keys(), (query, at)
            assert all(isclose(values[metric], expected[at][metric]) for metric in values), (query, at)
        left_out = expected.keys() - found.keys()
        assert all(at < EDGE for at in left_out), "what is kept by the minute is told"
        of_folded += sum(at < EDGE for at in found)
        is_of_sums = metrics == FLOWS and aggregation in {None, Aggregation.SUM}
        if granularity is not Granularity.MINUTE and (len(zones) < 2 or is_of_sums):
            cut = [edge for edge in (start, end) if edge.minute % 15 and edge < EDGE]
            assert len(left_out) <= len(cut), "no more than what the range itself cuts"
    assert of_folded > 0


def test_levels_go_with_their_minutes_and_corrections_stay_as_the_record(folded: Store) -> None:
    assert folded.retention.folded_until("crowded") == EDGE
    for table in ("zone_levels", "zone_minutes", "passage_minutes"):
        assert rows(folded, table) == 0, table
    recorded = folded.levels.corrections("crowded", None, EDGE, limit=100)
    assert len(recorded) == sum(minute < UNTIL for _, minute in corrections())
    assert folded.levels.set_by_hand(asked(end=EDGE, zone_ids=("cafe",)))
    assert not folded.retention.fold(2), "there is nothing left to fold"


def test_repair_and_a_site_that_changes_leave_folded_levels_as_they_are(folded: Store) -> None:
    query = asked(zone_ids=("attic",), granularity=Granularity.DAY)
    before = folded.metrics.buckets(query)
    assert is_sound(folded)
    folded.metrics.repair("crowded")
    assert is_sound(folded)
    assert folded.metrics.buckets(query) == before
    folded.catalogue.save(ORGANIZATION, [site("attic", "annexe")])
    assert is_sound(folded)
    assert folded.metrics.buckets(query) == before


def test_a_late_level_or_correction_of_a_folded_day_is_refused_alone(folded: Store) -> None:
    late = ZoneLevel("crowded", "hall", UNTIL - 1, 3)
    query = asked(zone_ids=("hall",))
    before = folded.metrics.buckets(query)
    with pytest.raises(FoldedCountsError, match="at crowded levels are taken from 2025-03-30T02:00:00"):
        folded.levels.append([late._replace(minute=UNTIL), late], organization_id=ORGANIZATION.id)
    with pytest.raises(FoldedCountsError, match="at crowded corrections are taken from 2025-03-30T02:00"):
        folded.levels.correct(late, "we counted", SOMEBODY, NOW)
    [first, second, *_] = folded.levels.corrections("crowded", None, EDGE, limit=100)
    holding = first if first.withdrawn_at is None else second
    with pytest.raises(FoldedCountsError):
        folded.levels.withdraw("crowded", holding.number, SOMEBODY, NOW)
    assert folded.metrics.buckets(query) == before
    assert is_sound(folded)


def test_a_level_of_the_first_minute_that_is_kept_is_taken(store: Store) -> None:
    store.catalogue.save(ORGANIZATION, [site("attic")])
    tell(store)
    assert store.retention.fold(2)
    store.levels.append([ZoneLevel("crowded", "attic", UNTIL, 444)], organization_id=ORGANIZATION.id)
    assert is_sound(store)
    [minute] = store.metrics.buckets(
        asked(
            zone_ids=("attic",),
            granularity=Granularity.MINUTE,
            start=EDGE,
            end=EDGE + timedelta(minutes=1),
        )
    )
    assert minute.values == {MetricKey.VISITORS_INSIDE: 444}


def test_a_zone_that_left_its_site_finds_its_folded_levels_when_it_is_back(store: Store) -> None:
    store.catalogue.save(ORGANIZATION, [site("attic")])
    tell(store)
    query = asked(zone_ids=("attic",), granularity=Granularity.DAY, end=EDGE)
    before = store.metrics.buckets(query)
    store.catalogue.save(ORGANIZATION, [site()])
    assert store.retention.fold(2)
    assert rows(store, "zone_levels") == 0
    assert is_sound(store)
    store.catalogue.save(ORGANIZATION, [site("attic")])
    assert store.metrics.buckets(query) == before
    assert is_sound(store)


def test_an_import_into_zones_with_levels_is_as_if_worked_out_minute_by_minute(store: Store) -> None:
    store.catalogue.save(ORGANIZATION, [site("attic")])
    tell(store)
    store.imports.store(_series(COUNTED))
    assert is_sound(store)
    for zones, granularity in itertools.product(SELECTIONS, (Granularity.MINUTE, Granularity.HOUR)):
        query = asked(zone_ids=zones, granularity=granularity)
        found = [(bucket.start, bucket.values) for bucket in store.metrics.buckets(query)]
        expected = plain_reduction(plain(zones), query)
        assert [at for at, _ in found] == [at for at, _ in expected]
        for (at, values), (_, right) in zip(found, expected, strict=True):
            assert values == pytest.approx(right), (query, at)


def _series(counts: list[PassageCount]) -> Iterator[CountSeries]:
    for passage in PASSAGES:
        own = sorted(count[1:] for count in counts if count.passage_id == passage.id)
        minutes, forward, backward = np.array(own, dtype=np.int64).T
        yield CountSeries(passage.id, minutes, forward, backward, WriteMode.SET)
