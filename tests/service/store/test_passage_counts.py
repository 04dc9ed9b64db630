"""Counts that are written as columns."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from service.open_store import open_store, store_url
from service.store.errors import UnknownPassageError
from service.store.protocol import CountSeries, PassageCount, Store, WriteMode
from service.store.schema import METADATA
from tests.crowded_site import ORGANIZATION, crowded_counts, crowded_site
from tests.database_of import database_of

MINUTE = int(datetime(2025, 6, 2, 10, tzinfo=UTC).timestamp()) // 60
TABLES = ("passage_minutes", "zone_minutes", "zone_quarters", "passage_quarters")


def opened(folder: Path) -> Store:
    store = open_store(store_url(folder))
    store.catalogue.save(ORGANIZATION, [crowded_site("Europe/Zurich")])
    return store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = opened(tmp_path / "store")
    yield store
    store.close()


def rows(store: Store, table: str) -> list[tuple[int, ...]]:
    with database_of(store).reading() as connection:
        return sorted(tuple(row) for row in connection.execute(METADATA.tables[table].select()))


def series(passage_id: str, counts: list[tuple[int, int, int]], mode: WriteMode) -> CountSeries:
    minutes, forward, backward = np.array(counts, dtype=np.int64).reshape(-1, 3).T
    return CountSeries(passage_id, minutes, forward, backward, mode)


def test_columns_are_stored_as_the_same_counts_one_by_one(store: Store, tmp_path: Path) -> None:
    counts = sorted(crowded_counts(MINUTE - 3000, MINUTE, seed=1))
    columns = [
        series(passage_id, [count[1:] for count in group], WriteMode.SET)
        for passage_id, group in groupby(counts, key=lambda count: count.passage_id)
    ]
    other = opened(tmp_path / "other")
    other.metrics.append(counts, WriteMode.SET)
    store.metrics.append_series(columns)
    for table in TABLES:
        assert rows(store, table) == rows(other, table) != []
    other.close()


def test_filled_minutes_leave_stored_counts_as_they_are(store: Store) -> None:
    store.metrics.append([PassageCount("north", MINUTE + 1, 7, 2)], WriteMode.SET)
    fill = series("north", [(MINUTE + minute, 0, 0) for minute in range(3)], WriteMode.FILL)
    store.metrics.append_series([fill])
    stored = [values[1:] for values in rows(store, "passage_minutes")]
    assert stored == [(MINUTE, 0, 0), (MINUTE + 1, 7, 2), (MINUTE + 2, 0, 0)]


def test_columns_of_an_unknown_passage_are_refused_and_nothing_is_stored(store: Store) -> None:
    known, unknown = (series(name, [(MINUTE, 1, 0)], WriteMode.SET) for name in ("north", "trapdoor"))
    with pytest.raises(UnknownPassageError) as refused:
        store.metrics.append_series([known, unknown])
    assert refused.value.passage_ids == {"trapdoor"}
    assert rows(store, "passage_minutes") == []


def test_passage_without_minutes_changes_nothing(store: Store) -> None:
    told: list[object] = []
    store.metrics.add_listener(told.append)
    store.metrics.append_series([series("north", [], WriteMode.FILL)])
    assert rows(store, "passage_minutes") == []
    assert told == []
