from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from screens import Composition, Language, ScreenStore, ScreenStoreError, UnknownScreenError, View, ViewKind
from screens.store import FILE_NAME
from tests.running_service import ROOT

COMPOSITION = Composition(name="Door", views=(View(kind=ViewKind.NUMBER, site_id="shop"),))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ScreenStore]:
    opened = ScreenStore(tmp_path)
    yield opened
    opened.close()


def test_a_created_screen_is_found_by_its_token_and_in_the_list(store: ScreenStore) -> None:
    created = store.create(COMPOSITION)
    assert created.composition == COMPOSITION
    assert created.created_at == created.updated_at
    assert store.screens() == (created,)
    assert created.token
    assert store.by_token(created.token) == created


def test_tokens_are_long_and_never_alike(store: ScreenStore) -> None:
    tokens = {store.create(COMPOSITION).token or "" for _ in range(50)}
    assert len(tokens) == 50
    assert min(map(len, tokens)) >= 32


def test_a_replaced_screen_keeps_its_link_and_tells_that_it_changed(store: ScreenStore) -> None:
    created = store.create(COMPOSITION)
    french = COMPOSITION.model_copy(update={"language": Language.FRENCH, "name": "Porte"})
    replaced = store.replace(created.id, french)
    assert (replaced.token, replaced.composition) == (created.token, french)
    assert replaced.revision > created.revision
    assert replaced.updated_at >= created.updated_at
    assert replaced.created_at == created.created_at


def test_a_rotated_link_is_another_and_the_old_one_leads_nowhere(store: ScreenStore) -> None:
    created = store.create(COMPOSITION)
    rotated = store.rotate(created.id)
    assert rotated.token
    assert created.token
    assert rotated.token != created.token
    assert store.by_token(created.token) is None
    assert store.by_token(rotated.token) == rotated


def test_a_revoked_screen_stays_in_the_list_without_a_link_until_it_gets_a_new_one(
    store: ScreenStore,
) -> None:
    created = store.create(COMPOSITION)
    revoked = store.revoke(created.id)
    assert created.token
    assert (revoked.token, store.by_token(created.token), store.revisions()) == (None, None, {})
    assert store.screens() == (revoked,)
    assert store.rotate(created.id).token


def test_two_screens_may_be_revoked(store: ScreenStore) -> None:
    for _ in range(2):
        store.revoke(store.create(COMPOSITION).id)
    assert [screen.token for screen in store.screens()] == [None, None]


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


def test_screens_survive_a_restart(tmp_path: Path) -> None:
    first = ScreenStore(tmp_path)
    created = first.create(COMPOSITION)
    first.close()
    second = ScreenStore(tmp_path)
    assert second.screens() == (created,)
    second.close()


def test_what_another_process_writes_is_seen_at_once(store: ScreenStore, tmp_path: Path) -> None:
    created = store.create(COMPOSITION)
    code = (
        "import sys; from pathlib import Path; from screens import ScreenStore\n"
        "store = ScreenStore(Path(sys.argv[1])); store.revoke(sys.argv[2]); store.close()"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path), created.id], cwd=ROOT, check=True)
    assert store.revisions() == {}


def test_two_dashboards_that_write_at_once_lose_nothing(store: ScreenStore, tmp_path: Path) -> None:
    other = ScreenStore(tmp_path)
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
