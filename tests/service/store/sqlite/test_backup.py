"""Copies made while another process writes, and their return, also after that process was killed."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from service.open_store import open_store, store_url
from service.store.errors import BackupError, StoreBusyError, StoreFullError
from service.store.protocol import PassageCount, WriteMode
from service.store.schema import VERSION
from service.store.sqlite.backup import back_up, restore
from service.store.sqlite.store_file import FILE_NAME
from tests.crowded_site import ORGANIZATION, crowded_site
from tests.running_service import ROOT
from tests.small_disk import small_disk

MINUTE = int(datetime(2025, 6, 2, 10, tzinfo=UTC).timestamp()) // 60

APPEND_20_TIMES_A_SECOND = """
    import sys, time
    from pathlib import Path
    from service.open_store import open_store, store_url
    from service.store.protocol import *
    store = open_store(store_url(Path(sys.argv[1])))
    for number in range(100_000):
        store.metrics.append([PassageCount("north", int(sys.argv[2]) + number % 500, 1, 0)], WriteMode.ADD)
        print(number + 1, flush=True)
        time.sleep(0.05)
"""


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    store = open_store(store_url(folder))
    store.catalogue.save(ORGANIZATION, [crowded_site("Europe/Zurich")])
    store.close()
    return folder


def append(data_dir: Path, people: int) -> None:
    store = open_store(store_url(data_dir))
    store.metrics.append([PassageCount("north", MINUTE, people, 0)], WriteMode.ADD)
    store.close()


def counted(file: Path) -> int:
    """People in a file, read past all of our own code."""
    with closing(sqlite3.connect(file)) as connection:
        (people,) = connection.execute("SELECT COALESCE(SUM(forward), 0) FROM passage_minutes").fetchone()
    return int(people)


@contextmanager
def writer(data_dir: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that stores one person 20 times a second, and says so after each."""
    program = [sys.executable, "-c", textwrap.dedent(APPEND_20_TIMES_A_SECOND), str(data_dir), str(MINUTE)]
    with subprocess.Popen(program, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def acknowledged(process: subprocess.Popen[str], least: int) -> int:
    assert process.stdout is not None
    return next(number for number in map(int, process.stdout) if number >= least)


def test_backup_under_load_is_whole_and_holds_all_that_was_acknowledged_before(
    tmp_path: Path, data_dir: Path
) -> None:
    with writer(data_dir) as process:
        before = acknowledged(process, 20)
        for number in range(3):
            file = tmp_path / f"{number}.sqlite"
            size = back_up(store_url(data_dir), file)
            assert file.stat().st_size == size
            assert file.stat().st_mode & 0o777 == 0o600
            assert counted(file) >= before
            with closing(sqlite3.connect(file)) as connection:
                assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
                assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
            before = acknowledged(process, before + 5)
        assert process.poll() is None
    assert sorted(file.name for file in tmp_path.iterdir()) == ["0.sqlite", "1.sqlite", "2.sqlite", "data"]


def test_restore_after_a_kill_brings_the_backup_and_not_the_log_of_the_killed(
    tmp_path: Path, data_dir: Path
) -> None:
    append(data_dir, 7)
    back_up(store_url(data_dir), tmp_path / "backup")
    with writer(data_dir) as process:
        written = acknowledged(process, 10)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert (data_dir / f"{FILE_NAME}-wal").stat().st_size > 0
    kept = restore(store_url(data_dir), tmp_path / "backup")
    assert counted(data_dir / FILE_NAME) == 7
    assert (data_dir / FILE_NAME).stat().st_mode & 0o777 == 0o600
    assert kept is not None
    assert counted(kept) >= 7 + written, "what was replaced is kept whole"
    append(data_dir, 1)
    assert counted(data_dir / FILE_NAME) == 8


def test_restore_over_a_damaged_store_keeps_its_log_beside_it(tmp_path: Path, data_dir: Path) -> None:
    append(data_dir, 7)
    back_up(store_url(data_dir), tmp_path / "backup")
    (data_dir / FILE_NAME).write_bytes(b"no database " * 999)
    (data_dir / f"{FILE_NAME}-wal").write_bytes(b"its log")
    kept = restore(store_url(data_dir), tmp_path / "backup")
    assert kept is not None
    assert kept.read_bytes().startswith(b"no database")
    assert kept.with_name(f"{kept.name}-wal").read_bytes() == b"its log"
    assert counted(data_dir / FILE_NAME) == 7


def test_restore_into_an_empty_folder(tmp_path: Path, data_dir: Path) -> None:
    append(data_dir, 7)
    back_up(store_url(data_dir), tmp_path / "backup")
    assert restore(store_url(tmp_path / "new"), tmp_path / "backup") is None
    assert counted(tmp_path / "new" / FILE_NAME) == 7
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700


def test_restore_takes_a_store_with_its_log_from_elsewhere(tmp_path: Path, data_dir: Path) -> None:
    store = open_store(store_url(data_dir))
    store.metrics.append([PassageCount("north", MINUTE, 7, 0)], WriteMode.ADD)
    shutil.copytree(data_dir, tmp_path / "copy")
    store.close()
    restore(store_url(tmp_path / "new"), tmp_path / "copy" / FILE_NAME)
    assert counted(tmp_path / "new" / FILE_NAME) == 7


def test_restore_is_refused_while_anybody_has_the_store_open(tmp_path: Path, data_dir: Path) -> None:
    append(data_dir, 7)
    back_up(store_url(data_dir), tmp_path / "backup")
    with writer(data_dir) as process:
        acknowledged(process, 1)
        with pytest.raises(StoreBusyError, match=r"end it first"):
            restore(store_url(data_dir), tmp_path / "backup")
        acknowledged(process, 3)


def test_backup_replaces_a_file_only_when_told(tmp_path: Path, data_dir: Path) -> None:
    file = tmp_path / "backup"
    file.write_text("precious")
    with pytest.raises(BackupError, match=r"--replace"):
        back_up(store_url(data_dir), file)
    assert file.read_text() == "precious"
    back_up(store_url(data_dir), file, replace=True)
    assert counted(file) == 0
    with pytest.raises(BackupError, match=r"the store itself"):
        back_up(store_url(data_dir), data_dir / FILE_NAME, replace=True)


def test_backup_of_nothing_or_to_nowhere_is_refused(tmp_path: Path, data_dir: Path) -> None:
    with pytest.raises(BackupError, match=r"There is no store in"):
        back_up(store_url(tmp_path / "nothing"), tmp_path / "backup")
    assert not (tmp_path / "nothing").exists()
    with pytest.raises(BackupError, match=r"cannot be written: No such file or directory"):
        back_up(store_url(data_dir), tmp_path / "nowhere" / "backup")


def test_backup_to_a_full_disk_leaves_nothing_behind(tmp_path: Path, data_dir: Path) -> None:
    with small_disk(tmp_path / "stick", 1) as stick:
        stick.fill()
        with pytest.raises(BackupError, match=r"stick/backup: database or disk is full"):
            back_up(store_url(data_dir), stick.folder / "backup")
        assert [file.name for file in stick.folder.iterdir()] == ["ballast"]


def test_backup_from_a_full_disk_to_another_is_whole(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        folder = disk.folder / "data"
        store = open_store(store_url(folder))
        store.catalogue.save(ORGANIZATION, [crowded_site("Europe/Zurich")])
        store.close()
        append(folder, 7)
        disk.fill()
        back_up(store_url(folder), tmp_path / "backup")
        assert counted(tmp_path / "backup") == 7
        disk.make_room()
        append(folder, 1)
        assert counted(folder / FILE_NAME) == 8


def test_backup_from_a_full_disk_that_cannot_be_made_names_the_disk(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        folder = disk.folder / "data"
        store = open_store(store_url(folder))
        store.catalogue.save(ORGANIZATION, [crowded_site("Europe/Zurich")])
        store.metrics.append([PassageCount("north", MINUTE, 7, 0)], WriteMode.ADD)
        # As after kill -9: a log that is not in the file yet, and no index of it.
        shutil.copytree(folder, disk.folder / "killed")
        store.close()
        killed = disk.folder / "killed"
        (killed / f"{FILE_NAME}-shm").unlink()
        assert (killed / f"{FILE_NAME}-wal").stat().st_size
        disk.fill()
        with pytest.raises(StoreFullError, match="no space left on the disk of"):
            back_up(store_url(killed), tmp_path / "backup")
        assert not (tmp_path / "backup").exists()
        disk.make_room()
        back_up(store_url(killed), tmp_path / "backup")
        assert counted(tmp_path / "backup") == 7


@pytest.mark.parametrize("name", ["", "/dev/null"])
def test_restore_of_what_is_not_a_file_is_refused(tmp_path: Path, data_dir: Path, name: str) -> None:
    with pytest.raises(BackupError, match=r"is not a file: name one that `backup` wrote"):
        restore(store_url(data_dir), tmp_path / name)


def test_restore_refuses_what_is_no_backup_and_changes_nothing(tmp_path: Path, data_dir: Path) -> None:
    append(data_dir, 7)
    (tmp_path / "diary").write_text("Dear diary, today nobody came into the shop. " * 99)
    (tmp_path / "empty").touch()
    later, torn = tmp_path / "later", tmp_path / "torn"
    back_up(store_url(data_dir), later)
    with closing(sqlite3.connect(later)) as connection:
        connection.execute("PRAGMA user_version = 99")
    back_up(store_url(data_dir), torn)
    torn.write_bytes(torn.read_bytes()[: torn.stat().st_size // 2])
    for name, said in (
        ("diary", "file is not a database"),
        ("empty", "no backup of this service"),
        ("later", "format 99"),
        ("torn", "malformed"),
        ("missing", "There is no file"),
    ):
        with pytest.raises(BackupError, match=said):
            restore(store_url(data_dir), tmp_path / name)
    assert counted(data_dir / FILE_NAME) == 7
    assert not [file for file in data_dir.iterdir() if "replaced" in file.name or "partial" in file.name]


def test_store_that_is_no_file_is_neither_copied_nor_replaced_by_a_copy(tmp_path: Path) -> None:
    url = "postgresql://user:secret@host/headroom"
    for attempt in (back_up, restore):
        with pytest.raises(BackupError, match=r"^Only a store in a file .* kind 'postgresql'") as refused:
            attempt(url, tmp_path / "backup")
        assert "secret" not in str(refused.value)
    assert list(tmp_path.iterdir()) == []
