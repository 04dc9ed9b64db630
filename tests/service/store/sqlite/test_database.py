"""Several processes at one file, and processes that end in the middle of their work."""

from __future__ import annotations

import os
import signal
import sqlite3
import textwrap
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import event
from sqlalchemy.exc import DBAPIError

from contract import Granularity, MetricKey
from service.open_store import open_store, store_url
from service.store.errors import PassageTakenError, StoreAccessError, StoreBusyError, StoreVersionError
from service.store.protocol import BucketQuery, PassageCount, Store, WriteMode
from service.store.schema import VERSION
from service.store.sqlite import connections as connections_module
from service.store.sqlite import database as database_module
from service.store.sqlite.store_file import FILE_NAME
from tests.crowded_site import ORGANIZATION, crowded_site
from tests.database_of import database_of, file_of_store
from tests.forked_process import ForkedProcess

PATIENCE = 120.0
NOON = datetime(2025, 6, 2, 10, tzinfo=UTC)
MINUTE = int(NOON.timestamp()) // 60


def bound_parameters(connection: sqlite3.Connection, _record: object) -> None:
    connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 32_766)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = open_store(store_url(tmp_path))
    store.catalogue.save(ORGANIZATION, [crowded_site("Europe/Zurich")])
    yield store
    store.close()


@dataclass(frozen=True)
class Started:
    process: ForkedProcess
    log: Path

    def ended(self) -> int:
        """Its exit code, once it has ended."""
        return self.process.wait(PATIENCE)

    def lines(self) -> int:
        """How many it has printed."""
        return self.log.read_text().count("\n")


@pytest.fixture
def other_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Path, str], Started]]:
    """Starts Python processes that have opened the store as `store` and do some work with it."""
    started: list[Started] = []

    def start(data_dir: Path, work: str) -> Started:
        preamble = f"""
            from pathlib import Path
            from service.open_store import open_store, store_url
            from service.store.protocol import *
            store = open_store(store_url(Path({str(data_dir)!r})))
        """
        folder = tmp_path_factory.mktemp("program")
        (folder / "work.py").write_text(textwrap.dedent(preamble) + textwrap.dedent(work))
        log = folder / "log"
        log.touch()
        process = ForkedProcess(["work"], folder=folder, environment=os.environ, log=log)
        started.append(Started(process, log))
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.ended()


def entrances(store: Store) -> int | float:
    query = BucketQuery(
        site_id="crowded",
        metrics=(MetricKey.ENTRANCES,),
        start=NOON - timedelta(days=9),
        end=NOON + timedelta(days=9),
        granularity=Granularity.MONTH,
        timezone=ZoneInfo("Etc/UTC"),
    )
    return sum(bucket.values[MetricKey.ENTRANCES] for bucket in store.metrics.buckets(query))


APPEND_FOR_EVER = f"""
    acknowledged = 0
    while True:
        store.metrics.append([PassageCount("north", {MINUTE} + acknowledged % 500, 1, 0)], WriteMode.ADD)
        acknowledged += 1
        print(acknowledged, flush=True)
"""


def test_nothing_acknowledged_is_lost_when_the_writer_is_killed(
    tmp_path: Path, store: Store, other_process: Callable[[Path, str], Started]
) -> None:
    total = 0
    for rounds in range(1, 4):
        writer = other_process(tmp_path, APPEND_FOR_EVER)
        while writer.lines() < 40 * rounds:
            assert writer.process.poll() is None, writer.log.read_text()
            time.sleep(0.002)
        writer.process.kill()
        assert writer.ended() == -signal.SIGKILL
        acknowledged = writer.lines()
        stored = entrances(store)
        # One append may have reached the disk without the word of it having come out.
        assert total + acknowledged <= stored <= total + acknowledged + 1
        total = int(stored)


def test_two_processes_write_at_once_and_nothing_is_lost(
    tmp_path: Path, store: Store, other_process: Callable[[Path, str], Started]
) -> None:
    work = f"""
        for _ in range(50):
            store.metrics.append([PassageCount("north", {MINUTE}, 1, 0)], WriteMode.ADD)
    """
    processes = [other_process(tmp_path, work) for _ in range(2)]
    for _ in range(20):
        store.metrics.append([PassageCount("north", MINUTE, 1, 0)], WriteMode.ADD)
    assert [process.ended() for process in processes] == [0, 0]
    assert entrances(store) == 120


def test_several_processes_may_be_the_first(
    tmp_path: Path, other_process: Callable[[Path, str], Started]
) -> None:
    folder = tmp_path / "not" / "there"
    processes = [other_process(folder, "store.close()") for _ in range(4)]
    assert [process.ended() for process in processes] == [0, 0, 0, 0]


def test_what_another_process_stored_is_taken_in_by_refresh(tmp_path: Path, store: Store) -> None:
    heard: list[Mapping[str, int]] = []
    store.metrics.add_listener(heard.append)
    assert not store.metrics.poll_changes()
    other = open_store(store_url(tmp_path))
    other.metrics.append([PassageCount("north", MINUTE, 3, 0)], WriteMode.ADD)
    other.close()
    assert store.metrics.newest("crowded", metrics=[MetricKey.ENTRANCES]) is None
    assert store.metrics.poll_changes()
    newest = store.metrics.newest("crowded", metrics=[MetricKey.ENTRANCES])
    assert newest is not None
    assert newest.values == {MetricKey.ENTRANCES: 3}
    assert heard == [{"crowded": 0}]
    assert not store.metrics.poll_changes()


def test_only_the_sites_that_changed_are_told(tmp_path: Path, store: Store) -> None:
    store.catalogue.save(ORGANIZATION, [crowded_site(None, site_id="second")])
    heard: list[Mapping[str, int]] = []
    store.metrics.add_listener(heard.append)
    other = open_store(store_url(tmp_path))
    other.metrics.append([PassageCount("second-north", MINUTE, 3, 0)], WriteMode.ADD)
    other.catalogue.save(ORGANIZATION, [crowded_site(None, site_id="third")])
    other.close()
    assert store.metrics.poll_changes()
    assert heard == [{"second": 0, "third": 0}]


def test_own_commits_are_no_news(store: Store) -> None:
    store.metrics.poll_changes()
    store.metrics.append([PassageCount("north", MINUTE, 3, 0)], WriteMode.ADD)
    assert not store.metrics.poll_changes()


def test_own_commit_after_one_of_another_process_tells_of_both(tmp_path: Path, store: Store) -> None:
    store.metrics.poll_changes()
    heard: list[Mapping[str, int]] = []
    store.metrics.add_listener(heard.append)
    other = open_store(store_url(tmp_path))
    other.metrics.append([PassageCount("north", MINUTE - 60, 3, 0)], WriteMode.ADD)
    other.close()
    for _ in range(2):
        store.metrics.append([PassageCount("north", MINUTE, 3, 0)], WriteMode.ADD)
    assert heard == [{"crowded": 0}, {"crowded": MINUTE}]
    assert not store.metrics.poll_changes()


def test_commit_that_failed_hides_no_later_one_of_another_process(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.metrics.poll_changes()
    with monkeypatch.context() as patch:
        patch.setattr(store.metrics, "_refresh", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            store.metrics.append([PassageCount("north", MINUTE, 3, 0)], WriteMode.ADD)
    heard: list[Mapping[str, int]] = []
    store.metrics.add_listener(heard.append)
    assert store.metrics.poll_changes()
    assert heard == [{"crowded": 0}]


def test_look_that_failed_hides_no_commit_of_another_process(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.metrics.poll_changes()
    other = open_store(store_url(tmp_path))
    other.metrics.append([PassageCount("north", MINUTE, 3, 0)], WriteMode.ADD)
    other.close()
    with monkeypatch.context() as patch:
        patch.setattr(store.metrics, "_refresh", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            store.metrics.poll_changes()
    assert store.metrics.poll_changes()
    assert store.metrics.newest("crowded", metrics=[MetricKey.ENTRANCES]) is not None


def test_site_that_is_saved_and_cannot_be_read_back_is_saved(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> None:
        raise StoreAccessError("the disk fails")

    with monkeypatch.context() as patch:
        patch.setattr(store.metrics, "_refresh", fail)
        store.catalogue.save(ORGANIZATION, [crowded_site(None, site_id="second")])
    assert store.metrics.poll_changes()
    assert store.catalogue.find("second") is not None


def test_a_topology_that_another_process_changed_holds_for_the_next_append(
    tmp_path: Path, store: Store
) -> None:
    store.metrics.append([PassageCount("north", MINUTE, 3, 0)], WriteMode.ADD)
    other = open_store(store_url(tmp_path))
    other.catalogue.save(ORGANIZATION, [crowded_site("Europe/Zurich", reset_hour=13)])
    other.close()
    store.metrics.append([PassageCount("north", MINUTE + 120, 1, 0)], WriteMode.ADD)
    newest = store.metrics.newest("crowded", metrics=[MetricKey.VISITORS_INSIDE])
    assert newest is not None
    assert newest.values == {MetricKey.VISITORS_INSIDE: 1}


def test_a_write_that_waits_too_long_for_another_process_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "BUSY_SECONDS", 0.1)
    busy, waiting = open_store(store_url(tmp_path)), open_store(store_url(tmp_path))
    busy.catalogue.save(ORGANIZATION, [crowded_site("Europe/Zurich")])
    with database_of(busy).writing(), pytest.raises(StoreBusyError):
        waiting.metrics.append([PassageCount("north", MINUTE, 3, 0)], WriteMode.ADD)
    busy.close()
    waiting.close()


def test_a_write_waits_for_another_process_for_longer_than_sqlite_does_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections_module, "BUSY_TURN_SECONDS", 0.01)
    busy, waiting = open_store(store_url(tmp_path)), open_store(store_url(tmp_path))
    busy.catalogue.save(ORGANIZATION, [crowded_site("Europe/Zurich")])
    count = PassageCount("north", MINUTE, 3, 0)
    with ThreadPoolExecutor() as threads:
        with database_of(busy).writing():
            stored = threads.submit(waiting.metrics.append, [count], WriteMode.ADD)
            wait([stored], timeout=0.5)
        assert stored.result()
    busy.close()
    waiting.close()


def test_a_file_of_a_later_version_is_refused(tmp_path: Path, store: Store) -> None:
    store.close()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    with pytest.raises(StoreVersionError, match=f"format {VERSION + 1}"):
        open_store(store_url(tmp_path))


def test_whoever_has_a_file_open_that_a_later_version_took_over_stores_nothing_more(
    tmp_path: Path, store: Store
) -> None:
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    with pytest.raises(StoreVersionError, match=f"format {VERSION + 1}"):
        store.metrics.append([], WriteMode.ADD)
    assert isinstance(store.trouble(), StoreVersionError)


def test_a_finished_file_is_opened_while_another_process_writes(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "BUSY_SECONDS", 0.1)
    with database_of(store).writing():
        other = open_store(store_url(tmp_path))
        assert other.catalogue.find("crowded") is not None
        other.close()


def test_a_store_may_be_closed_twice(tmp_path: Path) -> None:
    store = open_store(store_url(tmp_path))
    store.close()
    store.close()


def test_store_that_is_closed_ends_what_is_being_read(store: Store) -> None:
    """Else the process would live on until a query of minutes has its answer."""
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"
    begun, ended = threading.Event(), list[str]()

    def read() -> None:
        with database_of(store).reading() as connection:
            begun.set()
            try:
                connection.exec_driver_sql(endless)
            except DBAPIError as error:
                ended.append(str(error.orig))

    reading = threading.Thread(target=read, daemon=True)
    reading.start()
    assert begun.wait(30.0)
    while reading.is_alive():
        store.close()
        reading.join(0.1)
    assert ended == ["interrupted"]


def test_site_may_have_more_passages_than_a_statement_has_parameters(store: Store) -> None:
    # As SQLite is unless whoever built it allowed more.
    event.listen(file_of_store(store)._engine, "connect", bound_parameters)
    file_of_store(store)._engine.dispose()
    record = crowded_site("Europe/Zurich")
    [north, *_] = record.site.passages
    passages = tuple(north.model_copy(update={"id": f"door {number}"}) for number in range(33_000))
    site = record.site.model_copy(update={"passages": passages})
    store.catalogue.save(ORGANIZATION, [replace(record, site=site)])
    store.catalogue.save(ORGANIZATION, [replace(record, site=site)])
    ids = [passage.id for passage in passages]
    assert store.catalogue.site_ids_of_passages(ids) == dict.fromkeys(ids, "crowded")
    rival = replace(record, site=site.model_copy(update={"id": "rival"}))
    with pytest.raises(PassageTakenError, match="door 32999"):
        store.catalogue.save(ORGANIZATION, [rival])
