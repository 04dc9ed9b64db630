from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from contract import CROSSINGS, METRICS, Granularity, MetricKey
from service.store.protocol import BucketQuery, PassageCount, Store, WriteMode
from tests.crowded_site import ORGANIZATION, crowded_counts, crowded_site
from tests.database_of import database_of
from tests.every_store import Opened

NOON = datetime(2025, 6, 2, 10, tzinfo=UTC)
MINUTE = int(NOON.timestamp()) // 60
ASKED = (*CROSSINGS, MetricKey.VISITORS_INSIDE, MetricKey.TIME_SPENT)


@pytest.fixture
def store(opened: Opened) -> Store:
    store = opened()
    store.catalogue.save(ORGANIZATION, [crowded_site("Europe/Zurich")])
    return store


def newest(store: Store, *zone_ids: str, passage_ids: tuple[str, ...] = ()) -> tuple[int, dict[str, float]]:
    bucket = store.metrics.newest("crowded", zone_ids=zone_ids, passage_ids=passage_ids, metrics=ASKED)
    assert bucket is not None
    return (
        int(bucket.start.timestamp()) // 60 - MINUTE,
        {metric.value: value for metric, value in bucket.values.items()},
    )


def test_before_the_first_count_there_is_no_newest(store: Store) -> None:
    assert store.metrics.newest("crowded", metrics=ASKED) is None
    assert store.metrics.newest("crowded", passage_ids=("north",), metrics=ASKED) is None
    assert store.metrics.newest("nowhere", metrics=ASKED) is None


def test_the_top_zone_has_the_values_of_its_newest_minute(store: Store) -> None:
    store.metrics.append(
        [PassageCount("north", MINUTE, 5, 0), PassageCount("north", MINUTE + 3, 2, 1)], WriteMode.ADD
    )
    assert newest(store) == (3, {"entrances": 2, "exits": 1, "visitorsInside": 6, "timeSpent": 180})


@pytest.mark.parametrize(("zone_ids", "passage_ids"), [((), ()), (("hall",), ()), ((), ("north", "south"))])
def test_the_newest_value_of_each_metric_is_that_of_its_last_minute(
    store: Store, zone_ids: tuple[str, ...], passage_ids: tuple[str, ...]
) -> None:
    store.metrics.append(crowded_counts(MINUTE - 100, MINUTE, seed=3), WriteMode.SET)
    metrics = tuple(key for key, spec in METRICS.items() if spec.is_of_passages or not passage_ids)
    query = BucketQuery(
        "crowded", metrics, NOON - timedelta(hours=2), NOON, Granularity.MINUTE, ZoneInfo("Etc/UTC"),
        zone_ids=zone_ids, passage_ids=passage_ids,
    )  # fmt: skip
    newest = store.metrics.newest("crowded", zone_ids=zone_ids, passage_ids=passage_ids, metrics=metrics)
    assert newest == store.metrics.buckets(query)[-1]


def test_the_running_minute_is_told_as_far_as_it_is_filled(store: Store) -> None:
    for filled in (1, 2, 3):
        store.metrics.append([PassageCount("north", MINUTE, 1, 0)], WriteMode.ADD)
        assert newest(store)[1]["entrances"] == filled


def test_an_older_count_does_not_become_the_newest_but_moves_the_level(store: Store) -> None:
    store.metrics.append([PassageCount("north", MINUTE, 1, 0)], WriteMode.ADD)
    store.metrics.append([PassageCount("north", MINUTE - 60, 4, 0)], WriteMode.ADD)
    assert newest(store) == (0, {"entrances": 1, "exits": 0, "visitorsInside": 5, "timeSpent": 300})


def test_several_zones_add_each_zones_newest_level_and_the_flows_of_the_newest_minute(store: Store) -> None:
    store.metrics.append(
        [PassageCount("stairs", MINUTE, 0, 3), PassageCount("south", MINUTE + 1, 0, 4)], WriteMode.ADD
    )
    assert newest(store, "loft", "cafe") == (
        1,
        {"entrances": 4, "exits": 0, "visitorsInside": 7, "timeSpent": 105},
    )


def test_a_level_of_before_the_reset_is_not_added_to_one_of_today(store: Store) -> None:
    yesterday = MINUTE - 24 * 60
    store.metrics.append(
        [PassageCount("stairs", yesterday, 0, 3), PassageCount("south", MINUTE, 0, 4)], WriteMode.ADD
    )
    assert newest(store, "loft", "cafe")[1]["visitorsInside"] == 4


def test_passages_tell_only_flows_into_the_site(store: Store) -> None:
    store.metrics.append(
        [PassageCount("north", MINUTE, 5, 1), PassageCount("south", MINUTE, 2, 3)], WriteMode.ADD
    )
    assert newest(store, passage_ids=("north", "south")) == (0, {"entrances": 8, "exits": 3})
    assert newest(store, "hall", passage_ids=("north", "south")) == (0, {"entrances": 5, "exits": 1})


def test_the_newest_values_are_there_again_after_a_restart(store: Store, opened: Opened) -> None:
    store.metrics.append(crowded_counts(MINUTE - 100, MINUTE, seed=3), WriteMode.SET)
    again = opened()
    for zone_ids in ((), ("hall",), ("hall", "cafe", "loft")):
        assert newest(again, *zone_ids) == newest(store, *zone_ids)


def test_what_is_not_recent_stays_known_while_others_count_unless_it_changes(
    opened: Opened,
) -> None:
    now = NOON + timedelta(days=100)
    store = opened(clock=lambda: now)
    store.catalogue.save(ORGANIZATION, [crowded_site("Europe/Zurich")])
    recent = int(now.timestamp()) // 60

    def count(passage: str, minute: int) -> None:
        store.metrics.append([PassageCount(passage, minute, 1, 0)], WriteMode.ADD)

    count("south", MINUTE)
    for later in range(2):
        count("north", recent - 1 + later)
        assert newest(store, passage_ids=("south",))[0] == 0
        assert newest(store, passage_ids=("north",))[0] == recent - 1 + later - MINUTE
    for late in (-10, 5):
        count("south", MINUTE + late)
        count("north", recent)
        assert newest(store, passage_ids=("south",))[0] == max(late, 0)
    assert store.metrics.newest("crowded", passage_ids=("stairs",), metrics=ASKED) is None
    with database_of(store).writing() as connection:
        connection.exec_driver_sql("DELETE FROM passage_minutes")
    store.metrics.repair("crowded")
    assert store.metrics.newest("crowded", passage_ids=("south",), metrics=ASKED) is None
