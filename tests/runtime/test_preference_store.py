"""Thresholds by site and the site that opens first, in a file that several dashboards share."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gauge.levels import Thresholds
from keeping import Place
from runtime.preference_store import (
    FILE_NAME,
    LONGEST_ID,
    Preferences,
    PreferenceStore,
    PreferenceStoreError,
)
from tests.running_service import ROOT
from tests.small_disk import small_disk

NONE = Preferences({}, None)
BUSY = Thresholds(filling=50, full=85)


def test_nothing_is_made_before_something_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "dashboard"
    assert PreferenceStore(folder).of("here") == NONE
    assert not folder.exists()


def test_what_is_kept_is_read_by_another_process_and_can_be_taken_back(tmp_path: Path) -> None:
    store = PreferenceStore(tmp_path / "dashboard")
    assert store.keep_thresholds("here", "shop", Thresholds())
    assert store.keep_thresholds("here", "shop", BUSY, Thresholds())
    store.open_first("here", "shop")
    other = (
        "from pathlib import Path; from runtime.preference_store import PreferenceStore;"
        f"print(PreferenceStore(Path({str(tmp_path / 'dashboard')!r})).of('here'))"
    )
    told = subprocess.run([sys.executable, "-c", other], cwd=ROOT, capture_output=True, text=True, check=True)
    assert told.stdout.strip() == str(Preferences({"shop": BUSY}, "shop"))
    assert store.keep_thresholds("here", "shop", None, BUSY)
    store.open_first("here", None)
    assert store.of("here") == NONE


def test_thresholds_that_others_have_kept_meanwhile_are_not_overwritten(place: Place) -> None:
    mine, theirs = PreferenceStore(place), PreferenceStore(place)
    assert mine.keep_thresholds("here", "shop", Thresholds())
    before = datetime.now(UTC)
    assert theirs.keep_thresholds("here", "shop", BUSY, Thresholds())
    for wanted in (Thresholds(filling=10, full=20), None):
        assert not mine.keep_thresholds("here", "shop", wanted, Thresholds())
        assert not mine.keep_thresholds("here", "shop", wanted, None)
    assert mine.of("here").thresholds == {"shop": BUSY}
    kept_at = mine.thresholds_kept_at("here", "shop")
    assert kept_at
    assert before <= kept_at <= datetime.now(UTC)
    assert mine.thresholds_kept_at("here", "stall") is None


def test_what_was_read_last_is_known_while_it_cannot_be_read(place: Place) -> None:
    store = PreferenceStore(place)
    store.keep_thresholds("here", "shop", BUSY)
    assert store.last("here") is None
    found = store.of("here")
    assert store.last("here") == found
    assert store.last("there") is None


def test_services_are_told_apart(place: Place) -> None:
    store = PreferenceStore(place)
    store.keep_thresholds("here", "shop", BUSY)
    store.open_first("here", "shop")
    assert store.of("there") == NONE


def test_file_and_folder_are_private(tmp_path: Path) -> None:
    folder = tmp_path / "dashboard"
    PreferenceStore(folder).keep_thresholds("here", "shop", BUSY)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()} == {FILE_NAME: 0o600}


def test_several_that_keep_at_once_lose_nothing(place: Place) -> None:
    def keep(number: int) -> None:
        PreferenceStore(place).keep_thresholds("here", f"shop-{number}", BUSY)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(keep, range(24)))
    assert len(PreferenceStore(place).of("here").thresholds) == 24


def test_a_file_that_is_none_of_ours_is_named_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("my notes, not yours\n" * 100)
    store = PreferenceStore(tmp_path)
    with pytest.raises(PreferenceStoreError, match=f"{FILE_NAME} cannot be used: file is not a database"):
        store.of("here")
    with pytest.raises(PreferenceStoreError, match="cannot be used"):
        store.keep_thresholds("here", "shop", BUSY)
    assert (tmp_path / FILE_NAME).read_text() == "my notes, not yours\n" * 100


def test_a_file_of_a_newer_dashboard_is_left_as_it_is(tmp_path: Path) -> None:
    store = PreferenceStore(tmp_path)
    store.keep_thresholds("here", "shop", BUSY)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        connection.execute("PRAGMA user_version = 7")
    for use in (lambda: store.of("here"), lambda: store.keep_thresholds("here", "shop", None, BUSY)):
        with pytest.raises(PreferenceStoreError, match=r"a newer dashboard \(format 7, this one knows 1\)"):
            use()


def test_one_damaged_row_costs_no_other(tmp_path: Path) -> None:
    store = PreferenceStore(tmp_path)
    store.keep_thresholds("here", "shop", BUSY)
    store.keep_thresholds("here", "stall", BUSY)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection, connection:
        connection.execute("UPDATE thresholds SET filling = 'many' WHERE site_id = 'stall'")
    assert store.of("here").thresholds == {"shop": BUSY}


def test_an_id_without_end_is_refused(place: Place) -> None:
    with pytest.raises(PreferenceStoreError, match="its id is too long"):
        PreferenceStore(place).keep_thresholds("here", "x" * (LONGEST_ID + 1), BUSY)


def test_where_there_is_no_room_for_more_sites_a_kept_one_can_still_be_changed(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runtime.preference_store.MOST_SITES", 2)
    store = PreferenceStore(place)
    for site in ("shop", "stall"):
        store.keep_thresholds("here", site, Thresholds())
    store.keep_thresholds("here", "shop", BUSY, Thresholds())
    for service, site in (("here", "kiosk"), ("there", "shop")):
        with pytest.raises(PreferenceStoreError, match="Thresholds of 2 sites are kept; there is no room"):
            store.keep_thresholds(service, site, BUSY)
    assert store.of("here").thresholds == {"shop": BUSY, "stall": Thresholds()}
    assert store.of("there") == NONE


def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    store = PreferenceStore(tmp_path / "file" / "dashboard")
    assert store.of("here") == NONE
    with pytest.raises(PreferenceStoreError, match="cannot be used"):
        store.keep_thresholds("here", "shop", BUSY)


def test_a_full_and_a_read_only_disk_refuse_what_is_new_and_still_tell_what_is_kept(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        store = PreferenceStore(disk.folder)
        store.keep_thresholds("here", "shop", BUSY)
        disk.fill()
        with pytest.raises(PreferenceStoreError, match="its disk is full; make room there"):
            store.open_first("here", "shop")
        assert store.of("here").thresholds == {"shop": BUSY}
        disk.make_room()
        store.open_first("here", "shop")
        disk.make_read_only()
        with pytest.raises(PreferenceStoreError, match=r"(?i)read-?only"):
            store.keep_thresholds("here", "shop", None, BUSY)
        assert store.of("here") == Preferences({"shop": BUSY}, "shop")
