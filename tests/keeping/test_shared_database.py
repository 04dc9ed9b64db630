"""A database that dashboards share, on a real server: away, frozen, of another version."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from keeping import SharedDatabase, told_fault
from keeping.reach import is_away
from runtime.preference_store import PreferenceStore, PreferenceStoreError
from runtime.site_knowledge_store import SiteKnowledgeError, SiteKnowledgeStore
from screens import Composition, ScreenStore, ScreenStoreError, View, ViewKind
from tests.running_postgresql import postgresql_url, running_postgresql
from tests.running_service import free_port

COMPOSITION = Composition(name="Door", views=(View(kind=ViewKind.NUMBER, site_id="shop"),))


@pytest.fixture
def database(tmp_path: Path) -> Iterator[SharedDatabase]:
    with closing(SharedDatabase(postgresql_url(tmp_path), patience=1.0)) as opened:
        yield opened


def again(database: SharedDatabase, store: ScreenStore) -> int:
    """How many screens there are, once the database is back."""
    waiting = threading.Event()
    for _ in range(100):
        with suppress(ScreenStoreError):
            return len(store.revisions())
        waiting.wait(0.1)
    pytest.fail(f"it does not come back: {database.reached.reason}")


def test_a_database_that_was_frozen_or_has_begun_anew_is_used_again(database: SharedDatabase) -> None:
    store = ScreenStore(database)
    store.create(COMPOSITION)
    server = running_postgresql()
    with (
        server.frozen(),
        pytest.raises(ScreenStoreError, match="gives no answer"),
    ):
        store.screens()
    assert database.reached.away_since
    assert again(database, store) == 1
    server.stop()
    server.start()
    assert again(database, store) == 1
    assert database.reached.away_since is None


def test_who_changes_something_while_it_is_away_is_told_that_nothing_was_changed() -> None:
    with closing(SharedDatabase(f"postgresql://headroom@127.0.0.1:{free_port()}/headroom")) as database:
        for _ in ("it is found out", "it is known"):
            with pytest.raises(ScreenStoreError, match="so that nothing was changed; do it again"):
                ScreenStore(database).create(COMPOSITION)
        knowledge = SiteKnowledgeStore(database)
        with pytest.raises(SiteKnowledgeError, match="is asked again by itself") as raised:
            knowledge.of("here", "shop", "note")
        # Else the page would ask again after minutes.
        assert not raised.value.is_lasting


def test_a_dashboard_begins_while_its_database_is_away() -> None:
    url = f"postgresql://headroom:told-to-nobody@127.0.0.1:{free_port()}/headroom"
    with closing(SharedDatabase(url)) as database:
        with pytest.raises(ScreenStoreError, match="cannot be used") as raised:
            ScreenStore(database).revisions()
        assert is_away(raised.value)
        assert not database.reached.was_reached
        for text in (str(raised.value), str(database), database.reached.reason):
            assert "told-to-nobody" not in text


def test_what_a_newer_dashboard_has_changed_is_left_alone(database: SharedDatabase) -> None:
    ScreenStore(database).create(COMPOSITION)
    with database.connected() as connection:
        connection.exec_driver_sql("UPDATE kept_formats SET format = 99")
    for store in (ScreenStore(database), ScreenStore(database)):
        with pytest.raises(ScreenStoreError, match="newer dashboard"):
            store.create(COMPOSITION)


def test_tables_that_were_taken_away_are_not_made_anew_by_who_runs(database: SharedDatabase) -> None:
    store = ScreenStore(database)
    store.create(COMPOSITION)
    with database.connected() as connection:
        connection.exec_driver_sql("DROP TABLE screens, opened, kept_formats")
    with pytest.raises(ScreenStoreError, match="were taken away") as raised:
        store.create(COMPOSITION)
    assert not is_away(raised.value)
    assert ScreenStore(database).screens() == ()


def test_who_waits_too_long_for_another_is_told_and_has_kept_nothing(
    database: SharedDatabase, tmp_path: Path
) -> None:
    with closing(SharedDatabase(postgresql_url(tmp_path))) as other, other.connected() as connection:
        PreferenceStore(database).open_first("here", "shop")
        connection.exec_driver_sql("BEGIN; LOCK TABLE first_site")
        with pytest.raises(PreferenceStoreError):
            PreferenceStore(database).open_first("here", "stall")
        connection.exec_driver_sql("ROLLBACK")
    with closing(SharedDatabase(postgresql_url(tmp_path))) as other:
        assert PreferenceStore(other).of("here").first_site == "shop"


def test_text_with_a_nul_is_nothing_that_is_kept(database: SharedDatabase) -> None:
    assert ScreenStore(database).by_token("a\0b") is None
    assert PreferenceStore(database).of("\0").first_site is None


@pytest.mark.parametrize(
    "url",
    [
        *("sqlite:///x", "mysql://h/x", "postgresql://h:port/x", "postgresql://h/x?no_such=1"),
        *("postgresql://me:p@no_such@h/x", "", "nonsense"),
    ],
)
def test_what_is_no_url_of_such_a_database_is_told_without_what_is_in_it(url: str) -> None:
    assert told_fault(url)
    assert "no_such" not in told_fault(url)


def test_a_url_may_name_several_hosts() -> None:
    url = "postgresql://headroom@/headroom?host=one:5432&host=two:5433"
    assert told_fault(url) == ""
    with closing(SharedDatabase(url)) as database:
        assert str(database) == "postgresql://one:5432,two:5433/headroom"
