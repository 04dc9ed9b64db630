"""Ranges that are read from a standby: what they have, and what is said of it."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import httpx
import pytest
from sqlalchemy import event

from contract import Granularity, MetricKey
from service.open_store import open_store
from service.query import behind_warning
from service.query.behind_warning import behind_warnings
from service.store.database import ReplicaState
from service.store.errors import StoreUrlError
from service.store.postgresql import reading_connection, replica
from service.store.postgresql.database import PostgresqlDatabase
from service.store.protocol import BucketQuery, KeyScope, PassageCount, Past, Store, WriteMode
from service.store.sqlite.store_file import sqlite_url
from tests.database_of import database_of
from tests.eventually import PATIENCE, eventually
from tests.running_postgresql import (
    RunningPostgresql,
    begin_standby,
    end_postgresql,
    postgresql_url,
    running_postgresql,
)
from tests.served_here import served_here
from tests.small_site import ORGANIZATION, SITE, create_records

DAY = datetime(2025, 6, 2, tzinfo=UTC)
MINUTE = int(DAY.timestamp()) // 60
QUERY = BucketQuery(
    SITE.id, (MetricKey.ENTRANCES,), DAY, DAY + timedelta(days=1), Granularity.DAY, ZoneInfo("UTC")
)


@pytest.fixture(scope="module")
def standby() -> Iterator[RunningPostgresql]:
    server = begin_standby(running_postgresql())
    yield server
    end_postgresql(server)


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = postgresql_url(tmp_path)
    with closing(open_store(url)) as store:
        create_records(store)
    return url


def at(standby: RunningPostgresql, url: str) -> str:
    """The same store at the standby."""
    return url.replace(f":{urlsplit(url).port}/", f":{standby.port}/")


@pytest.fixture
def store(url: str, standby: RunningPostgresql, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setattr(replica, "_LOOK_SECONDS", 0.05)
    with closing(open_store(url, replica=at(standby, url))) as opened:
        until(lambda: is_read(opened))
        yield opened


def until(holds: Callable[[], bool]) -> None:
    asyncio.run(eventually(holds))


def append(store: Store, people: int = 1) -> None:
    store.metrics.append([PassageCount("entrance", MINUTE, people, 0)], WriteMode.ADD)


def state(store: Store) -> ReplicaState:
    found = store.replica()
    assert found
    return found


def is_read(store: Store) -> bool:
    return state(store).seconds_behind is not None


def entrances(past: Past) -> list[int | float]:
    place = past.buckets.metrics.index(MetricKey.ENTRANCES)
    return [value or 0 for value in past.buckets.values[place]]


def reads_of(standby: RunningPostgresql, store: Store) -> bool:
    """Whether the next question goes there."""

    def port(connection: object) -> int:
        return int(connection.exec_driver_sql("SELECT inet_server_port()").scalar())  # type: ignore[attr-defined]

    return database_of(store).reading_past(port)[0] == standby.port


def test_ranges_are_read_from_the_standby_and_all_else_from_the_first(
    store: Store, standby: RunningPostgresql
) -> None:
    append(store)
    until(lambda: reads_of(standby, store))
    past = store.metrics.past(QUERY)
    assert entrances(past) == [1]
    assert past.behind < timedelta(seconds=5)
    assert behind_warnings(past.behind) == []
    with database_of(store).reading() as connection:
        assert connection.exec_driver_sql("SHOW transaction_read_only").scalar() == "on"
        assert connection.exec_driver_sql("SELECT pg_is_in_recovery()").scalar() is False


def test_what_a_process_has_stored_it_reads_whatever_the_standby_has(
    store: Store, standby: RunningPostgresql
) -> None:
    standby.run("SELECT pg_wal_replay_pause()")
    try:
        for stored in range(1, 4):
            append(store)
            assert entrances(store.metrics.past(QUERY)) == [stored]
            assert not reads_of(standby, store)
    finally:
        standby.run("SELECT pg_wal_replay_resume()")
    until(lambda: reads_of(standby, store))
    assert entrances(store.metrics.past(QUERY)) == [3]


def test_how_far_it_is_behind_is_known_however_often_something_is_stored_and_read(
    url: str, standby: RunningPostgresql, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replica, "_LOOK_SECONDS", 5.0)
    with closing(open_store(url, replica=at(standby, url))) as store:
        until(lambda: is_read(store))
        standby.run("SELECT pg_wal_replay_pause()")
        try:
            for _ in range(30):
                append(store)
                store.metrics.past(QUERY)
            assert is_read(store)
            assert state(store).trouble is None
        finally:
            standby.run("SELECT pg_wal_replay_resume()")


def test_what_others_have_stored_may_be_missing_and_that_is_said(
    store: Store, standby: RunningPostgresql, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_store(url)) as other:
        until(lambda: reads_of(standby, store))
        standby.run("SELECT pg_wal_replay_pause()")
        try:
            append(other)
            until(lambda: (state(store).seconds_behind or 0) > 0.3)
            past = store.metrics.past(QUERY)
            assert entrances(past) == []
            assert past.behind > timedelta(seconds=0.3)
            # Too far behind, it is not read.
            monkeypatch.setattr(replica, "MOST_SECONDS", 0.3)
            assert entrances(store.metrics.past(QUERY)) == [1]
            until(lambda: "behind" in (state(store).trouble or ""))
        finally:
            standby.run("SELECT pg_wal_replay_resume()")
        monkeypatch.setattr(replica, "MOST_SECONDS", 60.0)
        until(lambda: reads_of(standby, store))
        assert entrances(store.metrics.past(QUERY)) == [1]


def test_a_first_that_is_idle_makes_no_standby_old(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replica, "MOST_SECONDS", 1.0)
    idle_until = time.monotonic() + 1.5
    until(lambda: time.monotonic() > idle_until or not is_read(store))
    assert is_read(store)


def test_a_standby_that_goes_is_told_of_once_and_the_first_is_read(
    store: Store, url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replica, "_LOOK_SECONDS", 0.05)
    going = begin_standby(running_postgresql())
    try:
        with closing(open_store(url, replica=at(going, url))) as watched:
            append(watched)
            until(lambda: reads_of(going, watched))
            going.stop()
            for _ in range(3):
                assert entrances(watched.metrics.past(QUERY)) == [1]
            until(lambda: state(watched).trouble is not None)
            assert not is_read(watched)
            assert watched.trouble() is None
            going.start()
            until(lambda: reads_of(going, watched))
            assert state(watched).trouble is None
    finally:
        end_postgresql(going)
    assert capsys.readouterr().out.count("replica cannot be read") == 1


def test_what_is_no_standby_of_the_first_is_not_read(url: str) -> None:
    with closing(open_store(url, replica=url)) as store:
        until(lambda: "is no replica" in (state(store).trouble or ""))
        assert entrances(store.metrics.past(QUERY)) == []


def test_a_file_has_no_replica(tmp_path: Path, url: str) -> None:
    for first, copy in ((sqlite_url(tmp_path), url), (url, sqlite_url(tmp_path))):
        with pytest.raises(StoreUrlError, match="replica"):
            open_store(first, replica=copy)


def test_the_service_says_how_it_stands_and_what_of_an_answer_may_be_missing(
    store: Store, standby: RunningPostgresql, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(behind_warning, "_UNTOLD", timedelta(seconds=0.3))
    _, key = store.keys.create(ORGANIZATION.id, "reads", KeyScope.READ)
    asked = {"siteId": SITE.id, "metrics": ["entrances"], "granularity": "day"}
    asked |= {"from": "2025-06-02T00:00:00", "to": "2025-06-03T00:00:00"}

    def answer(service: httpx.Client) -> tuple[list[object], list[str]]:
        told = service.post("/v3/metrics", json=asked, headers={"x-api-key": key}).json()
        assert told["data"] is not None, told
        return told["data"], [one["code"] for one in told["meta"].get("warnings", [])]

    with closing(open_store(url)) as other, served_here(store) as service:
        until(lambda: reads_of(standby, store))
        told = service.get("/healthz").json()["data"]["replica"]
        assert told["read"]
        assert told["trouble"] is None
        assert "headroom_service_replica_read 1.0" in service.get("/metrics").text
        assert service.get("/readyz").json()["data"]["troubles"] == {}
        standby.run("SELECT pg_wal_replay_pause()")
        try:
            append(other)
            until(lambda: answer(service) == ([], ["COPY_BEHIND"]))
            monkeypatch.setattr(replica, "MOST_SECONDS", 0.3)
            until(lambda: "behind" in service.get("/readyz").json()["data"]["troubles"].get("replica", ""))
            assert "headroom_service_replica_read 0.0" in service.get("/metrics").text
            monkeypatch.setattr(replica, "MOST_SECONDS", 60.0)
        finally:
            standby.run("SELECT pg_wal_replay_resume()")
        until(lambda: len(answer(service)[0]) == 1)


def test_an_answer_that_is_behind_says_by_how_much() -> None:
    [told] = behind_warnings(timedelta(seconds=11.2))
    assert told["code"] == "COPY_BEHIND"
    assert told["details"] == {"seconds": "12"}


def test_a_first_that_freezes_while_it_is_asked_for_its_place_is_given_up(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading_connection, "SILENT_SECONDS", 1)
    database, is_asked, is_frozen = database_of(store), threading.Event(), threading.Event()
    assert isinstance(database, PostgresqlDatabase)

    def hold(*_: object) -> None:
        is_asked.set()
        is_frozen.wait(PATIENCE)

    event.listen(database._engine, "before_cursor_execute", hold)
    assert is_asked.wait(PATIENCE)
    with running_postgresql().frozen():
        is_frozen.set()
        until(lambda: "it has ceased to answer" in (state(store).trouble or ""))
