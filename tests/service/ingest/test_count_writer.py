from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from contract import MetricKey
from service.ingest.count_report import CountReport
from service.ingest.count_writer import CountWriter
from service.open_store import open_store, store_url
from service.store.errors import IdempotencyConflictError, StoreBusyError, UnknownPassageError
from service.store.protocol import PassageCount, Store
from service.thread_pools import PoolFullError
from tests.small_site import ORGANIZATION, OTHER_ORGANIZATION, create_small_site

MINUTE = int(datetime(2025, 2, 3, 11, 15, tzinfo=UTC).timestamp()) // 60


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    create_small_site(tmp_path)
    store = open_store(store_url(tmp_path))
    yield store
    store.close()


def report(
    forward: int = 1,
    *,
    passage: str = "entrance",
    organization: str = ORGANIZATION.id,
    idempotency: tuple[str, str] | None = None,
) -> CountReport:
    return CountReport(
        [PassageCount(passage, MINUTE, forward, 0)], organization_id=organization, idempotency=idempotency
    )


def entrances(store: Store) -> int | float:
    newest = store.metrics.newest("corner-shop", metrics=[MetricKey.ENTRANCES])
    return 0 if newest is None else newest.values[MetricKey.ENTRANCES]


class HeldDatabase:
    """Keeps the writer from beginning until the test says so, and counts its transactions."""

    def __init__(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        self.go = threading.Event()
        self.batches: list[int] = []
        append_all = store.metrics.append_all

        def held(batches: Any) -> Any:
            self.go.wait(30.0)
            self.batches.append(len(batches))
            return append_all(batches)

        monkeypatch.setattr(store.metrics, "append_all", held)


async def together(writer: CountWriter, held: HeldDatabase, reports: list[CountReport]) -> list[Any]:
    """What becomes of the reports, all of which wait with a first one of 100 people."""
    tasks = [asyncio.create_task(writer.store(one)) for one in [report(100), *reports]]
    await asyncio.sleep(0)
    held.go.set()
    return (await asyncio.gather(*tasks, return_exceptions=True))[1:]


async def test_reports_that_wait_together_are_one_transaction(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = HeldDatabase(store, monkeypatch)
    assert await together(CountWriter(store, 100), held, [report(n) for n in range(1, 21)]) == [True] * 20
    assert held.batches == [21]
    assert entrances(store) == 100 + 210


async def test_one_refused_report_takes_no_other_with_it(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = HeldDatabase(store, monkeypatch)
    reports = [
        report(1),
        report(2, passage="nowhere"),
        report(4, passage="other-door"),
        report(8, organization=OTHER_ORGANIZATION.id),
        report(16, idempotency=("key", "digest")),
        report(32, idempotency=("key", "digest")),
        report(64, idempotency=("key", "other digest")),
    ]
    outcomes = await together(CountWriter(store, 100), held, reports)
    found = [type(one) if isinstance(one, Exception) else one for one in outcomes]
    unknown, reused = UnknownPassageError, IdempotencyConflictError
    assert found == [True, unknown, unknown, unknown, True, False, reused]
    assert entrances(store) == 100 + 1 + 16


async def test_passage_that_goes_away_meanwhile_refuses_only_its_own_report(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = HeldDatabase(store, monkeypatch)
    together_or_not = store.metrics.append_all

    def without_archway(batches: Any) -> Any:
        if any(count.passage_id == "archway" for batch in batches for count in batch.counts):
            raise UnknownPassageError({"archway"})
        return together_or_not(batches)

    monkeypatch.setattr(store.metrics, "append_all", without_archway)
    outcomes = await together(
        CountWriter(store, 100), held, [report(1), report(2, passage="archway"), report(4)]
    )
    assert [outcomes[0], outcomes[2]] == [True, True]
    assert isinstance(outcomes[1], UnknownPassageError)
    assert entrances(store) == 105


async def test_failure_of_the_store_is_told_to_all_who_waited_and_the_next_is_written(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    append_all, failing = store.metrics.append_all, [True]

    def busy_once(batches: Any) -> Any:
        if failing:
            failing.clear()
            raise StoreBusyError("another process writes")
        return append_all(batches)

    monkeypatch.setattr(store.metrics, "append_all", busy_once)
    writer = CountWriter(store, 100)
    with pytest.raises(StoreBusyError):
        await writer.store(report())
    assert await writer.store(report())


async def test_no_more_reports_wait_than_may(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    held = HeldDatabase(store, monkeypatch)
    writer = CountWriter(store, 3)
    first = asyncio.create_task(writer.store(report()))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    waiting = [asyncio.create_task(writer.store(report())) for _ in range(3)]
    await asyncio.sleep(0)
    with pytest.raises(PoolFullError):
        await writer.store(report())
    held.go.set()
    assert await asyncio.gather(first, *waiting) == [True] * 4
