"""What a server of PostgreSQL does otherwise than a file, and says when it cannot be used."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import psycopg
import pytest
from sqlalchemy import text

from contract import Granularity, MetricKey
from contract.minutes import MINUTES_A_DAY
from service.open_store import open_store
from service.sensors.taking import place, take
from service.sensors.told_count import Kind, Report, ToldCount
from service.store import series_import
from service.store.audit_protocol import SERVICE_ITSELF, AuditFilter
from service.store.errors import (
    FoldedCountsError,
    StoreAccessError,
    StoreAwayError,
    StoreBusyError,
    StoreError,
    StoreMissingError,
    StoreUncertainError,
    StoreUrlError,
    UnknownLineError,
    UnknownPassageError,
)
from service.store.postgresql import reading_connection
from service.store.prepared import Prepared
from service.store.protocol import BucketQuery, CountSeries, PassageCount, Store, WriteMode
from service.store.raw_minutes import COUNTS
from service.store.schema import FOLDED_SITES
from service.store.sensor_protocol import Placement
from service.store.site_lock import lock_sites
from service.store.summed_statements import OF_ZONES
from tests.database_of import database_of
from tests.running_postgresql import postgresql_url, running_postgresql
from tests.service.store.test_series_import import series
from tests.small_site import ORGANIZATION, SITE, create_records

DAY = datetime(2025, 6, 2, tzinfo=UTC)
MINUTE = int(DAY.timestamp()) // 60
DEADLINE = 30.0
PASSWORD = "of-nobody's-business"
UNORDERED = "%20-cenable_indexscan=off%20-cenable_indexonlyscan=off%20-cenable_bitmapscan=off"
"""Rows come as they lie."""


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = postgresql_url(tmp_path)
    with closing(open_store(url)) as store:
        create_records(store)
    return url


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with closing(open_store(url)) as opened:
        yield opened


def append(store: Store, minute: int = MINUTE, people: int = 1, passage: str = "entrance") -> None:
    store.metrics.append([PassageCount(passage, minute, people, 0)], WriteMode.ADD)


def entrances(store: Store, granularity: Granularity = Granularity.DAY) -> list[int | float]:
    asked = BucketQuery(
        SITE.id, (MetricKey.ENTRANCES,), DAY, DAY.replace(day=3), granularity, ZoneInfo("UTC")
    )
    return [bucket.values[MetricKey.ENTRANCES] for bucket in store.metrics.buckets(asked)]


def is_sound(store: Store) -> bool:
    return not any(site.differences for site in store.metrics.check())


def end_connections() -> None:
    """All that others have, as a server does that starts again."""
    own = "pid <> pg_backend_pid() AND application_name = 'headroom'"
    running_postgresql().run(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {own}")


def waits_for_a_lock() -> bool:
    with psycopg.connect(running_postgresql().address) as connection:
        waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        return bool(connection.execute(waiting).fetchone() != (0,))


def failing_beside(work: Callable[[], object], failed: list[BaseException]) -> threading.Thread:
    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 -- told by the test's own thread
            failed.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def test_counts_that_come_late_are_summed_in_the_order_of_their_minutes(url: str) -> None:
    with closing(open_store(url + UNORDERED)) as store:
        # Of each quarter of an hour first the last minute.
        for offset in (14, 7, 0):
            counts = [PassageCount("entrance", MINUTE + quarter + offset, 1, 0) for quarter in (45, 0, 30)]
            store.metrics.append(counts, WriteMode.ADD)
        assert is_sound(store)
        query = BucketQuery(
            SITE.id,
            (MetricKey.ENTRANCES,),
            DAY,
            DAY.replace(day=3),
            Granularity.DAY,
            ZoneInfo("UTC"),
            passage_ids=("entrance",),
        )
        [day] = store.metrics.buckets(query)
        assert day.values == {MetricKey.ENTRANCES: 9}


def test_a_text_with_a_nul_finds_nothing_as_in_a_file(store: Store) -> None:
    assert store.catalogue.find("corner\0shop") is None
    assert store.keys.find("\0") is None
    assert store.mappings.written(ORGANIZATION.id, "\0") is None
    assert store.mappings.remove(ORGANIZATION.id, "\0", lambda _: None, SERVICE_ITSELF) is None
    assert store.catalogue.site_ids_of_passages(["entr\0ance"]) == {}
    for only in (AuditFilter("\0"), AuditFilter(kind="\0"), AuditFilter(person="\0")):
        assert store.audit.entries(ORGANIZATION.id, limit=9, only=only) == []
    with pytest.raises(UnknownPassageError):
        append(store, passage="entr\0ance")


def test_of_one_site_one_stores_at_a_time_and_nobody_of_another_waits_for_him(store: Store, url: str) -> None:
    failed: list[BaseException] = []
    with closing(open_store(url)) as other, database_of(other).storing() as connection:
        lock_sites(connection, [SITE.id])
        append(store, passage="other-door")
        assert store.metrics.newest("elsewhere", metrics=[MetricKey.ENTRANCES])
        waiting = failing_beside(lambda: append(store), failed)
        while not waits_for_a_lock():
            waiting.join(0.01)
        assert entrances(store) == []
    waiting.join(DEADLINE)
    assert not failed
    assert entrances(store) == [1]


def test_counts_that_wait_while_their_minutes_are_folded_are_refused(store: Store, url: str) -> None:
    failed: list[BaseException] = []
    with closing(open_store(url)) as other:
        with database_of(other).storing() as connection:
            lock_sites(connection, [SITE.id])
            waiting = failing_beside(lambda: append(store), failed)
            while not waits_for_a_lock():
                waiting.join(0.01)
            folded = {"site_id": SITE.id, "until": MINUTE + MINUTES_A_DAY}
            connection.execute(FOLDED_SITES.insert(), folded)
        waiting.join(DEADLINE)
    assert [type(error) for error in failed] == [FoldedCountsError]


def test_who_waits_for_another_process_gives_up_when_his_own_is_to_end(store: Store, url: str) -> None:
    failed: list[BaseException] = []
    with closing(open_store(url)) as other, database_of(other).storing() as connection:
        lock_sites(connection, [SITE.id])
        waiting = failing_beside(lambda: append(store), failed)
        while not waits_for_a_lock():
            waiting.join(0.01)
        store.stop_waiting()
        waiting.join(DEADLINE)
        assert [type(error) for error in failed] == [StoreBusyError]
        # Nor does who comes later wait for long.
        with pytest.raises(StoreBusyError):
            append(store)
    append(store)
    assert entrances(store) == [1]


def test_a_reading_under_way_when_the_server_freezes_is_given_up(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading_connection, "SILENT_SECONDS", 2)
    database, has_begun, is_frozen = database_of(store), threading.Event(), threading.Event()
    failed: list[BaseException] = []

    def read() -> None:
        with database.reading() as connection:
            connection.execute(text("SELECT 1"))
            has_begun.set()
            assert is_frozen.wait(DEADLINE)
            Prepared("SELECT 1").run(connection)

    reading = failing_beside(read, failed)
    assert has_begun.wait(DEADLINE)
    with running_postgresql().frozen():
        is_frozen.set()
        reading.join(DEADLINE)
    [error] = failed
    assert isinstance(error, StoreAwayError)
    assert "it has ceased to answer" in str(error)
    read()


def test_a_reading_that_takes_its_time_is_not(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_connection, "SILENT_SECONDS", 1)
    slow = Prepared("SELECT 1 AS one FROM pg_sleep(2.5)")
    assert database_of(store).row(slow) == {"one": 1}


def test_an_import_that_has_lost_its_lock_to_another_process_stores_nothing(
    store: Store, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(series_import, "_STAGED_TOGETHER", 3)

    def file() -> Iterator[CountSeries]:
        yield series("entrance")
        end_connections()
        with closing(open_store(url)):
            pass  # which forgets what was left behind
        yield series("terrace")

    with pytest.raises(StoreError):
        store.imports.store(file())
    with closing(open_store(url)) as again:
        with database_of(again).reading() as connection:
            stored = text("SELECT count(*) FROM passage_minutes")
            assert connection.execute(stored).scalar_one() == 0
        again.imports.store([series("entrance")])
        assert is_sound(again)


def test_a_line_that_is_dismissed_while_it_is_placed_is_there_no_more(store: Store) -> None:
    told = ToldCount("S-1", "", Kind.EVENT, None, DAY, 1, 0, "first")
    with store.sensors.writing() as rows:
        take(rows, ORGANIZATION.id, "maker", Report((told,)), DAY)
    [line] = store.sensors.lines(ORGANIZATION.id)
    assert store.sensors.dismiss(ORGANIZATION.id, line.number, SERVICE_ITSELF, is_ignored=False)
    with pytest.raises(UnknownLineError), store.sensors.writing() as rows:
        place(rows, line, Placement("entrance", is_swapped=False))


def test_a_commit_whose_answer_never_came_is_not_said_to_have_stored_nothing(store: Store) -> None:
    ending = """
        CREATE FUNCTION end_it() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END';
        CREATE CONSTRAINT TRIGGER ending AFTER INSERT ON passage_minutes DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION end_it()"""
    with database_of(store).writing() as connection:
        connection.exec_driver_sql(ending)
    with pytest.raises(StoreUncertainError, match="did not say whether"):
        append(store)
    with database_of(store).writing() as connection:
        connection.exec_driver_sql("DROP TRIGGER ending ON passage_minutes")
    append(store)
    assert entrances(store) == [1]
    assert store.trouble() is None


def test_tables_that_are_taken_away_are_named_until_they_are_back(store: Store) -> None:
    with database_of(store).writing() as connection:
        connection.exec_driver_sql("ALTER TABLE passage_minutes RENAME TO elsewhere")
    with pytest.raises(StoreMissingError, match="passage_minutes"):
        append(store)
    assert isinstance(store.trouble(), StoreMissingError)
    with database_of(store).writing() as connection:
        connection.exec_driver_sql("ALTER TABLE elsewhere RENAME TO passage_minutes")
    append(store)
    assert store.trouble() is None


@pytest.mark.parametrize(
    ("state", "expected", "said"),
    [
        ("57014", StoreBusyError, "as the server says"),
        ("53300", StoreBusyError, "as the server says"),
        ("53200", StoreAccessError, "as the server says"),
        ("25006", StoreAccessError, "as the server says"),
        ("XX000", StoreAccessError, "as the server says"),
        ("57P03", StoreAwayError, "as the server says"),
        ("55P03", StoreBusyError, "Another process"),
    ],
)
def test_what_the_server_reports_is_told_as_what_it_is(
    store: Store, state: str, expected: type[StoreError], said: str
) -> None:
    raising = f"DO $$ BEGIN RAISE 'as the server says' USING ERRCODE = '{state}'; END $$"
    with pytest.raises(expected, match=said) as raised, database_of(store).writing() as connection:
        connection.exec_driver_sql(raising)
    assert type(raised.value) is expected


def test_a_database_that_was_read_only_for_a_while_is_written_again(url: str) -> None:
    changing = f"{running_postgresql().address}?options=-cdefault_transaction_read_only%3Doff"

    def change(what: str) -> None:
        with psycopg.connect(changing, autocommit=True) as connection:
            connection.execute(f"ALTER DATABASE headroom {what}".encode())

    with closing(open_store(url)) as store:
        change("SET default_transaction_read_only = on")
        try:
            end_connections()
            with pytest.raises(StoreAccessError, match="read-only"):
                append(store)
            # Several sessions of that time.
            database = database_of(store)
            with database.reading(), database.reading(), database.reading():
                pass
            with pytest.raises(StoreAccessError, match="read-only"):
                append(store)
        finally:
            change("RESET default_transaction_read_only")
        with suppress(StoreAccessError):
            append(store)
        append(store, MINUTE + 1)
        append(store, MINUTE + 2)
        assert entrances(store, Granularity.MINUTE)[-2:] == [1, 1]


def test_a_connection_that_is_cut_is_not_put_back_nor_spoken_of_at_length(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    ending = Prepared("SELECT pg_terminate_backend(pg_backend_pid())")
    with pytest.raises(StoreAccessError):
        database_of(store).row(ending)
    append(store)
    assert not [record for record in caplog.records if record.exc_info]


def test_connections_whose_work_fails_are_there_for_others(store: Store) -> None:
    database = database_of(store)

    def failing(begin: Callable[[], object]) -> None:
        with pytest.raises(StoreError), begin() as connection:  # type: ignore[attr-defined]
            connection.exec_driver_sql("SELECT * FROM nowhere")

    for _ in range(15):
        failing(database.reading)
        failing(database.writing)
        failing(database.storing)
        lock = database.import_lock(0)
        with pytest.raises(StoreBusyError):
            database.import_lock(0)
        lock.close()
        lock.close()
    end_connections()
    append(store)
    assert entrances(store) == [1]


@pytest.mark.parametrize(
    "rest",
    [
        f"user:{PASSWORD}@127.0.0.1:door/headroom",
        f"user:{PASSWORD}@127.0.0.1:5432/headroom?colour=red",
        f"user:{PASSWORD}@/headroom?host=one&host=two:1&port=1",
        f"user:{PASSWORD}@[::1/headroom",
        f"user:an-@-and-{PASSWORD}@127.0.0.1/headroom",
    ],
)
def test_a_url_that_is_none_is_refused_without_its_password(rest: str) -> None:
    with pytest.raises(StoreUrlError) as refused:
        open_store(f"postgresql://{rest}")
    assert PASSWORD not in "".join(traceback.format_exception(refused.value))


def test_a_database_that_does_not_know_every_letter_is_refused() -> None:
    server = running_postgresql()
    server.run("CREATE DATABASE ascii ENCODING 'SQL_ASCII' TEMPLATE template0")
    try:
        with pytest.raises(StoreUrlError, match="ENCODING 'UTF8'"):
            open_store(server.address.removesuffix("headroom") + "ascii")
    finally:
        server.run("DROP DATABASE ascii")


@pytest.mark.parametrize(
    ("statement", "asked"),
    [(OF_ZONES.quarters, {"series": "[[1, 0, 0], [2, 0, 0]]"}), (COUNTS, {"numbers": "[1, 2]"})],
    ids=["quarters of zones", "counts of passages"],
)
def test_few_series_are_found_by_their_index_whatever_else_there_is(
    store: Store, statement: Prepared, asked: dict[str, str]
) -> None:
    database_of(store).make_ready(0)
    with database_of(store).writing() as connection:
        for table, zeros in (("zone_quarters", 12), ("passage_minutes", 2)):
            connection.exec_driver_sql(
                f"INSERT INTO {table} SELECT series, 15 * row{', 0' * zeros}"
                " FROM generate_series(1, 200) series, generate_series(1, 300) row"
            )
            connection.exec_driver_sql(f"ANALYZE {table}")
        text, parameters = statement.for_driver("postgresql", **asked, start=15, end=15 * 300)
        plan = connection.exec_driver_sql(f"EXPLAIN {text}", dict(parameters)).scalars().all()
    assert not [line for line in plan if "Seq Scan" in line], plan
