from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from keeping import Place
from screens import (
    ChangedScreenError,
    Composition,
    Language,
    Screen,
    ScreenStore,
    ScreenStoreError,
    UnknownScreenError,
    View,
    ViewKind,
)
from screens.store import FILE_NAME
from tests.running_service import ROOT

COMPOSITION = Composition(name="Door", views=(View(kind=ViewKind.NUMBER, site_id="shop"),))


@pytest.fixture
def store(place: Place) -> Iterator[ScreenStore]:
    opened = ScreenStore(place)
    yield opened
    opened.close()


@pytest.fixture
def in_file(tmp_path: Path) -> Iterator[ScreenStore]:
    opened = ScreenStore(tmp_path)
    yield opened
    opened.close()


def found(store: ScreenStore, token: str) -> Screen:
    screen = store.by_token(token)
    assert isinstance(screen, Screen)
    return screen


def test_a_created_screen_is_found_by_its_token_and_in_the_list(store: ScreenStore) -> None:
    link = store.create(COMPOSITION)
    created = found(store, link.token)
    assert created.id == link.id
    assert created.composition == COMPOSITION
    assert created.created_at == created.updated_at
    assert created.is_opened_by(link.token)
    assert store.screens() == (created,)
    assert store.by_id(link.id) == created


def test_tokens_are_long_and_never_alike(store: ScreenStore) -> None:
    tokens = {store.create(COMPOSITION).token for _ in range(50)}
    assert len(tokens) == 50
    assert min(map(len, tokens)) >= 32


def test_a_replaced_screen_keeps_its_link_and_tells_that_it_changed(store: ScreenStore) -> None:
    link = store.create(COMPOSITION)
    created = found(store, link.token)
    french = COMPOSITION.model_copy(update={"language": Language.FRENCH, "name": "Porte"})
    store.replace(link.id, french)
    replaced = found(store, link.token)
    assert replaced.composition == french
    assert replaced.revision > created.revision
    assert replaced.updated_at >= created.updated_at
    assert replaced.created_at == created.created_at


def test_a_rotated_link_is_another_and_the_old_one_leads_nowhere(store: ScreenStore) -> None:
    created = store.create(COMPOSITION)
    rotated = store.rotate(created.id)
    assert (rotated.id, rotated.token != created.token) == (created.id, True)
    assert store.by_token(created.token) is None
    assert not found(store, rotated.token).is_opened_by(created.token)


def test_a_revoked_link_is_put_back_while_there_is_no_newer_one(store: ScreenStore) -> None:
    created = store.create(COMPOSITION)
    revoked = store.revoke(created.id)
    assert store.by_token(created.token) is None
    store.put_back(revoked)
    assert found(store, created.token).id == created.id
    with pytest.raises(ChangedScreenError):
        store.put_back(revoked)
    rotated = store.rotate(created.id)
    with pytest.raises(ChangedScreenError):
        store.put_back(revoked)
    assert (store.by_token(created.token), found(store, rotated.token).id) == (None, created.id)


def test_a_link_that_was_replaced_on_purpose_is_not_put_back_by_undoing_late(store: ScreenStore) -> None:
    created = store.create(COMPOSITION)
    first = store.revoke(created.id)
    rotated = store.rotate(created.id)
    second = store.revoke(created.id)
    with pytest.raises(ChangedScreenError):
        store.put_back(first)
    assert store.revisions()[created.id].link is None
    store.put_back(second)
    assert (store.by_token(created.token), found(store, rotated.token).id) == (None, created.id)


def test_a_deleted_screen_is_put_back_with_its_link_and_is_known_to_have_changed(store: ScreenStore) -> None:
    created = store.create(COMPOSITION)
    before = found(store, created.token)
    revoked = store.revoke(created.id)
    store.put_back(revoked)
    deleted = store.delete(created.id)
    with pytest.raises(UnknownScreenError):
        store.put_back(revoked)
    store.put_back(deleted)
    for stale in (revoked, deleted):
        with pytest.raises(ChangedScreenError):
            store.put_back(stale)
    after = found(store, created.token)
    assert after.composition == before.composition
    assert after.created_at == before.created_at
    assert after.revision > before.revision
    assert len(store.screens()) == 1


def test_a_revoked_screen_stays_in_the_list_without_a_link_until_it_gets_a_new_one(
    store: ScreenStore,
) -> None:
    created = store.create(COMPOSITION)
    store.revoke(created.id)
    assert store.by_token(created.token) is None
    assert store.revisions()[created.id].link is None
    assert [screen.link for screen in store.screens()] == [None]
    assert found(store, store.rotate(created.id).token).id == created.id


def test_two_screens_may_be_revoked(store: ScreenStore) -> None:
    for _ in range(2):
        store.revoke(store.create(COMPOSITION).id)
    assert [screen.link for screen in store.screens()] == [None, None]


def test_a_deleted_screen_is_gone(store: ScreenStore) -> None:
    created = store.create(COMPOSITION)
    store.delete(created.id)
    assert store.screens() == ()
    for change in (store.delete, store.rotate, store.revoke):
        with pytest.raises(UnknownScreenError, match="no longer there"):
            change(created.id)


def test_the_list_is_in_the_order_of_creation(store: ScreenStore) -> None:
    created = [store.create(COMPOSITION.model_copy(update={"name": name})) for name in "zma"]
    store.replace(created[0].id, COMPOSITION)
    assert [screen.id for screen in store.screens()] == [screen.id for screen in created]


def test_screens_survive_a_restart(place: Place) -> None:
    first = ScreenStore(place)
    created = first.create(COMPOSITION)
    first.close()
    second = ScreenStore(place)
    assert found(second, created.token).composition == COMPOSITION
    second.close()


def test_what_another_process_writes_is_seen_at_once(in_file: ScreenStore, tmp_path: Path) -> None:
    created = in_file.create(COMPOSITION)
    code = (
        "import sys; from pathlib import Path; from screens import ScreenStore\n"
        "store = ScreenStore(Path(sys.argv[1])); store.revoke(sys.argv[2]); store.close()"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path), created.id], cwd=ROOT, check=True)
    assert in_file.by_token(created.token) is None


def test_two_dashboards_that_write_at_once_lose_nothing(store: ScreenStore, place: Place) -> None:
    other = ScreenStore(place)
    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(one.create, COMPOSITION) for one in (store, other) for _ in range(20)]:
            done.result()
    other.close()
    assert len(store.screens()) == 40


def test_a_file_that_is_no_store_is_named(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"not a database, only words that somebody put here" * 20)
    with pytest.raises(ScreenStoreError, match=FILE_NAME):
        ScreenStore(tmp_path)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ScreenStoreError, match="cannot be used"):
        ScreenStore(tmp_path / "file" / "dashboard")


def test_when_a_wall_last_connected_is_kept_over_a_restart(store: ScreenStore, place: Place) -> None:
    opened, never = store.create(COMPOSITION).id, store.create(COMPOSITION).id
    store.note_opened({opened})
    first = store.opened()
    assert first[opened]
    assert never not in first
    store.note_opened({opened})
    beside = ScreenStore(place)
    assert beside.opened() == first  # a wall that comes back at once writes nothing
    beside.close()


@pytest.mark.parametrize("damaged", ["yesterday", "2026-11-22T10:00:00", 5, b"\xff"])
def test_time_of_opening_that_is_damaged_is_not_known_and_written_anew(
    in_file: ScreenStore, tmp_path: Path, damaged: object
) -> None:
    opened, beside = in_file.create(COMPOSITION).id, in_file.create(COMPOSITION).id
    in_file.note_opened({opened, beside})
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection, connection:
        connection.execute("UPDATE opened SET at = ? WHERE screen_id = ?", (damaged, opened))
    known = in_file.opened()
    assert known[opened] is None
    assert known[beside]
    in_file.note_opened({opened})
    assert in_file.opened()[opened]


def test_a_screen_from_before_that_was_kept_is_not_called_never_opened(
    in_file: ScreenStore, tmp_path: Path
) -> None:
    old = in_file.create(COMPOSITION).id
    with sqlite3.connect(tmp_path / FILE_NAME) as connection:
        connection.execute("DROP TABLE opened")
    connection.close()
    later = ScreenStore(tmp_path)
    assert later.opened() == {old: None}
    later.note_opened({old})
    assert later.opened()[old]
    later.close()


def test_a_wall_that_connects_again_later_is_written_down_anew(
    store: ScreenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = store.create(COMPOSITION).id
    store.note_opened({opened})
    first = store.opened()[opened]
    monkeypatch.setattr("screens.store._OPENED_AGAIN", timedelta())
    store.note_opened({opened})
    again = store.opened()[opened]
    assert first is not None
    assert again is not None
    assert again > first


def test_when_a_screen_was_opened_is_kept_for_who_undoes_its_end_and_forgotten_after(
    store: ScreenStore, place: Place
) -> None:
    opened = store.create(COMPOSITION).id
    store.note_opened({opened})
    before = store.opened()
    store.put_back(store.delete(opened))
    assert store.opened() == before
    store.delete(opened)
    later = ScreenStore(place)
    assert later.opened() == {}
    later.close()
