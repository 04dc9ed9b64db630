from __future__ import annotations

import math
import random
import shutil
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from multiprocessing.synchronize import Event
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from contract import Granularity, MetricKey
from contract.minutes import MINUTES_A_DAY
from service.open_store import open_store, store_url
from service.store import series_import
from service.store.errors import (
    ImportUnfinishedError,
    StoreBusyError,
    StoreFullError,
    UnknownPassageError,
)
from service.store.protocol import BucketQuery, CountSeries, PassageCount, Store, WriteMode
from service.store.sqlite.store_file import FILE_NAME
from tests.database_of import database_of
from tests.forked_process import forking
from tests.small_disk import small_disk
from tests.small_site import SITE, create_small_site
from tests.soaking import in_the_soak

FIRST = int(datetime(2025, 3, 1, tzinfo=UTC).timestamp()) // 60
DAYS = 4
DEADLINE = 60.0


def series(passage: str, forward: int = 1, days: int = DAYS) -> CountSeries:
    minutes = np.arange(FIRST, FIRST + days * MINUTES_A_DAY)
    return CountSeries(passage, minutes, np.full_like(minutes, forward), np.zeros_like(minutes))


FILE = [series("entrance"), series("terrace"), series("other-door")]


def forward_of(folder: Path) -> int:
    """All people in the store, without opening it as the service does."""
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        return int(connection.execute("SELECT TOTAL(forward) FROM passage_minutes").fetchone()[0])


def left_in(folder: Path) -> int:
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        return sum(
            int(connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0])
            for table in ("staged_counts", "count_imports")
        )


def is_sound(store: Store) -> bool:
    return not any(site.differences for site in store.metrics.check())


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    create_small_site(tmp_path)
    with closing(open_store(store_url(tmp_path))) as opened:
        yield opened


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(series_import, "_MINUTES_TOGETHER", 2 * MINUTES_A_DAY)
    monkeypatch.setattr(series_import, "ROOM_SECONDS", 0.0)


def import_in_small_pieces(folder: Path, begun: Event) -> None:
    with pytest.MonkeyPatch.context() as patch, closing(open_store(store_url(folder))) as store:
        patch.setattr(series_import, "_MINUTES_TOGETHER", MINUTES_A_DAY)
        patch.setattr(series_import, "_STAGED_TOGETHER", 3)
        patch.setattr(series_import, "ROOM_SECONDS", 0.0)
        begun.set()
        store.imports.store(FILE)


@pytest.mark.parametrize("kills", [15, *in_the_soak(30)])
def test_a_process_that_is_killed_at_any_instant_leaves_all_of_a_file_or_nothing(
    tmp_path: Path, kills: int
) -> None:
    create_small_site(tmp_path / "empty")
    whole = len(FILE) * DAYS * MINUTES_A_DAY
    chance, found, unfinished, took = random.Random(5), set[int](), 0, math.inf
    # The first is let work to its end, the second is killed at once, and of the machine's paces the quickest
    # counts: at a slower one the others would all come too late.
    waits = {0: None, 1: 0.0}
    for kill in range(kills):
        folder = tmp_path / str(kill)
        shutil.copytree(tmp_path / "empty", folder)
        begun = forking.Event()
        process = forking.Process(target=import_in_small_pieces, args=(folder, begun))
        process.start()
        assert begun.wait(DEADLINE)
        started = time.monotonic()
        process.join(waits[kill] if kill in waits else chance.uniform(0, took))
        if not process.is_alive():
            took = min(took, time.monotonic() - started)
        process.kill()
        process.join()
        unfinished += bool(left_in(folder))
        with closing(open_store(store_url(folder))) as store:
            assert is_sound(store)
        found.add(forward_of(folder))
        assert left_in(folder) == 0
    assert found == {0, whole}
    assert unfinished >= kills // 5, "kills are to come while it is at work"


def test_a_file_of_which_a_passage_is_unknown_is_not_there_at_all(store: Store, tmp_path: Path) -> None:
    with pytest.raises(UnknownPassageError):
        store.imports.store([series("entrance"), series("trapdoor")])
    assert (forward_of(tmp_path), left_in(tmp_path)) == (0, 0)


def test_readers_see_no_count_until_all_are_kept_aside(store: Store, tmp_path: Path) -> None:
    def pausing() -> Iterator[CountSeries]:
        for columns in FILE:
            yield columns
            assert forward_of(tmp_path) == 0

    store.imports.store(pausing())
    assert forward_of(tmp_path) == len(FILE) * DAYS * MINUTES_A_DAY
    assert is_sound(store)


@pytest.mark.usefixtures("small_pieces")
def test_each_transaction_leaves_what_is_derived_in_step_with_the_counts(store: Store) -> None:
    sound = []
    store.imports.store(FILE, lambda _: sound.append(is_sound(store)))
    assert len(sound) > 3
    assert all(sound)


def test_what_a_sensor_adds_meanwhile_comes_before_the_import_or_after_it(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own minutes lose nothing; a minute of the file has the file's people and those that came later."""
    monkeypatch.setattr(series_import, "_MINUTES_TOGETHER", MINUTES_A_DAY)
    minute, own = FIRST + 3 * MINUTES_A_DAY, FIRST + DAYS * MINUTES_A_DAY
    done, posted = threading.Event(), list[int]()
    with closing(open_store(store_url(tmp_path))) as other:

        def post() -> None:
            while not done.is_set():
                counts = [PassageCount("entrance", at, 10, 0) for at in (minute, own)]
                other.metrics.append(counts, WriteMode.ADD)
                posted.append(1)
                time.sleep(0.01)

        sensor = threading.Thread(target=post)
        sensor.start()
        store.imports.store(FILE)
        done.set()
        sensor.join()
    found = dict(minutes_of(store, "entrance"))
    assert found[own] == 10 * len(posted)
    added, rest = divmod(found[minute] - 1, 10)
    assert rest == 0
    assert 0 <= added <= len(posted)
    assert len(posted) > 3
    assert is_sound(store)


def minutes_of(store: Store, passage: str) -> list[tuple[int, int]]:
    with database_of(store).reading() as connection:
        statement = "SELECT minute, forward FROM passage_minutes JOIN passages USING (number) WHERE id = ?"
        return [(minute, people) for minute, people in connection.exec_driver_sql(statement, (passage,))]


def test_absent_minutes_are_filled_without_touching_those_that_are_stored(store: Store) -> None:
    store.metrics.append([PassageCount("entrance", FIRST + 5, 7, 0)], WriteMode.ADD)
    store.imports.store([series("entrance", 0, days=1)._replace(mode=WriteMode.FILL)])
    found = minutes_of(store, "entrance")
    assert len(found) == MINUTES_A_DAY
    assert sum(people for _, people in found) == 7
    assert is_sound(store)


def test_a_second_import_waits_and_is_then_refused(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(series_import, "BUSY_SECONDS", 0.2)
    with closing(open_store(store_url(tmp_path))) as other:

        def meanwhile() -> Iterator[CountSeries]:
            yield series("entrance")
            with pytest.raises(StoreBusyError, match="Another import is being stored"):
                other.imports.store([series("terrace")])
            assert not other.imports.take_up(), "nor is it taken for one that was left"

        store.imports.store(meanwhile())
    assert len(minutes_of(store, "entrance")) == DAYS * MINUTES_A_DAY
    assert not minutes_of(store, "terrace")


@pytest.mark.usefixtures("small_pieces")
def test_a_disk_that_is_full_in_the_middle_leaves_a_file_that_is_ended_once_there_is_room(
    tmp_path: Path,
) -> None:
    with small_disk(tmp_path / "disk") as disk:
        create_small_site(disk.folder / "data")
        folder = disk.folder / "data"
        with closing(open_store(store_url(folder))) as store:

            def filling() -> Iterator[CountSeries]:
                yield from FILE
                disk.fill()

            with pytest.raises(StoreFullError):
                store.imports.store(filling())
            disk.make_room()
            store.imports.take_up()
            assert (forward_of(folder), left_in(folder)) == (0, 0)
            with pytest.raises(ImportUnfinishedError, match="no space left"):
                store.imports.store(FILE, lambda _: disk.fill())
            assert left_in(folder) > 0
            disk.make_room()
            assert store.imports.take_up()
            assert (forward_of(folder), left_in(folder)) == (len(FILE) * DAYS * MINUTES_A_DAY, 0)
            assert is_sound(store)


def test_listeners_hear_of_a_site_once_all_of_it_is_stored(store: Store) -> None:
    heard = list[str]()
    store.metrics.add_listener(heard.extend)
    store.imports.store(FILE)
    assert sorted(heard) == sorted([SITE.id, "elsewhere"])
    end = datetime.fromtimestamp((FIRST + DAYS * MINUTES_A_DAY) * 60, UTC)
    asked = BucketQuery(
        SITE.id,
        [MetricKey.ENTRANCES],
        datetime(2025, 3, 1, tzinfo=UTC),
        end,
        Granularity.DAY,
        ZoneInfo("UTC"),
    )
    days = [bucket.values[MetricKey.ENTRANCES] for bucket in store.metrics.buckets(asked)]
    assert len(days) == DAYS
