"""Files that are gone, damaged, private to others or on a full disk: each time a real file."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import structlog
from sqlalchemy import Connection

from contract import Granularity, MetricKey
from service.open_store import open_store, store_url
from service.store.errors import (
    StoreAccessError,
    StoreBusyError,
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreMissingError,
    StoreVersionError,
)
from service.store.protocol import BucketQuery, PassageCount, Store, WriteMode
from service.store.sqlite.store_file import FILE_NAME
from tests.crowded_site import ORGANIZATION, crowded_site
from tests.database_of import database_of
from tests.small_disk import SmallDisk, small_disk

NOON = datetime(2025, 6, 2, 10, tzinfo=UTC)
MINUTE = int(NOON.timestamp()) // 60


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "disk") as mounted:
        yield mounted


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = open_store(store_url(tmp_path / "data"))
    store.catalogue.save(ORGANIZATION, [crowded_site("Europe/Zurich")])
    yield store
    store.close()


def append(store: Store, minutes: int = 1, first: int = MINUTE) -> None:
    store.metrics.append([PassageCount("north", first + m, 1, 0) for m in range(minutes)], WriteMode.ADD)


def entrances(store: Store) -> int | float:
    query = BucketQuery(
        site_id="crowded",
        metrics=(MetricKey.ENTRANCES,),
        start=NOON,
        end=NOON + timedelta(days=9),
        granularity=Granularity.MONTH,
        timezone=ZoneInfo("Etc/UTC"),
    )
    return sum(bucket.values[MetricKey.ENTRANCES] for bucket in store.metrics.buckets(query))


def test_every_error_descends_from_the_base() -> None:
    tree = {
        *(StoreBusyError, StoreVersionError, StoreFullError),
        *(StoreDamagedError, StoreMissingError, StoreAccessError),
    }
    assert all(issubclass(error, StoreError) for error in tree)


def test_store_whose_folder_is_removed_takes_no_more_writes(tmp_path: Path, store: Store) -> None:
    append(store)
    shutil.rmtree(tmp_path / "data")
    with pytest.raises(StoreMissingError, match=r"no longer the file that was opened"):
        append(store)
    with pytest.raises(StoreMissingError):
        store.catalogue.organizations()
    assert isinstance(store.trouble(), StoreMissingError)
    assert not (tmp_path / "data").exists(), "nothing puts an empty file where one was removed"


def test_store_whose_file_is_replaced_takes_no_more_writes(tmp_path: Path, store: Store) -> None:
    file = tmp_path / "data" / FILE_NAME
    shutil.copy(file, tmp_path / "other")
    (tmp_path / "other").rename(file)
    with pytest.raises(StoreMissingError):
        append(store)


def test_file_removed_during_a_write_makes_that_write_fail(tmp_path: Path, store: Store) -> None:
    def counts() -> Iterator[PassageCount]:
        yield PassageCount("north", MINUTE, 1, 0)
        shutil.rmtree(tmp_path / "data")

    with pytest.raises(StoreMissingError):
        store.metrics.append(counts(), WriteMode.ADD)


def test_counts_that_were_stored_are_acknowledged_though_they_cannot_be_read_back(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: object) -> None:
        raise StoreAccessError("disk I/O error")

    with monkeypatch.context() as broken:
        broken.setattr(store.metrics, "_refresh", fails)
        append(store)
    assert store.metrics.newest("crowded", metrics=[MetricKey.ENTRANCES]) is None
    assert store.metrics.poll_changes()
    assert store.metrics.newest("crowded", metrics=[MetricKey.ENTRANCES]) is not None
    assert entrances(store) == 1


def test_folder_that_comes_back_is_written_again(tmp_path: Path, store: Store) -> None:
    (tmp_path / "data").rename(tmp_path / "elsewhere")
    with pytest.raises(StoreMissingError):
        append(store)
    (tmp_path / "elsewhere").rename(tmp_path / "data")
    append(store)
    assert store.trouble() is None
    assert entrances(store) == 1


def test_full_disk_stores_nothing_and_goes_on_when_there_is_room(disk: SmallDisk) -> None:
    store = open_store(store_url(disk.folder / "data"))
    store.catalogue.save(ORGANIZATION, [crowded_site("Europe/Zurich")])
    append(store)
    disk.fill()
    with structlog.testing.capture_logs() as log:
        for _ in range(3):
            with pytest.raises(StoreFullError, match=r"no space left"):
                append(store, 5_000)
        assert isinstance(store.trouble(), StoreFullError)
        assert entrances(store) == 1
        disk.make_room()
        append(store, 5_000)
    assert store.trouble() is None
    assert entrances(store) == 5_001
    of_stores = [line["event"] for line in log if line["event"].startswith("store")]  # not of other threads
    assert of_stores == ["store cannot be written", "store can be written again"]
    store.close()


def test_write_that_still_fits_on_a_full_disk_is_not_logged_as_its_end(disk: SmallDisk) -> None:
    store = open_store(store_url(disk.folder / "data"))
    store.catalogue.save(ORGANIZATION, [crowded_site("Europe/Zurich")])
    disk.fill()
    with structlog.testing.capture_logs() as log:
        for _ in range(3):
            with pytest.raises(StoreFullError):
                append(store, 5_000)
            append(store, 0)
            assert isinstance(store.trouble(), StoreFullError)
        disk.make_room()
        append(store)
    assert store.trouble() is None
    of_stores = [line["event"] for line in log if line["event"].startswith("store")]  # not of other threads
    assert of_stores == ["store cannot be written", "store can be written again"]
    store.close()


def fill_after_a_rollback(connection: Connection) -> None:
    """As SQLite may do when a write fails: what the end of the block undoes is no transaction any more."""
    (pages,) = connection.exec_driver_sql("PRAGMA page_count").one()
    connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    connection.exec_driver_sql("ROLLBACK")
    connection.exec_driver_sql("INSERT INTO organizations VALUES ('large', hex(zeroblob(10000000)))")


def test_full_disk_is_called_so_also_where_the_transaction_was_undone_by_itself(store: Store) -> None:
    with pytest.raises(StoreFullError), database_of(store).writing() as connection:
        fill_after_a_rollback(connection)
    assert store.catalogue.organizations() == [ORGANIZATION]


def test_full_disk_at_the_first_start_is_named(disk: SmallDisk) -> None:
    disk.fill()
    with pytest.raises(StoreFullError):
        open_store(store_url(disk.folder / "data"))
    disk.make_room()
    open_store(store_url(disk.folder / "data")).close()


def test_truncated_file_is_named_as_damaged(tmp_path: Path, store: Store) -> None:
    append(store, 5_000)
    store.close()
    file = tmp_path / "data" / FILE_NAME
    with file.open("r+b") as opened:
        opened.truncate(file.stat().st_size // 2)
    with pytest.raises(StoreDamagedError, match=r"Restore a backup") as refused:
        open_store(store_url(tmp_path / "data"))
    assert str(file) in str(refused.value)


def test_file_of_another_program_is_named_as_damaged(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        connection.execute("CREATE TABLE recipes (name)")
        connection.execute("PRAGMA user_version = 1")
    with pytest.raises(StoreDamagedError, match=r"has no table"):
        open_store(store_url(tmp_path))


def test_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreAccessError, match=r"^Cannot keep data in .*/file: File exists\."):
        open_store(store_url(tmp_path / "file"))
    with pytest.raises(StoreAccessError, match=r"Not a directory"):
        open_store(store_url(tmp_path / "file" / "data"))


def test_folder_that_nobody_can_write_is_named() -> None:
    with pytest.raises(StoreAccessError, match=r"^Cannot keep data in /proc/1/data: "):
        open_store(store_url(Path("/proc/1/data")))


def test_store_of_a_failed_opening_keeps_no_lock(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("Dear diary, today nobody came into the shop. " * 99)
    with pytest.raises(StoreDamagedError):
        open_store(store_url(tmp_path))
    (tmp_path / FILE_NAME).unlink()
    open_store(store_url(tmp_path)).close()
