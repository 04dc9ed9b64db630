"""What was brought to ClickHouse by somebody who gave it up meanwhile, and arrives there long afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from contract import CROSSINGS
from service.store.archive_tables import VOID_SHIPMENTS
from service.store.clickhouse.archive import ClickHouseArchive
from service.store.errors import ArchiveAwayError
from service.store.protocol import SiteRecord, Store, WriteMode
from tests.database_of import database_of
from tests.every_store import Opened, opener
from tests.held_clickhouse import HeldClickHouse, held_clickhouse
from tests.running_clickhouse import RunningClickHouse
from tests.service.store.test_archiving import NOW, OLD, count, entrances, filled, query, rows, ship, take
from tests.small_site import ORGANIZATION, SITE

BARE = SiteRecord(SITE.model_copy(update={"passages": ()}), "shop", 4)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    with opener("sqlite", tmp_path) as opened:
        yield opened


@pytest.fixture
def way(clickhouse: RunningClickHouse) -> Iterator[HeldClickHouse]:
    with held_clickhouse(clickhouse.port) as way:
        yield way


@pytest.fixture
def slow(opened: Opened, clickhouse: RunningClickHouse, way: HeldClickHouse, tmp_path: Path) -> Store:
    """Waits a second for its archive."""
    url = clickhouse.url(tmp_path).replace(f":{clickhouse.port}/", f":{way.port}/")
    return filled(opened(archive=f"{url}?answer_seconds=1", clock=lambda: NOW))


@pytest.fixture
def other(opened: Opened, clickhouse: RunningClickHouse, tmp_path: Path) -> Store:
    """Another process that has the same store."""
    return opened(archive=clickhouse.url(tmp_path), clock=lambda: NOW)


def void(store: Store) -> list[tuple[int, int]]:
    with database_of(store).reading() as connection:
        asked = select(VOID_SHIPMENTS.c.first, VOID_SHIPMENTS.c.last).order_by(VOID_SHIPMENTS.c.first)
        return [(first, last) for first, last in connection.execute(asked)]


def give_up(slow: Store, way: HeldClickHouse, table: str) -> None:
    way.held = table
    assert ship(slow) == 0
    assert slow.archiving.trouble()


def crossed(store: Store) -> dict[str, float]:
    """At the door, by day."""
    return entrances(store, metrics=CROSSINGS, passage_ids=("entrance",))


@pytest.mark.parametrize("table", ["passage_quarters", "zone_quarters"])
def test_rows_that_a_site_lost_meanwhile_are_read_by_nobody_when_they_arrive(
    slow: Store, other: Store, way: HeldClickHouse, table: str
) -> None:
    before = crossed(other)
    give_up(slow, way, table)
    other.catalogue.save(ORGANIZATION, [BARE])
    assert ship(other)
    assert rows(other) == 0
    way.release()
    assert entrances(other) == {}
    # Of a door that is back its quarters are asked for again; these went there with the days, and count once.
    other.catalogue.save(ORGANIZATION, [SiteRecord(SITE, "shop", 4)])
    assert crossed(other) == before
    other.metrics.append([count(OLD, 4)], WriteMode.ADD)
    assert take(other)
    assert entrances(other)["06-03"] == 7
    assert ship(other)
    assert entrances(other)["06-03"] == 7
    assert void(other) == [(1, 1)]


@pytest.mark.parametrize("table", ["passage_minutes", "zone_quarters"])
def test_rows_that_arrive_late_double_nothing_and_take_no_later_ones_place(
    slow: Store, other: Store, way: HeldClickHouse, table: str
) -> None:
    give_up(slow, way, table)
    other.metrics.append([count(OLD, 7)], WriteMode.ADD)
    before = other.metrics.buckets(query())
    assert ship(other)
    way.release()
    assert other.metrics.buckets(query()) == before
    assert entrances(other)["06-03"] == 10


def test_who_asks_is_answered_while_what_is_brought_there_is_not_taken(
    slow: Store, way: HeldClickHouse
) -> None:
    assert ship(slow)
    slow.metrics.append([count(OLD, 7)], WriteMode.ADD)
    assert take(slow)
    before = slow.metrics.buckets(query())
    give_up(slow, way, "passage_minutes")
    assert slow.metrics.buckets(query()) == before
    assert "does not take what is brought there: timed out. It stays" in str(slow.archiving.trouble())
    way.release()


def test_what_is_brought_there_is_on_most_replicas_before_it_is_said_to_be(
    opened: Opened, clickhouse: RunningClickHouse, way: HeldClickHouse, tmp_path: Path
) -> None:
    url = clickhouse.url(tmp_path).replace(f":{clickhouse.port}/", f":{way.port}/")
    assert ship(filled(opened(archive=url, clock=lambda: NOW)))
    assert way.settings["distributed_foreground_insert"] == "1"
    assert way.settings["insert_quorum"] == "auto"
    assert way.settings["max_replica_delay_for_distributed_queries"] == "1"
    # The server says why not before the client gives it up, after twenty seconds.
    assert int(way.settings["insert_quorum_timeout"]) < 20_000
    assert int(way.settings["distributed_ddl_task_timeout"]) < 20


def test_shipments_that_are_given_up_one_after_another_are_noted_together(
    other: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object, **__: object) -> None:
        raise ArchiveAwayError("away")

    assert void(other) == []
    filled(other)
    with monkeypatch.context() as patch:
        patch.setattr(ClickHouseArchive, "put", away)
        assert [ship(other) for _ in range(3)] == [0, 0, 0]
    assert void(other) == [(1, 3)]
    assert ship(other)
    assert void(other) == [(1, 3)]
    other.metrics.append([count(OLD, 7)], WriteMode.ADD)
    assert take(other)
    assert ship(other)
    assert void(other) == [(1, 3)]
