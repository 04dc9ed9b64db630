"""The newest value of a zone that nobody has passed for so long that all its days lie in the archive."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from contract import MetricKey
from contract.minutes import minute_number
from service.store import last_rows
from service.store.audit_protocol import Author
from service.store.level_protocol import ZoneLevel
from service.store.protocol import Bucket, SiteRecord, Store, WriteMode
from tests.every_store import Opened
from tests.running_clickhouse import RunningClickHouse
from tests.service.store.test_archiving import NEW, NOW, OLD, count, rows, ship, take
from tests.small_site import ORGANIZATION, SITE

Opening = Callable[[], Store]
CLOSED = OLD + timedelta(days=1)
"""When somebody last went to the terrace."""


@pytest.fixture
def opening(opened: Opened, clickhouse: RunningClickHouse, tmp_path: Path) -> Opening:
    return lambda: opened(archive=clickhouse.url(tmp_path), clock=lambda: NOW)


@pytest.fixture
def store(opening: Opening) -> Store:
    store = opening()
    store.catalogue.save(ORGANIZATION, [SiteRecord(SITE, "shop", 4)])
    doors = [(OLD, "terrace"), (CLOSED, "terrace"), (OLD, "entrance"), (NEW, "entrance")]
    store.metrics.append([count(moment, 3, door) for moment, door in doors], WriteMode.SET)
    return store


def newest(store: Store) -> tuple[Bucket | None, ...]:
    """Of the zone before the terrace, the terrace's door, all."""
    metrics = (MetricKey.ENTRANCES, MetricKey.EXITS, MetricKey.VISITORS_INSIDE)
    return (
        store.metrics.newest(SITE.id, zone_ids=("cafe",), metrics=metrics),
        store.metrics.newest(SITE.id, passage_ids=("terrace",), metrics=metrics[:2]),
        store.metrics.newest(SITE.id, metrics=metrics),
    )


def test_it_is_what_it_was_before_its_days_were_brought_there(store: Store, opening: Opening) -> None:
    before = newest(store)
    cafe, door, _ = before
    assert cafe
    assert door
    assert cafe.start == door.start == CLOSED
    assert ship(store)
    assert rows(store) == 0
    assert newest(opening()) == newest(store) == before


def test_a_day_before_it_that_has_returned_is_not_newer(store: Store, opening: Opening) -> None:
    before = newest(store)
    ship(store)
    store.metrics.append([count(OLD, 1, "terrace")], WriteMode.ADD)
    assert take(store)
    assert rows(store)
    assert newest(opening()) == newest(store) == before
    assert ship(store)
    assert newest(opening()) == before


def test_what_came_late_of_the_day_before_leaves_it_where_it_was_set_by_hand(
    store: Store, opening: Opening
) -> None:
    night, morning = (CLOSED.replace(hour=hour) for hour in (1, 3))
    store.metrics.append([count(night, 1), count(CLOSED, 2, "archway")], WriteMode.ADD)
    for moment in (morning, CLOSED):
        level = ZoneLevel(SITE.id, "cafe", minute_number(moment), 9)
        store.levels.correct(level, "we counted", Author("Desk", "key"), moment)
    before = newest(store)
    ship(store)
    store.metrics.append([count(OLD, 1)], WriteMode.ADD)
    assert take(store)
    assert newest(opening()) == newest(store) == before


def test_what_came_late_of_its_last_day_changes_it(store: Store, opening: Opening) -> None:
    ship(store)
    store.metrics.append([count(CLOSED + timedelta(minutes=5), 2, "terrace")], WriteMode.ADD)
    assert take(store)
    cafe, *_ = changed = newest(store)
    assert cafe
    assert cafe.start == CLOSED + timedelta(minutes=5)
    assert newest(opening()) == changed
    assert ship(store)
    assert newest(opening()) == changed


def test_of_more_series_than_a_statement_takes_each_has_its_own(
    store: Store, opening: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(last_rows, "_ROWS_TOGETHER", 7)
    first = OLD - timedelta(days=1)
    doors = {f"door-{number}": first + timedelta(minutes=number) for number in range(20)}
    passages = (SITE.passages[0].model_copy(update={"id": door}) for door in doors)
    wide = SITE.model_copy(update={"passages": (*SITE.passages, *passages)})
    store.catalogue.save(ORGANIZATION, [SiteRecord(wide, "shop", 4)])
    store.metrics.append([count(moment, 1, door) for door, moment in doors.items()], WriteMode.SET)
    assert ship(store)
    again = opening()
    for door, moment in doors.items():
        found = again.metrics.newest(SITE.id, passage_ids=(door,), metrics=(MetricKey.ENTRANCES,))
        assert found == Bucket(moment, {MetricKey.ENTRANCES: 1})
