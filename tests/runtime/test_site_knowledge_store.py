"""What is known of sites, in a file that several dashboards share."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from keeping import Place
from runtime.site_knowledge_store import (
    FILE_NAME,
    LONGEST_DOCUMENT,
    LONGEST_ID,
    Pictures,
    SiteKnowledgeError,
    SiteKnowledgeStore,
)
from tests.running_service import ROOT
from tests.small_disk import small_disk

HOURS = ("here", "shop", "opening hours")


def test_nothing_is_made_before_something_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "dashboard"
    assert SiteKnowledgeStore(folder).of(*HOURS) == {}
    assert not folder.exists()


def test_what_is_kept_is_read_by_another_process_and_can_be_taken_back(tmp_path: Path) -> None:
    store = SiteKnowledgeStore(tmp_path)
    store.keep(*HOURS, "", "first")
    store.keep(*HOURS, "", "second")
    other = (
        "from pathlib import Path; from runtime.site_knowledge_store import SiteKnowledgeStore;"
        f"print(SiteKnowledgeStore(Path({str(tmp_path)!r})).of(*{HOURS!r}))"
    )
    told = subprocess.run([sys.executable, "-c", other], cwd=ROOT, capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "{'': 'second'}"
    store.forget(*HOURS, "")
    assert store.of(*HOURS) == {}


@pytest.mark.parametrize("other", [("there", *HOURS[1:]), ("here", "stall", HOURS[2]), (*HOURS[:2], "note")])
def test_services_sites_and_kinds_are_told_apart(place: Place, other: tuple[str, str, str]) -> None:
    store = SiteKnowledgeStore(place)
    store.keep(*HOURS, "a", "kept")
    assert store.of(*other) == {}
    store.forget(*other, "a")
    assert store.of(*HOURS) == {"a": "kept"}


def test_what_somebody_else_has_kept_meanwhile_is_not_replaced(place: Place) -> None:
    store, other = SiteKnowledgeStore(place), SiteKnowledgeStore(place)
    assert store.replace(*HOURS, "", "mine", before=None)
    assert not other.replace(*HOURS, "", "theirs", before=None)
    assert not other.replace(*HOURS, "", None, before="older")
    assert store.of(*HOURS) == {"": "mine"}
    assert other.replace(*HOURS, "", "theirs", before="mine", aside="damaged")
    assert store.of(*HOURS) == {"": "theirs"}
    assert list(store.of(*HOURS[:2], "damaged").values()) == ["mine"]
    assert store.replace(*HOURS, "", None, before="theirs")
    assert store.of(*HOURS) == {}


def test_of_several_that_replace_the_same_at_once_one_does(place: Place) -> None:
    def replace(number: int) -> bool:
        return SiteKnowledgeStore(place).replace(*HOURS, "", f"by {number}", before=None)

    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(replace, range(8)))
    assert sum(done) == 1
    assert SiteKnowledgeStore(place).of(*HOURS) == {"": f"by {done.index(True)}"}


ENDED = """
import os, signal
from pathlib import Path
from runtime import site_knowledge_store
from runtime.site_knowledge_store import Pictures, SiteKnowledgeStore

put = site_knowledge_store._put

def put_and_be_killed(connection, own, body):
    put(connection, own, body)
    if own[2] == "picture":
        os.kill(os.getpid(), signal.SIGKILL)

site_knowledge_store._put = put_and_be_killed
SiteKnowledgeStore(Path({folder!r})).replace(
    *{own!r}, "", "second", before="first", pictures=Pictures("picture", {{"b": "new"}}, ["a"])
)
"""
"""Writes a document with a picture, and is killed before all of it is kept."""


def test_who_is_killed_while_a_picture_is_kept_has_changed_nothing(tmp_path: Path) -> None:
    own = (*HOURS[:2], "plan")
    store = SiteKnowledgeStore(tmp_path)
    assert store.replace(*own, "", "first", before=None, pictures=Pictures("picture", {"a": "old"}, []))
    program = ENDED.format(folder=str(tmp_path), own=own)
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL
    assert store.of(*own) == {"": "first"}
    assert store.of(*HOURS[:2], "picture") == {"a": "old"}
    another = Pictures("picture", {"b": "new"}, ["a"])
    assert store.replace(*own, "", "second", before="first", pictures=another)
    assert store.of(*own) == {"": "second"}
    assert store.of(*HOURS[:2], "picture") == {"b": "new"}


def test_who_comes_second_changes_no_picture_either(place: Place) -> None:
    own = (*HOURS[:2], "plan")
    store = SiteKnowledgeStore(place)
    assert store.replace(*own, "", "first", before=None, pictures=Pictures("picture", {"a": "old"}, []))
    late = Pictures("picture", {"b": "late"}, ["a"])
    assert not store.replace(*own, "", "late", before=None, pictures=late)
    assert store.of(*HOURS[:2], "picture") == {"a": "old"}


def test_each_change_of_a_site_has_another_moment_and_none_of_another_site(place: Place) -> None:
    store = SiteKnowledgeStore(place)
    assert store.changed_at("here", "plan") == {}
    for site in ("shop", "stall"):
        store.keep("here", site, "plan", "", "first")
    store.keep("here", "shop", "note", "", "of another kind")
    before = store.changed_at("here", "plan")
    assert set(before) == {"shop", "stall"}
    store.keep("here", "shop", "plan", "", "first")
    after = store.changed_at("here", "plan")
    assert after["shop"] > before["shop"]
    assert after["stall"] == before["stall"]
    store.forget("here", "shop", "plan", "")
    assert set(store.changed_at("here", "plan")) == {"stall"}


@pytest.mark.parametrize(("kept", "read"), [(b"{}", "{}"), (b"\xff{", "\ufffd{")])
def test_bytes_that_somebody_has_put_in_the_place_of_text_are_read_as_text(
    tmp_path: Path, kept: bytes, read: str
) -> None:
    store = SiteKnowledgeStore(tmp_path)
    store.keep(*HOURS, "", "first")
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as file, file:
        assert file.execute("UPDATE documents SET body = ?", (kept,)).rowcount == 1
    assert store.one(*HOURS, "") == read
    assert store.of(*HOURS) == {"": read}
    assert store.of_all(HOURS[0], HOURS[2]) == {HOURS[1]: {"": read}}
    assert store.replace(*HOURS, "", "second", before=read, aside="damaged")
    assert store.one(*HOURS, "") == "second"


def _put(folder: Path, column: str, value: str) -> None:
    """As somebody with an editor does."""
    with closing(sqlite3.connect(folder / FILE_NAME)) as file, file:
        assert file.execute(f"UPDATE documents SET {column} = ?", (value,)).rowcount == 1


def test_an_empty_document_can_be_replaced_by_whoever_takes_it_for_none(tmp_path: Path) -> None:
    store = SiteKnowledgeStore(tmp_path)
    store.keep(*HOURS, "", "first")
    _put(tmp_path, "body", "")
    assert store.replace(*HOURS, "", "second", before=None)
    assert store.one(*HOURS, "") == "second"


@pytest.mark.parametrize(
    "moment", ["soon", "2026-11-27", "9999-12-31T23:59:59+00:00", "0001-01-01T00:00:00+00:00"]
)
def test_a_moment_that_is_none_everywhere_is_not_known(tmp_path: Path, moment: str) -> None:
    store = SiteKnowledgeStore(tmp_path)
    store.keep(*HOURS, "", "first")
    assert store.kept_at(*HOURS, "")
    _put(tmp_path, "updated_at", moment)
    assert store.kept_at(*HOURS, "") is None


def test_file_and_folder_are_private(tmp_path: Path) -> None:
    folder = tmp_path / "dashboard"
    SiteKnowledgeStore(folder).keep(*HOURS, "", "kept")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()} == {FILE_NAME: 0o600}


def test_several_that_keep_at_once_lose_nothing(place: Place) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: SiteKnowledgeStore(place).keep(*HOURS, str(number), "kept"), range(24)))
    assert len(SiteKnowledgeStore(place).of(*HOURS)) == 24


def test_a_file_that_is_none_of_ours_is_named_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("my notes, not yours\n" * 100)
    store = SiteKnowledgeStore(tmp_path)
    for use in (lambda: store.of(*HOURS), lambda: store.keep(*HOURS, "", "kept")):
        with pytest.raises(SiteKnowledgeError, match=f"{FILE_NAME} cannot be used: file is not a database"):
            use()
    assert (tmp_path / FILE_NAME).read_text() == "my notes, not yours\n" * 100


def test_a_file_of_a_newer_dashboard_is_left_as_it_is(tmp_path: Path) -> None:
    store = SiteKnowledgeStore(tmp_path)
    store.keep(*HOURS, "", "kept")
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        connection.execute("PRAGMA user_version = 7")
    for use in (lambda: store.of(*HOURS), lambda: store.forget(*HOURS, "")):
        with pytest.raises(SiteKnowledgeError, match=r"a newer dashboard \(format 7, this one knows 1\)"):
            use()


def test_what_has_no_end_is_refused(place: Place) -> None:
    store = SiteKnowledgeStore(place)
    with pytest.raises(SiteKnowledgeError, match="its id is too long"):
        store.keep("here", "x" * (LONGEST_ID + 1), "note", "a", "kept")
    with pytest.raises(SiteKnowledgeError, match="longer than 200,000 characters; shorten it"):
        store.keep(*HOURS, "", "x" * (LONGEST_DOCUMENT + 1))
    assert store.of(*HOURS) == {}


def test_where_there_is_no_room_for_more_what_is_kept_can_still_be_changed(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runtime.site_knowledge_store.MOST_DOCUMENTS", 1)
    store = SiteKnowledgeStore(place)
    store.keep(*HOURS, "", "first")
    store.keep(*HOURS, "", "second")
    with pytest.raises(SiteKnowledgeError, match="1 things are kept of sites; there is no room for more"):
        store.keep("there", *HOURS[1:], "", "other")
    assert store.of(*HOURS) == {"": "second"}


def test_on_a_full_or_read_only_disk_what_was_kept_stays(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        store = SiteKnowledgeStore(disk.folder)
        store.keep(*HOURS, "", "first")
        disk.fill()
        with pytest.raises(SiteKnowledgeError, match="its disk is full; make room there"):
            store.keep(*HOURS, "", "x" * LONGEST_DOCUMENT)
        assert store.of(*HOURS) == {"": "first"}
        disk.make_room()
        store.keep(*HOURS, "", "second")
        disk.make_read_only()
        with pytest.raises(SiteKnowledgeError, match=r"(?i)read-?only"):
            store.forget(*HOURS, "")
        assert store.of(*HOURS) == {"": "second"}


def test_what_may_not_be_changed_stays_as_it_is(place: Place) -> None:
    SiteKnowledgeStore(place).keep("service", "site", "note", "one", "kept")
    refusing = SiteKnowledgeStore(place, lambda site_id: f"Not you, of {site_id}.")
    with pytest.raises(SiteKnowledgeError, match=r"Not you, of site\."):
        refusing.keep("service", "site", "note", "one", "another")
    with pytest.raises(SiteKnowledgeError, match="Not you"):
        refusing.replace("service", "site", "note", "one", None, before="kept")
    with pytest.raises(SiteKnowledgeError, match="Not you"):
        refusing.forget("service", "site", "note", "one")
    assert refusing.one("service", "site", "note", "one") == "kept"
