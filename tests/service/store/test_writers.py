"""Several processes that store at once, as several opened stores."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from contract import Granularity, MetricKey
from service.sensors.counting import Outcome
from service.sensors.taking import place, take
from service.sensors.told_count import Kind, Report, ToldCount
from service.store import passage_counts
from service.store.errors import IdempotencyConflictError, StoreBusyError
from service.store.protocol import BucketQuery, CountBatch, PassageCount, SiteRecord, Store, WriteMode
from service.store.sensor_protocol import Placement
from tests.every_store import Opened
from tests.small_site import ORGANIZATION, SITE

NOON = datetime(2025, 6, 2, 12, tzinfo=UTC)
NOON_MINUTE = int(NOON.timestamp()) // 60
SITES = tuple(f"site {number}" for number in range(3))
PROCESSES = 3
ROUNDS = 15


def record(site_id: str) -> SiteRecord:
    passages = tuple(one.model_copy(update={"id": f"{site_id} {one.id}"}) for one in SITE.passages)
    return SiteRecord(SITE.model_copy(update={"id": site_id, "passages": passages}), "shop")


@pytest.fixture
def stores(opened: Opened) -> list[Store]:
    first = opened()
    first.catalogue.save(ORGANIZATION, [record(site_id) for site_id in SITES])
    return [first, *(opened() for _ in range(PROCESSES - 1))]


def at_once(works: Sequence[Callable[[], None]]) -> None:
    """Raises what any of them raised."""
    failed: list[BaseException] = []

    def run(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 -- told by the test's own thread
            failed.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def entrances(store: Store, site_id: str) -> float:
    asked = BucketQuery(
        site_id, (MetricKey.ENTRANCES,), NOON, NOON + timedelta(days=1), Granularity.DAY, ZoneInfo("UTC")
    )
    return sum(bucket.values[MetricKey.ENTRANCES] for bucket in store.metrics.buckets(asked))


def is_stored(store: Store, counts: Sequence[PassageCount]) -> bool:
    """Or the store was busy."""
    try:
        return store.metrics.append(counts, WriteMode.ADD)
    except StoreBusyError:
        return False


def is_sound(store: Store) -> bool:
    return not any(site.differences for site in store.metrics.check())


def test_counts_of_one_day_of_several_sites_lose_and_double_nobody(stores: list[Store]) -> None:
    def storing(number: int) -> Callable[[], None]:
        # Each in another order.
        own = SITES[number:] + SITES[:number]

        def store_all() -> None:
            for turn in range(ROUNDS):
                counts = [
                    PassageCount(f"{site_id} entrance", NOON_MINUTE + PROCESSES * turn + number, 1, 0)
                    for site_id in own
                ]
                stores[number].metrics.append(counts, WriteMode.ADD)

        return store_all

    at_once([storing(number) for number in range(PROCESSES)])
    for store in stores:
        store.metrics.poll_changes()
        assert [entrances(store, site_id) for site_id in SITES] == [PROCESSES * ROUNDS] * len(SITES)
    assert is_sound(stores[0])


def test_of_one_idempotency_key_at_once_one_is_stored(stores: list[Store]) -> None:
    outcomes: list[object] = []

    def storing(store: Store) -> Callable[[], None]:
        def store_all() -> None:
            for turn in range(ROUNDS):
                counts = [PassageCount(f"{SITES[0]} entrance", NOON_MINUTE, 1, 0)]
                outcomes.extend(store.metrics.append_all([CountBatch(counts, (f"key {turn}", "digest"))]))

        return store_all

    at_once([storing(store) for store in stores])
    assert outcomes.count(True) == ROUNDS
    assert entrances(stores[0], SITES[0]) == ROUNDS
    counts = [PassageCount(f"{SITES[0]} entrance", NOON_MINUTE, 1, 0)]
    [conflict] = stores[1].metrics.append_all([CountBatch(counts, ("key 0", "another digest"))])
    assert isinstance(conflict, IdempotencyConflictError)


def test_a_counter_that_reports_to_several_processes_counts_once(stores: list[Store]) -> None:
    begin = [NOON + timedelta(minutes=number) for number in range(ROUNDS)]
    told = [
        ToldCount("S-1", "", Kind.INTERVAL, start, start + timedelta(minutes=1), 1, 0, start.isoformat())
        for start in begin
    ]
    taken: list[Outcome] = []

    def reporting(store: Store) -> Callable[[], None]:
        def report_all() -> None:
            for one in told:
                with store.sensors.writing() as rows:
                    taken.extend(take(rows, ORGANIZATION.id, "maker", Report((one,)), one.end))

        return report_all

    with stores[0].sensors.writing() as rows:
        take(rows, ORGANIZATION.id, "maker", Report((told[0],)), told[0].end)
    [line] = stores[0].sensors.lines(ORGANIZATION.id)
    with stores[0].sensors.writing() as rows:
        place(rows, line, Placement(f"{SITES[0]} entrance", is_swapped=False))
    at_once([reporting(store) for store in stores])
    assert taken.count(Outcome.COUNTED) == ROUNDS - 1
    assert entrances(stores[1], SITES[0]) == ROUNDS
    assert [one.conflicts for one in stores[2].sensors.lines(ORGANIZATION.id)] == [0]


def test_a_site_that_is_saved_while_counts_come_has_all_of_them(stores: list[Store]) -> None:
    def storing() -> None:
        for turn in range(ROUNDS):
            counts = [PassageCount(f"{SITES[0]} entrance", NOON_MINUTE + turn, 1, 0)]
            stores[1].metrics.append(counts, WriteMode.ADD)

    def saving() -> None:
        for hour in range(6):
            stores[0].catalogue.save(ORGANIZATION, [replace(record(SITES[0]), daily_reset_hour=hour)])

    at_once([storing, saving])
    assert entrances(stores[2], SITES[0]) == ROUNDS
    assert is_sound(stores[2])


def test_writers_who_wait_for_each_other_are_told_that_the_store_is_busy_and_come_again(
    stores: list[Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each site in a batch of its own, in orders that cross.
    monkeypatch.setattr(passage_counts, "_BATCH", 50)

    def storing(number: int) -> Callable[[], None]:
        own = SITES if number % 2 else SITES[::-1]

        def batches() -> list[PassageCount]:
            return [
                PassageCount(f"{site_id} entrance", NOON_MINUTE + minute, 1, 0)
                for site_id in own
                for minute in range(50)
            ]

        def store_all() -> None:
            for _ in range(3):
                while not is_stored(stores[number], batches()):
                    pass

        return store_all

    at_once([storing(number) for number in range(PROCESSES)])
    assert [entrances(stores[0], site_id) for site_id in SITES] == [PROCESSES * 3 * 50] * len(SITES)
    assert is_sound(stores[0])
