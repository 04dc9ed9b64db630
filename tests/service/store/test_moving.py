from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import select

from contract import Granularity, MetricKey
from service.clock import present
from service.open_store import open_database, open_store
from service.sensors.taking import place, take
from service.sensors.told_count import Kind, Report, ToldCount
from service.store import moving
from service.store.audit_protocol import Author
from service.store.errors import BackupError, StoreBusyError, StoreMoveError, StoreUnfinishedError
from service.store.level_protocol import ZoneLevel
from service.store.move_mark import mark
from service.store.moving import move
from service.store.protocol import BucketQuery, KeyScope, Organization, PassageCount, Store, WriteMode
from service.store.schema import PASSAGE_MINUTES, WAITING_REPORTS
from service.store.sensor_protocol import Placement
from service.store.sqlite.backup import back_up, restore
from service.store.sqlite.store_file import SCHEME, sqlite_url
from tests.crowded_site import MINUTE, ORGANIZATION, crowded_counts, crowded_site
from tests.every_store import URL_IN
from tests.running_postgresql import postgresql_url, program, running_postgresql, schema_of

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


def assert_not_finished(url: str) -> None:
    with pytest.raises(StoreUnfinishedError, match="migrate-store FROM TO` again"):
        open_store(url)


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
    assert_not_finished(urls[1])
    with pytest.raises(StoreMoveError, match="a part of the counts alone"):
        list(moved((urls[1], urls[0])))
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


def test_a_store_that_is_in_use_by_now_is_compared_and_left_as_it_is(urls: tuple[str, str]) -> None:
    with closing(open_store(urls[0], clock=lambda: NOW)) as store:
        fill(store)
    list(moved(urls))
    with closing(open_store(urls[1], clock=lambda: NOW)) as store:
        (line,) = (one for one in store.sensors.lines(ORGANIZATION.id) if one.placement is None)
        with store.sensors.writing() as rows:
            assert place(rows, line, Placement("south", is_swapped=False))
        before = told_of(store)
    with pytest.raises(StoreMoveError, match="is not the same in both"):
        list(moved(urls))
    with closing(open_store(urls[1], clock=lambda: NOW)) as store:
        assert told_of(store) == before
        with store.database.reading() as connection:  # type: ignore[attr-defined]
            assert not connection.execute(select(WAITING_REPORTS)).all(), "it was placed"


def test_what_turned_out_another_store_is_not_opened(urls: tuple[str, str]) -> None:
    with closing(open_store(urls[0], clock=lambda: NOW)) as store:
        fill(store)

    def spoil(table: str, _: int) -> None:
        if table == "passage_minutes":
            with closing(open_database(urls[1])) as target, target.writing() as connection:
                connection.execute(PASSAGE_MINUTES.update().values(forward=0))

    with pytest.raises(StoreMoveError, match="is not the same in both"):
        list(moved(urls, spoil))
    assert_not_finished(urls[1])


@pytest.mark.parametrize("kind", URL_IN)
def test_a_store_is_opened_by_nobody_else_while_it_is_moved(kind: str, tmp_path: Path) -> None:
    url = URL_IN[kind](tmp_path)
    with closing(open_database(url, alone=True)), pytest.raises(StoreBusyError, match="try again when that"):
        open_store(url)
    with closing(open_store(url)), pytest.raises(StoreBusyError, match="end it first"):
        open_database(url, alone=True)
    open_database(url, alone=True).close()


def test_a_copy_of_a_file_that_is_not_finished_is_not_finished_either(tmp_path: Path) -> None:
    url, backup = sqlite_url(tmp_path), tmp_path / "backup.sqlite"
    with closing(open_database(url)) as database, database.writing() as connection:
        mark(connection)
    back_up(url, backup)
    assert_not_finished(f"{SCHEME}{backup}")
    with pytest.raises(BackupError, match="a move was not finished"):
        restore(sqlite_url(tmp_path / "restored"), backup)


def test_a_dump_of_a_database_that_is_not_finished_is_not_finished_either(tmp_path: Path) -> None:
    url, server = postgresql_url(tmp_path), running_postgresql()
    with closing(open_database(url)) as database, database.writing() as connection:
        mark(connection)
    dump = [program("pg_dump"), "-d", server.address, "-n", schema_of(url)]
    dumped = subprocess.run(dump, check=True, capture_output=True).stdout
    server.run(f"DROP SCHEMA {schema_of(url)} CASCADE")
    restored = [program("psql"), "-d", server.address, "-q", "-v", "ON_ERROR_STOP=1"]
    subprocess.run(restored, input=dumped, check=True, stdout=subprocess.DEVNULL)
    assert_not_finished(url)


def test_nothing_is_not_moved(urls: tuple[str, str]) -> None:
    with pytest.raises(StoreMoveError, match="nothing in the first store"):
        list(moved(urls))
