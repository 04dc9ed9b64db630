from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from service.open_store import open_store, store_url
from service.store.errors import StoreBusyError, StoreUrlError
from service.store.sqlite.store_file import FILE_NAME, LOCK_NAME, FolderLock, file_of


def rights(path: Path) -> int:
    return path.stat().st_mode & 0o777


@contextmanager
def opened(data_dir: Path) -> Iterator[None]:
    store = open_store(store_url(data_dir))
    try:
        yield
    finally:
        store.close()


def test_new_folder_and_its_files_are_their_owners_alone(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with opened(folder):
        assert rights(folder) == 0o700
        names = {file.name for file in folder.iterdir()}
        assert names == {FILE_NAME, f"{FILE_NAME}-wal", f"{FILE_NAME}-shm", LOCK_NAME}
        assert {rights(file) for file in folder.iterdir()} == {0o600}


def test_folder_that_was_there_keeps_its_rights_and_old_files_lose_theirs(tmp_path: Path) -> None:
    with opened(tmp_path):
        tmp_path.chmod(0o755)
        for file in tmp_path.iterdir():
            file.chmod(0o644)
        with opened(tmp_path):
            assert rights(tmp_path) == 0o755
            assert {rights(file) for file in tmp_path.iterdir() if file.name != LOCK_NAME} == {0o600}


def test_lock_is_shared_by_those_who_open_and_held_alone_by_one(tmp_path: Path) -> None:
    with opened(tmp_path), opened(tmp_path), pytest.raises(StoreBusyError, match=r"end it first"):
        FolderLock(tmp_path, alone=True)
    alone = FolderLock(tmp_path, alone=True)
    with pytest.raises(StoreBusyError, match=r"being restored"):
        open_store(store_url(tmp_path))
    alone.close()
    alone.close()
    open_store(store_url(tmp_path)).close()


@pytest.mark.parametrize("folder", ["/data", "data", "/with space/50%/a?b#c"])
def test_url_names_the_file_as_it_is(folder: str) -> None:
    assert file_of(store_url(Path(folder))) == Path(folder) / FILE_NAME


@pytest.mark.parametrize("url", ["postgresql://user:secret@host/headroom", "sqlite:///", "/data", ""])
def test_other_url_names_no_file_and_its_password_is_not_repeated(url: str) -> None:
    with pytest.raises(StoreUrlError, match="sqlite:///PATH") as caught:
        file_of(url)
    assert "secret" not in str(caught.value)
