"""How the keys that requests are stored under age and go, in their table."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import func, select, update

from service.open_store import open_store, store_url
from service.store.protocol import PassageCount, Store, WriteMode
from service.store.schema import IDEMPOTENCY_KEYS
from tests.crowded_site import ORGANIZATION, crowded_site
from tests.database_of import database_of

NOON = datetime(2025, 6, 2, 10, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = open_store(store_url(tmp_path))
    store.catalogue.save(ORGANIZATION, [crowded_site("Europe/Zurich")])
    yield store
    store.close()


def north() -> PassageCount:
    return PassageCount("north", int(NOON.timestamp()) // 60, 1, 0)


def test_no_more_keys_are_kept_than_came_in_a_week(tmp_path: Path) -> None:
    running = [0.0]
    store = open_store(store_url(tmp_path), clock=lambda: NOON, monotonic=lambda: running[0])
    store.catalogue.save(ORGANIZATION, [crowded_site("Europe/Zurich")])
    for day in range(30):
        assert store.metrics.append([north()], WriteMode.ADD, idempotency=(f"day {day}", "digest"))
        running[0] += 86_400
    with database_of(store).reading() as connection:
        assert connection.execute(select(func.count()).select_from(IDEMPOTENCY_KEYS)).scalar() == 8
    store.close()


def test_an_idempotency_key_is_forgotten_after_a_week(store: Store) -> None:
    def age(days: float) -> None:
        with database_of(store).writing() as connection:
            connection.execute(
                update(IDEMPOTENCY_KEYS).values(stored_at=IDEMPOTENCY_KEYS.c.stored_at - int(days * 86_400))
            )

    store.metrics.append([north()], WriteMode.ADD, idempotency=("old", "digest"))
    age(6.9)
    store.metrics.append([north()], WriteMode.ADD, idempotency=("new", "digest"))
    assert not store.metrics.append([north()], WriteMode.ADD, idempotency=("old", "digest"))
    age(0.2)
    store.metrics.append([north()], WriteMode.ADD, idempotency=("newest", "digest"))
    assert not store.metrics.append([north()], WriteMode.ADD, idempotency=("new", "digest"))
    assert store.metrics.append([north()], WriteMode.ADD, idempotency=("old", "digest"))
