from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from contract import MetricKey
from service.ingest.count_report import CountReport, store_report, store_reports, store_series
from service.open_store import open_store, store_url
from service.store.errors import IdempotencyConflictError, UnknownPassageError
from service.store.protocol import CountSeries, PassageCount, Store, WriteMode
from tests.small_site import ORGANIZATION, OTHER_ORGANIZATION, create_small_site

MINUTE = int(datetime(2025, 2, 3, 11, 15, tzinfo=UTC).timestamp()) // 60


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    create_small_site(tmp_path)
    store = open_store(store_url(tmp_path))
    yield store
    store.close()


def counts(*passages: str, forward: int = 1) -> list[PassageCount]:
    return [PassageCount(passage, MINUTE, forward, 0) for passage in passages]


def entrances(store: Store, site_id: str = "corner-shop") -> int | float:
    newest = store.metrics.newest(site_id, metrics=[MetricKey.ENTRANCES])
    return 0 if newest is None else newest.values[MetricKey.ENTRANCES]


def test_report_of_an_organization_is_stored_or_names_what_it_has_not(store: Store) -> None:
    assert store_report(store, CountReport(counts("entrance"), organization_id=ORGANIZATION.id))
    mixed = CountReport(counts("entrance", "other-door", "trapdoor"), organization_id=ORGANIZATION.id)
    with pytest.raises(UnknownPassageError) as refused:
        store_report(store, mixed)
    assert refused.value.passage_ids == {"other-door", "trapdoor"}
    assert entrances(store) == 1


def test_report_with_more_unknown_passages_than_a_refusal_names_blames_no_other(store: Store) -> None:
    unknown = [f"door {number}" for number in range(2_000)]
    with pytest.raises(UnknownPassageError) as refused:
        store_report(
            store, CountReport(counts("entrance", *unknown, "archway"), organization_id=ORGANIZATION.id)
        )
    assert set(unknown[:100]) <= refused.value.passage_ids <= set(unknown)


def test_what_the_operator_runs_reports_for_all_organizations(store: Store) -> None:
    assert store_report(store, CountReport(counts("entrance", "other-door"), organization_id=None))
    assert (entrances(store), entrances(store, "elsewhere")) == (1, 1)
    with pytest.raises(UnknownPassageError, match="trapdoor"):
        store_report(store, CountReport(counts("entrance", "trapdoor"), organization_id=None))
    assert entrances(store) == 1


def test_report_that_comes_twice_counts_once(store: Store) -> None:
    keyed = CountReport(counts("entrance"), organization_id=ORGANIZATION.id, idempotency=("key", "digest"))
    assert [store_report(store, keyed), store_report(store, keyed)] == [True, False]
    with pytest.raises(IdempotencyConflictError):
        store_report(
            store,
            CountReport(counts("entrance"), organization_id=ORGANIZATION.id, idempotency=("key", "other")),
        )
    totals = CountReport(counts("entrance", forward=7), organization_id=ORGANIZATION.id, mode=WriteMode.SET)
    assert [store_report(store, totals), store_report(store, totals)] == [True, True]
    assert entrances(store) == 7


def test_reports_of_different_modes_are_stored_in_their_order_each_with_its_own_outcome(store: Store) -> None:
    reports = [
        CountReport(counts("entrance", forward=5), organization_id=ORGANIZATION.id),
        CountReport(counts("entrance", forward=2), organization_id=ORGANIZATION.id, mode=WriteMode.SET),
        CountReport(counts("entrance"), organization_id=OTHER_ORGANIZATION.id, mode=WriteMode.SET),
        CountReport(counts("entrance", forward=40), organization_id=ORGANIZATION.id),
    ]
    first, second, refused, last = store_reports(store, reports)
    assert (first, second, last) == (True, True, True)
    assert isinstance(refused, UnknownPassageError)
    assert entrances(store) == 42


def test_columns_are_stored_all_or_none(store: Store) -> None:
    def column(passage: str) -> CountSeries:
        return CountSeries(passage, np.array([MINUTE]), np.array([3]), np.array([0]))

    with pytest.raises(UnknownPassageError, match="trapdoor"):
        store_series(store, [column("entrance"), column("trapdoor")])
    assert entrances(store) == 0
    store_series(store, [column("entrance"), column("other-door")])
    assert (entrances(store), entrances(store, "elsewhere")) == (3, 3)
