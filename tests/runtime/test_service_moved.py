"""What is kept of a service's sites, taken along to the service's new address."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from analysis.notes import Note
from gauge.levels import Thresholds
from keeping import Place, SharedDatabase
from runtime.preference_store import PreferenceStore
from runtime.service_moved import main
from runtime.site_knowledge import keep_note, read_notes
from runtime.site_knowledge_store import SiteKnowledgeStore
from runtime.upstream import EMBEDDED, digest_of_service
from tests.kept_places import KINDS
from tests.running_postgresql import postgresql_url

BEFORE, AFTER = "http://127.0.0.1:8502", "http://127.0.0.1:8500"
OURS, OTHERS = Thresholds(filling=50, full=80), Thresholds(filling=60, full=90)


@pytest.fixture(params=KINDS)
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """Where the dashboard keeps it, by its settings."""
    monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path))
    if request.param == "folder":
        yield tmp_path
        return
    url = postgresql_url(tmp_path)
    monkeypatch.setenv("HEADROOM_DASHBOARD_STORE", url)
    monkeypatch.setenv("HEADROOM_SECRET", "of this test alone, and of nobody else")
    with closing(SharedDatabase(url)) as database:
        yield database


def keep(place: Place, address: str, thresholds: Thresholds = OURS) -> None:
    service = digest_of_service(address)
    PreferenceStore(place).keep_thresholds(service, "shop", thresholds)
    PreferenceStore(place).open_first(service, "shop")
    SiteKnowledgeStore(place).keep(service, "shop", "opening hours", "", "from nine to five")


def kept(place: Place, address: str) -> tuple[object, ...]:
    service = digest_of_service(address)
    preferences = PreferenceStore(place).of(service)
    known = SiteKnowledgeStore(place).of(service, "shop", "opening hours")
    return preferences.thresholds, preferences.first_site, known


NOTHING: tuple[object, ...] = ({}, None, {})


@pytest.mark.parametrize("before", [BEFORE, f"{BEFORE}/", EMBEDDED])
def test_all_that_was_kept_of_the_old_address_is_kept_of_the_new_one(place: Place, before: str) -> None:
    keep(place, before)
    keep(place, "http://another.example")
    told = kept(place, before)
    assert main([before, f"{AFTER}/"]) == 0
    assert kept(place, AFTER) == told
    assert kept(place, before) == NOTHING
    assert kept(place, "http://another.example") == told


def test_what_the_new_address_has_by_now_is_not_replaced(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(place, BEFORE)
    PreferenceStore(place).keep_thresholds(digest_of_service(AFTER), "shop", OTHERS)
    assert main([BEFORE, AFTER]) == 0
    assert "1 moved; 1 stay with the old address" in capsys.readouterr().out
    assert kept(place, AFTER) == ({"shop": OTHERS}, "shop", {"": "from nine to five"})
    assert kept(place, BEFORE) == ({"shop": OURS}, None, {})


def test_an_address_of_which_nothing_is_kept_is_told_without_being_repeated(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["http://me:told-to-nobody@127.0.0.1:8502", AFTER]) == 1
    said = capsys.readouterr()
    assert "Nothing is kept of the first address" in said.err
    assert "told-to-nobody" not in said.out + said.err


@pytest.mark.usefixtures("kept_here")
def test_pages_find_their_notes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    note = Note(at=datetime(2026, 11, 20, 9, tzinfo=UTC), text="sale begins")
    monkeypatch.setenv("HEADROOM_BASE_URL", BEFORE)
    keep_note("shop", note)
    monkeypatch.setenv("HEADROOM_BASE_URL", AFTER)
    assert read_notes("shop") == {}
    assert main([BEFORE, AFTER]) == 0
    assert list(read_notes("shop").values()) == [note]


@pytest.mark.parametrize("asked", [[], ["one"], ["--help"], ["a", "b", "c"]])
def test_how_it_is_used_is_told(asked: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(asked) == 2
    assert "usage" in capsys.readouterr().err
