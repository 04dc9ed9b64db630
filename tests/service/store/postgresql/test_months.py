"""The series tables of a store in PostgreSQL, month by month."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import cast
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from sqlalchemy import text

from contract import Granularity, MetricKey
from contract.minutes import MINUTES_A_DAY
from service.application_state import ApplicationState
from service.open_store import open_store
from service.settings import ServiceSettings
from service.store import retention
from service.store.errors import StoreBusyError, StoreVersionError
from service.store.postgresql.months import BY_MONTH, Month, drop_month, months_of, months_there
from service.store.protocol import BucketQuery, CountSeries, PassageCount, Store, WriteMode
from service.store.schema import PASSAGE_MINUTES, PASSAGE_QUARTERS, ZONE_MINUTES
from service.workers import upkeep
from service.workers.upkeep import Upkeep
from tests.database_of import database_of
from tests.eventually import eventually
from tests.running_postgresql import postgresql_url
from tests.small_site import SITE, create_records

JUNE, AUGUST = Month(2025, 6), Month(2025, 8)
NOW = datetime(2025, 8, 20, 12, tzinfo=UTC)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return postgresql_url(tmp_path)


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with closing(open_store(url, clock=lambda: NOW)) as opened:
        create_records(opened)
        yield opened


def append(store: Store, minute: int, people: int = 1) -> None:
    store.metrics.append([PassageCount("entrance", minute, people, 0)], WriteMode.ADD)


def months(store: Store) -> list[set[Month]]:
    with database_of(store).reading() as connection:
        return list(months_there(connection).values())


def entrances_by_year(store: Store) -> list[int | float]:
    begin, end = datetime(1999, 1, 1, tzinfo=UTC), datetime(2101, 1, 1, tzinfo=UTC)
    zone = ZoneInfo("UTC")
    asked = BucketQuery(SITE.id, (MetricKey.ENTRANCES,), begin, end, Granularity.MONTH, zone)
    return [bucket.values[MetricKey.ENTRANCES] for bucket in store.metrics.buckets(asked)]


def test_a_month_begins_with_its_first_minute_in_utc() -> None:
    edge = AUGUST.start
    assert [Month.of(edge - 1), Month.of(edge)] == [Month(2025, 7), AUGUST]
    assert months_of(np.array([JUNE.start, edge - 1, edge, edge])) == {JUNE, Month(2025, 7), AUGUST}
    assert Month(2025, 12).following() == Month(2026, 1)
    assert months_of(np.array([-1, 0])) == {Month(1969, 12), Month(1970, 1)}


def test_this_month_and_the_next_are_made_ahead_for_all_series(store: Store) -> None:
    assert months(store) == [{AUGUST, AUGUST.following()}] * len(BY_MONTH)


async def test_the_upkeep_makes_months_ahead_as_time_goes_by(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "_INTERVAL_SECONDS", 0.01)
    monkeypatch.setattr(upkeep, "_FOLD_SECONDS", 0.0)
    clock = [NOW]
    with closing(open_store(url, clock=lambda: clock[0])) as store:
        worker = Upkeep()
        await worker.start(cast(ApplicationState, SimpleNamespace(store=store, settings=ServiceSettings())))
        clock[0] = NOW + timedelta(days=31)
        ahead = {AUGUST, AUGUST.following(), AUGUST.following().following()}
        await eventually(lambda: months(store) == [ahead] * len(BY_MONTH))
        await worker.stop()


def test_any_other_month_is_made_when_something_is_stored_of_it(store: Store) -> None:
    far = [Month(2000, 1), Month(2024, 2), Month(2066, 12)]
    for month in far:
        append(store, month.start)
    # Up to the last minute of one, and into the next, in one transaction.
    minutes = np.arange(far[1].following().start - 2, far[1].following().start + 2, dtype=np.int64)
    store.metrics.append_series([CountSeries("entrance", minutes, minutes * 0 + 1, minutes * 0)])
    assert months(store) == [{AUGUST, AUGUST.following(), *far, far[1].following()}] * len(BY_MONTH)
    assert entrances_by_year(store) == [1, 3, 2, 1]
    assert not any(site.differences for site in store.metrics.check())


def test_several_who_need_the_same_months_at_once_all_store(store: Store, url: str) -> None:
    failed: list[BaseException] = []
    with ExitStack() as opened:
        stores = [store, *(opened.enter_context(closing(open_store(url))) for _ in range(2))]

        def work(one: Store) -> None:
            try:
                for year in range(2010, 2013):
                    append(one, Month(year, 1).start)
            except BaseException as error:  # noqa: BLE001 -- told by the test's own thread
                failed.append(error)

        threads = [threading.Thread(target=work, args=(one,)) for one in stores]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not failed
    assert entrances_by_year(store) == [3, 3, 3]


def test_nobody_waits_for_who_makes_a_month_nor_does_he_for_others(store: Store, url: str) -> None:
    append(store, AUGUST.start)
    with closing(open_store(url)) as other:
        with database_of(other).storing() as writing, database_of(other).reading() as reading:
            writing.exec_driver_sql("UPDATE passage_minutes SET forward = forward")
            reading.exec_driver_sql("SELECT count(*) FROM passage_minutes").all()
            database_of(store).make_ready(JUNE.start)
        assert JUNE in months(other)[0]


def test_a_month_of_which_folding_left_nothing_is_taken_away(
    store: Store, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "ROOM_SECONDS", 0.0)
    for minute in (JUNE.start + MINUTES_A_DAY, JUNE.following().start + MINUTES_A_DAY, AUGUST.start):
        append(store, minute)
    assert store.retention.fold(30)
    with database_of(store).reading() as connection:
        there = months_there(connection)
    assert JUNE not in there[PASSAGE_MINUTES] | there[ZONE_MINUTES]
    assert JUNE in there[PASSAGE_QUARTERS]
    assert entrances_by_year(store) == [1, 1, 1]


def test_a_month_is_not_taken_away_while_others_read_or_it_has_rows(store: Store, url: str) -> None:
    append(store, AUGUST.start)
    database_of(store).make_ready(JUNE.start)
    with closing(open_store(url, clock=lambda: NOW)) as other, database_of(other).reading() as reading:
        reading.exec_driver_sql("SELECT count(*) FROM passage_minutes").all()
        database_of(store).give_back(AUGUST.start)
        assert JUNE in months(store)[0]
    database_of(store).give_back(AUGUST.following().start)
    with database_of(store).reading() as connection:
        assert months_there(connection)[PASSAGE_MINUTES] == {AUGUST, AUGUST.following()}


def test_who_has_taken_a_month_away_makes_it_anew_for_the_next_count(store: Store) -> None:
    database_of(store).make_ready(JUNE.start)
    database_of(store).give_back(AUGUST.start)
    with database_of(store).reading() as connection:
        assert JUNE not in months_there(connection)[PASSAGE_MINUTES]
    append(store, JUNE.start)
    assert entrances_by_year(store) == [1]


def test_a_count_of_a_month_that_another_process_took_away_is_stored_when_it_is_sent_again(
    store: Store, url: str
) -> None:
    with closing(open_store(url)) as other:
        append(other, JUNE.start)
        with database_of(store).writing() as connection:
            assert drop_month(connection, PASSAGE_MINUTES, JUNE)
            assert not drop_month(connection, PASSAGE_MINUTES, JUNE)
        with pytest.raises(StoreBusyError, match="given a month back"):
            append(other, JUNE.start)
        append(other, JUNE.start)
        assert entrances_by_year(other) == [1]


def test_more_people_than_fit_into_32_bits_are_kept_whole(store: Store) -> None:
    most, times = 1_000_000, 3_000
    minutes = [AUGUST.start, AUGUST.start + 1]
    for minute in minutes:
        counts = [PassageCount("entrance", minute, most, 0)] * times
        store.metrics.append(counts, WriteMode.ADD)
    assert entrances_by_year(store) == [len(minutes) * times * most]
    newest = store.metrics.newest(SITE.id, metrics=(MetricKey.VISITORS_INSIDE,))
    assert newest
    assert newest.values == {MetricKey.VISITORS_INSIDE: len(minutes) * times * most}


def test_a_database_without_months_is_refused(url: str) -> None:
    with closing(open_store(url)) as store, database_of(store).writing() as connection:
        for table in BY_MONTH:
            connection.execute(text(f"CREATE TABLE plain (LIKE {table.name})"))
            connection.execute(text(f"DROP TABLE {table.name}"))
            connection.execute(text(f"ALTER TABLE plain RENAME TO {table.name}"))
    with pytest.raises(StoreVersionError, match="never released"):
        open_store(url).close()
