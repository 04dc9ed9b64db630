"""Who may read the file, what stands in it, and files of other versions."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from screens import Composition, Screen, ScreenStore, ScreenStoreError, View, ViewKind
from screens.store import FILE_NAME

COMPOSITION = Composition(name="Door", views=(View(kind=ViewKind.NUMBER, site_id="shop"),))
TOKENS = {"hung": "hung-link-of-thirty-two-letters_", "other": "other-link-of-thirty-two-letter_"}
FIRST_FORMAT = """
CREATE TABLE screens (id TEXT NOT NULL, token TEXT, revision INTEGER NOT NULL, composition TEXT NOT NULL,
created_at TEXT NOT NULL, updated_at TEXT NOT NULL, PRIMARY KEY (id), UNIQUE (token))
"""


@contextmanager
def opened(folder: Path) -> Iterator[ScreenStore]:
    store = ScreenStore(folder)
    try:
        yield store
    finally:
        store.close()


def write_first_format(folder: Path) -> None:
    """As the dashboard of the first format wrote it: two screens with links, one revoked."""
    folder.mkdir(exist_ok=True)
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection, connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(FIRST_FORMAT)
        moment = "2026-11-01T10:00:00+00:00"
        for screen_id, token in {**TOKENS, "revoked": None}.items():
            row = (screen_id, token, 3, COMPOSITION.model_dump_json(), moment, moment)
            connection.execute("INSERT INTO screens VALUES (?, ?, ?, ?, ?, ?)", row)


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.glob(f"{FILE_NAME}*")))


def modes_of(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mode & 0o777 for path in folder.glob(f"{FILE_NAME}*")}


def test_file_and_folder_are_private(tmp_path: Path) -> None:
    folder = tmp_path / "dashboard"
    with opened(folder) as store:
        store.create(COMPOSITION)
        assert folder.stat().st_mode & 0o777 == 0o700
        assert modes_of(folder) == {FILE_NAME: 0o600}


def test_file_that_others_could_read_becomes_private(tmp_path: Path) -> None:
    write_first_format(tmp_path)
    (tmp_path / FILE_NAME).chmod(0o644)
    with opened(tmp_path) as store:
        store.create(COMPOSITION)
        assert set(modes_of(tmp_path).values()) == {0o600}


def test_folder_that_was_there_is_left_as_it_is(tmp_path: Path) -> None:
    """It may hold more than ours."""
    tmp_path.chmod(0o755)
    with opened(tmp_path):
        assert tmp_path.stat().st_mode & 0o777 == 0o755


def test_no_link_stands_in_the_file(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        made = store.create(COMPOSITION)
        tokens = [made.token, store.rotate(made.id).token, store.create(COMPOSITION).token]
        assert not [token for token in tokens if token.encode() in bytes_of(tmp_path)]


def test_links_of_the_first_format_go_on_opening_their_screens(tmp_path: Path) -> None:
    write_first_format(tmp_path)
    with opened(tmp_path) as store:
        for screen_id, token in TOKENS.items():
            screen = store.by_token(token)
            assert isinstance(screen, Screen)
            assert (screen.id, screen.revision, screen.composition) == (screen_id, 3, COMPOSITION)
        assert store.revisions()["revoked"].link is None


def test_links_of_the_first_format_are_readable_no_more(tmp_path: Path) -> None:
    write_first_format(tmp_path)
    assert all(token.encode() in bytes_of(tmp_path) for token in TOKENS.values())
    with opened(tmp_path):
        assert not [token for token in TOKENS.values() if token.encode() in bytes_of(tmp_path)]


def test_dashboards_that_start_together_bring_a_file_up_to_date_once(tmp_path: Path) -> None:
    write_first_format(tmp_path)
    with ThreadPoolExecutor(6) as pool:
        stores = list(pool.map(lambda _: ScreenStore(tmp_path), range(6)))
    for store in stores:
        assert all(isinstance(store.by_token(token), Screen) for token in TOKENS.values())
        store.close()


def test_running_dashboard_of_the_first_format_takes_no_digest_for_a_link(tmp_path: Path) -> None:
    """It fails, rather than telling walls that their links are dead, or writing readable ones."""
    write_first_format(tmp_path)
    with (
        opened(tmp_path),
        closing(sqlite3.connect(tmp_path / FILE_NAME)) as old,
        pytest.raises(sqlite3.OperationalError, match="token"),
    ):
        old.execute("SELECT id FROM screens WHERE token = ?", (TOKENS["hung"],))


def test_file_of_a_newer_format_is_left_alone_and_named(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.create(COMPOSITION)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        connection.execute("PRAGMA user_version = 3")
    with pytest.raises(ScreenStoreError, match=r"newer dashboard .+ update this one"):
        ScreenStore(tmp_path)


def test_removed_file_is_told_and_not_made_anew(tmp_path: Path) -> None:
    """Nothing is said to be saved that the next start would not find; a file that is put back is used."""
    aside = tmp_path / "aside"
    with opened(tmp_path) as store:
        kept = store.create(COMPOSITION)
        for remains in (False, True):  # whoever copies a file back makes an empty one first
            (tmp_path / FILE_NAME).rename(aside)
            if remains:
                (tmp_path / FILE_NAME).touch()
            for use in (lambda: store.create(COMPOSITION), store.screens, lambda: store.delete(kept.id)):
                with pytest.raises(
                    ScreenStoreError, match=f"{FILE_NAME} cannot be used: the file was removed"
                ):
                    use()
            assert bytes_of(tmp_path) == b""
            aside.rename(tmp_path / FILE_NAME)
            assert [screen.id for screen in store.screens()] == [kept.id]


def test_what_is_saved_after_a_file_was_put_in_its_place_is_found_by_the_next_start(tmp_path: Path) -> None:
    backup = tmp_path / "backup"
    with opened(tmp_path) as store:
        first = store.create(COMPOSITION)
        shutil.copy(tmp_path / FILE_NAME, backup)
        later = store.create(COMPOSITION)
        backup.replace(tmp_path / FILE_NAME)
        assert store.by_token(later.token) is None
        after = store.create(COMPOSITION)
        store.note_opened({after.id})
    with opened(tmp_path) as restarted:
        assert [screen.id for screen in restarted.screens()] == [first.id, after.id]
        assert set(restarted.opened()) == {after.id}


def test_file_of_the_first_format_that_is_put_back_is_brought_up_to_date(tmp_path: Path) -> None:
    write_first_format(tmp_path / "old")
    with opened(tmp_path) as store:
        store.create(COMPOSITION)
        (tmp_path / "old" / FILE_NAME).replace(tmp_path / FILE_NAME)
        assert all(isinstance(store.by_token(token), Screen) for token in TOKENS.values())
        assert not [token for token in TOKENS.values() if token.encode() in bytes_of(tmp_path)]


def test_dashboards_of_earlier_versions_may_have_the_file_open(tmp_path: Path) -> None:
    """They keep a write-ahead log, until the last of them ends."""
    with opened(tmp_path) as store, closing(sqlite3.connect(tmp_path / FILE_NAME)) as earlier:
        earlier.execute("PRAGMA journal_mode = WAL")
        earlier.execute("SELECT * FROM screens").fetchall()
        with opened(tmp_path) as beside:
            made = [one.create(COMPOSITION).id for one in (store, beside)]
            assert {screen_id for (screen_id,) in earlier.execute("SELECT id FROM screens")} == set(made)
        earlier.close()
        with opened(tmp_path) as later:
            assert [screen.id for screen in later.screens()] == made
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]
