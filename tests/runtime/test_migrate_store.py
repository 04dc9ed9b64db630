"""What a dashboard keeps, moved from its folder into a database that several share, and back."""

from __future__ import annotations

import socket
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from gauge.levels import Thresholds
from keeping import Place, SharedDatabase
from runtime import ended_sessions, likeness, preference_store, site_knowledge_store
from runtime.ended_sessions import EndedSessions
from runtime.migrate_store import main
from runtime.preference_store import PreferenceStore
from runtime.site_knowledge_store import Pictures, SiteKnowledgeStore
from screens import Composition, ScreenStore, View, ViewKind, shared_viewers, store_file
from service.store.schema import METADATA
from tests.running_dashboard import start_dashboard
from tests.running_postgresql import postgresql_url
from tests.running_service import free_port

VIEW = View(kind=ViewKind.NUMBER, site_id="shop")


def fill(place: Place) -> str:
    """The token of a screen's link."""
    screens = ScreenStore(place)
    made = [screens.create(Composition(name=f"Door {number}", views=(VIEW,))) for number in range(50)]
    screens.note_opened({made[0].id})
    screens.revoke(made[1].id)
    screens.close()
    PreferenceStore(place).keep_thresholds("service", "shop", Thresholds(filling=50, full=80))
    PreferenceStore(place).open_first("service", "shop")
    known = SiteKnowledgeStore(place)
    known.keep("service", "shop", "note", "a", "Räumung\n“now”")
    pictures = Pictures("picture", {"b": "x" * 4_000_000}, ())
    known.replace("service", "shop", "plan", "", "its plan", before=None, pictures=pictures)
    EndedSessions(place).tell({"digest": 4e9})
    return made[0].token


def all_of(place: Place) -> list[object]:
    screens, known = ScreenStore(place), SiteKnowledgeStore(place)
    found: list[object] = [
        screens.screens(),
        screens.revisions(),
        screens.opened(),
        PreferenceStore(place).of("service"),
        known.of("service", "shop", "note"),
        known.of("service", "shop", "picture"),
        known.kept_at("service", "shop", "note", "a"),
        EndedSessions(place).all(),
    ]
    screens.close()
    return found


def test_all_that_is_kept_is_there_afterwards_and_a_link_opens_its_screen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    token = fill(tmp_path / "old")
    before = all_of(tmp_path / "old")
    url, back = postgresql_url(tmp_path), tmp_path / "back"
    assert main([str(tmp_path / "old"), url]) == 0
    assert "50 of screens." in capsys.readouterr().out
    with closing(SharedDatabase(url)) as database:
        assert all_of(database) == before
        assert ScreenStore(database).by_token(token)
    assert main([str(tmp_path / "old"), url]) == 0  # as after one that was ended in between
    assert main([url, str(back)]) == 0
    assert all_of(back) == before


def test_what_is_there_already_is_not_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = postgresql_url(tmp_path)
    fill(tmp_path / "old")
    with closing(SharedDatabase(url)) as database:
        ScreenStore(database).create(Composition(name="Other", views=(VIEW,)))
        before = ScreenStore(database).revisions()
        assert main([str(tmp_path / "old"), url]) == 1
        assert "other rows already" in capsys.readouterr().err
        assert ScreenStore(database).revisions() == before


def test_from_a_folder_that_a_dashboard_uses_nothing_is_moved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(tmp_path / "old")
    url = postgresql_url(tmp_path)
    no_service = {"HEADROOM_BASE_URL": f"http://127.0.0.1:{free_port()}", "HEADROOM_API_KEY": "none"}
    dashboard = start_dashboard(tmp_path / "old", environment=no_service)
    try:
        assert main([str(tmp_path / "old"), url]) == 1
        assert f"A dashboard uses {tmp_path / 'old'}: end it first" in capsys.readouterr().err
        with closing(SharedDatabase(url)) as database:
            assert PreferenceStore(database).of("service").first_site is None
    finally:
        dashboard.kill()
    assert main([str(tmp_path / "old"), url]) == 0


@pytest.mark.parametrize("is_source", [True, False])
def test_with_a_database_that_dashboards_use_nothing_is_moved_until_they_have_ended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], *, is_source: bool
) -> None:
    url, folder = postgresql_url(tmp_path), tmp_path / "folder"
    folder.mkdir()
    asked = [url, str(folder)] if is_source else [str(folder), url]
    with closing(SharedDatabase(url)) as database:
        running = likeness.Likeness(database, dict)
        running.compare()
        assert main(asked) == 1
        said = capsys.readouterr().err
        assert "end them first, then do this again" in said
        assert socket.gethostname() in said
        running.withdraw()
        assert main(asked) == 0


def test_a_damaged_row_costs_no_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = tmp_path / "old"
    for site in ("shop", "stall"):
        PreferenceStore(old).keep_thresholds("service", site, Thresholds(filling=50, full=80))
    with closing(sqlite3.connect(old / "preferences.sqlite")) as connection, connection:
        connection.execute("UPDATE thresholds SET filling = 'many' WHERE site_id = 'stall'")
    url = postgresql_url(tmp_path)
    assert main([str(old), url]) == 0
    told = capsys.readouterr().out
    assert "1 of thresholds, and 1 left out that are damaged." in told
    with closing(SharedDatabase(url)) as database:
        assert list(PreferenceStore(database).of("service").thresholds) == ["shop"]


@pytest.mark.parametrize("asked", [[], ["one"], ["--help"], ["a", "b", "c"]])
def test_how_it_is_used_is_told(asked: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(asked) == 2
    assert "usage" in capsys.readouterr().err


def test_a_place_that_is_none_is_told_without_a_password(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for asked in ([str(tmp_path), "mysql://me:told-to-nobody@h/x"], [str(tmp_path / "none"), str(tmp_path)]):
        assert main(asked) == 1
        assert "told-to-nobody" not in capsys.readouterr().err


def test_the_service_may_keep_its_tables_in_the_same_database() -> None:
    own = [preference_store, site_knowledge_store, ended_sessions, likeness, shared_viewers, store_file]
    ours = [name for module in own for name in module.TABLES.tables]
    assert len(ours) == len(set(ours)) == 9
    assert not {*ours, "kept_formats"} & {*METADATA.tables}
