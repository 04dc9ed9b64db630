from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from contract import Granularity, MetricKey
from service.clock import present
from service.open_store import open_database, open_store
from service.sensors.taking import place, take
from service.sensors.told_count import Kind, Report, ToldCount
from service.store import moving
from service.store.audit_protocol import Author
from service.store.errors import StoreMoveError
from service.store.level_protocol import ZoneLevel
from service.store.moving import move
from service.store.protocol import BucketQuery, KeyScope, Organization, PassageCount, Store, WriteMode
from service.store.sensor_protocol import Placement
from tests.crowded_site import MINUTE, ORGANIZATION, crowded_counts, crowded_site
from tests.every_store import URL_IN

FIRST = MINUTE - 3 * 1440
DESK = Author("Desk", "key")
NOW = datetime.fromtimestamp(MINUTE * 60, UTC)


def fill(store: Store) -> None:
    """Something in most tables."""
    record = crowded_site("Europe/Zurich")
    store.catalogue.save(ORGANIZATION, [record])
    store.catalogue.save(ORGANIZATION, [replace(record, daily_reset_hour=5)])
    store.metrics.append(crowded_counts(FIRST, MINUTE, seed=1), WriteMode.SET)
    store.metrics.append([PassageCount("north", FIRST, 1, 0)], WriteMode.ADD, idempotency=("once", "digest"))
    store.keys.create(ORGANIZATION.id, "reads", KeyScope.READ)
    level = ZoneLevel("crowded", "hall", MINUTE - 30, 17)
    store.levels.append([level], organization_id=ORGANIZATION.id)
    store.levels.correct(level, "we counted", DESK, NOW)
    with store.sensors.writing() as rows:
        for serial in ("S-1", "S-2"):
            told = ToldCount(serial, "", Kind.INTERVAL, NOW - timedelta(minutes=1), NOW, 1, 0, "first")
            take(rows, ORGANIZATION.id, "maker", Report((told,)), NOW)
    line, _ = store.sensors.lines(ORGANIZATION.id)
    with store.sensors.writing() as rows:
        place(rows, line, Placement("north", is_swapped=False))


def told_of(store: Store) -> list[object]:
    """What readers are answered."""
    ranges = {"start": NOW - timedelta(days=3), "end": NOW, "timezone": ZoneInfo("Europe/Zurich")}
    queries = [
        BucketQuery("crowded", tuple(MetricKey), granularity=granularity, **ranges)  # type: ignore[arg-type]
        for granularity in Granularity
    ]
    return [
        *(store.metrics.buckets(query) for query in queries),
        store.metrics.newest("crowded", metrics=tuple(MetricKey)),
        store.catalogue.all_sites(ORGANIZATION.id),
        store.keys.list_keys(ORGANIZATION.id),
        store.levels.corrections("crowded", None, None, limit=9),
        store.sensors.lines(ORGANIZATION.id),
        store.audit.entries(ORGANIZATION.id, limit=99),
        [site.differences for site in store.metrics.check()],
    ]


@pytest.fixture(params=[("sqlite", "postgresql"), ("postgresql", "sqlite")], ids="-".join)
def urls(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    first, second = request.param
    (tmp_path / "from").mkdir()
    (tmp_path / "to").mkdir()
    return URL_IN[first](tmp_path / "from"), URL_IN[second](tmp_path / "to")


def moved(urls: tuple[str, str], progress: Callable[[str, int], None] = lambda *_: None) -> Iterator[str]:
    with closing(open_database(urls[0])) as source, closing(open_database(urls[1])) as target:
        yield from (one.table for one in move(source, target, progress))


def test_a_store_that_was_moved_answers_as_before_and_goes_on(urls: tuple[str, str]) -> None:
    with closing(open_store(urls[0], clock=lambda: NOW)) as store:
        fill(store)
        before = told_of(store)
    assert {"zone_minutes", "audit_log", "waiting_reports"} < set(moved(urls))
    with closing(open_store(urls[1], clock=lambda: NOW)) as store:
        assert told_of(store) == before
        # What is numbered goes on after the last.
        store.catalogue.save(Organization("new", "New"), [])
        store.catalogue.save(ORGANIZATION, [replace(crowded_site("Europe/Zurich"), daily_reset_hour=6)])
        level = ZoneLevel("crowded", "hall", MINUTE - 20, 18)
        assert store.levels.correct(level, "again", DESK, NOW).number == 2
        again = [PassageCount("north", FIRST, 1, 0)]
        assert not store.metrics.append(again, WriteMode.ADD, idempotency=("once", "digest"))
        assert all(not site.differences for site in store.metrics.check())


class Killed(BaseException):
    """Ends it as a signal does that nobody can catch."""


def test_a_move_that_is_killed_goes_on_where_it_was(
    urls: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moving, "_ROWS_TOGETHER", 5_000)
    with closing(open_store(urls[0], clock=lambda: NOW)) as store:
        fill(store)
        before = told_of(store)

    def kill(table: str, rows: int) -> None:
        if table == "zone_minutes" and rows > 5_000:
            raise Killed

    with pytest.raises(Killed):
        list(moved(urls, kill))
    copied: list[tuple[str, int]] = []
    assert "zone_minutes" in list(moved(urls, lambda *came: copied.append(came)))
    assert "passage_minutes" not in dict(copied), "all of it was there"
    with closing(open_store(urls[1], clock=lambda: NOW)) as store:
        assert told_of(store) == before


def test_a_store_that_has_others_in_it_is_left_as_it_is(urls: tuple[str, str]) -> None:
    with closing(open_store(urls[0], clock=present)) as store:
        store.catalogue.save(ORGANIZATION, [crowded_site("Europe/Zurich")])
    with closing(open_store(urls[1], clock=present)) as store:
        store.catalogue.save(Organization("another", "Another"), [])
    with pytest.raises(StoreMoveError, match="such as 'another'"):
        list(moved(urls))


def test_counts_that_differ_are_found(urls: tuple[str, str]) -> None:
    for url, people in zip(urls, (1, 2), strict=True):
        with closing(open_store(url, clock=lambda: NOW)) as store:
            store.catalogue.save(ORGANIZATION, [crowded_site("Europe/Zurich")])
            store.metrics.append([PassageCount("north", FIRST, people, 0)], WriteMode.SET)
    with pytest.raises(StoreMoveError, match="is not the same in both"):
        list(moved(urls))


def test_nothing_is_not_moved(urls: tuple[str, str]) -> None:
    with pytest.raises(StoreMoveError, match="nothing in the first store"):
        list(moved(urls))
