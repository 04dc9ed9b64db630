from __future__ import annotations

from collections.abc import Iterator
from contextlib import asynccontextmanager, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from sqlalchemy import text

from service.application_state import ApplicationState
from service.open_store import open_store, store_url
from service.settings import ServiceSettings
from service.store.protocol import PassageCount, Store, WriteMode
from service.workers import archive
from service.workers.archive import ArchiveWorker
from tests.database_of import database_of
from tests.eventually import eventually
from tests.running_clickhouse import RunningClickHouse
from tests.small_site import create_small_site

NOW = datetime(2025, 6, 20, 12, tzinfo=UTC)
OLD, NEW = NOW - timedelta(days=100), NOW - timedelta(days=1)


def minutes(store: Store) -> int:
    with database_of(store).reading() as connection:
        return int(connection.execute(text("SELECT COUNT(*) FROM passage_minutes")).scalar_one())


def count(store: Store, *moments: datetime) -> None:
    told = [PassageCount("entrance", int(moment.timestamp()) // 60, 1, 0) for moment in moments]
    store.metrics.append(told, WriteMode.ADD)


@pytest.fixture
def store(tmp_path: Path, clickhouse: RunningClickHouse, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setattr(archive, "_INTERVAL_SECONDS", 0.01)
    create_small_site(tmp_path)
    with closing(open_store(store_url(tmp_path), archive=clickhouse.url(tmp_path))) as opened:
        count(opened, OLD, NEW)
        yield opened


@asynccontextmanager
async def working(store: Store, now: datetime) -> Any:
    """The feeds of a service whose clock says so."""
    feeds: dict[str, Any] = {}
    state = SimpleNamespace(store=store, settings=ServiceSettings(), feeds=feeds)
    worker = ArchiveWorker(lambda: now)
    await worker.start(cast(ApplicationState, state))
    try:
        yield feeds
    finally:
        await worker.stop()


async def test_old_days_are_brought_away_and_late_counts_of_them_counted(store: Store) -> None:
    async with working(store, NOW) as feeds:
        await eventually(lambda: minutes(store) == 1)
        assert feeds["archive"].told()["isConnected"]
        count(store, OLD)
        await eventually(lambda: minutes(store) == 2)
        await eventually(lambda: feeds["archive"].told()["lateMinutesWaiting"] == 0)


async def test_a_clock_that_is_years_ahead_brings_nothing_away_of_which_the_time_is_not_believed(
    store: Store,
) -> None:
    count(store, NOW - timedelta(days=50))
    store.retention.note_believed_time(NOW)
    async with working(store, NOW + timedelta(days=3 * 365)):
        await eventually(lambda: minutes(store) == 2)
    assert minutes(store) == 2


async def test_without_an_archive_nothing_is_told_of_one(tmp_path: Path) -> None:
    create_small_site(tmp_path)
    with closing(open_store(store_url(tmp_path))) as plain:
        async with working(plain, NOW) as feeds:
            assert feeds == {}
