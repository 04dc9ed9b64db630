"""Several questions that are answered of one state, on each engine."""

from __future__ import annotations

import threading
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from contract import Granularity, MetricKey
from contract.minutes import minute_number
from service.store.protocol import BucketQuery, PassageCount, SiteRecord, Store, WriteMode
from tests.every_store import Opened
from tests.small_site import ORGANIZATION, SITE

NINE = datetime(2025, 3, 3, 9, tzinfo=UTC)
HOUR = BucketQuery(
    SITE.id, (MetricKey.ENTRANCES,), NINE, NINE + timedelta(hours=1), Granularity.HOUR, ZoneInfo("UTC")
)


@pytest.fixture
def store(opened: Opened) -> Store:
    store = opened()
    store.catalogue.save(ORGANIZATION, [SiteRecord(SITE, "shop")])
    enter(store)
    return store


def enter(store: Store) -> None:
    store.metrics.append([PassageCount("entrance", minute_number(NINE), 1, 0)], WriteMode.ADD)


def entrances(store: Store) -> float:
    [hour] = store.metrics.buckets(HOUR)
    return hour.values[MetricKey.ENTRANCES]


def in_another_thread(do: object) -> None:
    assert callable(do)
    thread = threading.Thread(target=do)
    thread.start()
    thread.join()


def test_what_others_store_meanwhile_is_seen_afterwards_and_by_others_at_once(store: Store) -> None:
    seen = list[float]()
    with store.reading_together():
        assert entrances(store) == 1
        in_another_thread(lambda: enter(store))
        assert entrances(store) == 1
        in_another_thread(lambda: seen.append(entrances(store)))
    assert seen == [2]
    assert entrances(store) == 2


def test_a_block_within_another_is_of_the_same_state(store: Store) -> None:
    with store.reading_together():
        assert entrances(store) == 1
        with store.reading_together():
            in_another_thread(lambda: enter(store))
            assert entrances(store) == 1
        assert entrances(store) == 1
    assert entrances(store) == 2


def test_after_a_block_that_failed_all_is_read_anew(store: Store) -> None:
    with suppress(ZeroDivisionError), store.reading_together():
        raise ZeroDivisionError
    enter(store)
    assert entrances(store) == 2
