from __future__ import annotations

import stat
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import ModuleType

import pytest
import structlog

from runtime.kept_secret import SHORTEST, kept_secret
from runtime.resources import _kept_secret, _signer, get_signer
from tests.forked_process import forking
from tests.small_disk import small_disk

PROCESSES = 8
ROUNDS = 20
WAKING = 0.004
"""Seconds: a process that sleeps is woken a little after the time."""


def asked_at(path: Path, instant: float) -> str:
    """The secret, asked for at an instant of the clock that all processes share."""
    time.sleep(max(instant - WAKING - time.monotonic(), 0))
    while time.monotonic() < instant:
        pass
    return kept_secret(path)


@pytest.fixture(scope="module")
def processes() -> Iterator[ProcessPoolExecutor]:
    with pytest.MonkeyPatch.context() as patch:
        # They run the main module first, and a page that was tested before leaves its script there.
        patch.setitem(sys.modules, "__main__", ModuleType("__main__"))
        with ProcessPoolExecutor(PROCESSES, mp_context=forking) as pool:
            yield pool


@pytest.mark.parametrize("left", [None, b"", bytes(43)])
def test_many_processes_at_once_get_the_same_secret(
    tmp_path: Path, processes: ProcessPoolExecutor, left: bytes | None
) -> None:
    for number in range(ROUNDS):
        path = tmp_path / str(number) / "dashboard.secret"
        if left is not None:
            path.parent.mkdir()
            path.write_bytes(left)
        instant = time.monotonic() + 0.02
        asked = [processes.submit(asked_at, path, instant) for _ in range(PROCESSES)]
        found = {one.result() for one in asked}
        assert found == {path.read_text()}
        assert len(path.read_text()) >= SHORTEST
        assert [file.name for file in path.parent.iterdir()] == ["dashboard.secret"]


def test_secret_is_kept_for_its_owner_alone_and_outlives_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "data" / "dashboard.secret"
    first = kept_secret(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    path.chmod(0o644)
    assert kept_secret(path) == first
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_secret_that_is_too_short_is_made_anew_and_that_is_logged(tmp_path: Path) -> None:
    path = tmp_path / "dashboard.secret"
    path.touch()
    with structlog.testing.capture_logs() as log:
        secret = kept_secret(path)
    assert len(secret) >= SHORTEST
    assert [(line["log_level"], line["unusable"]) for line in log] == [("warning", str(path))]


def test_link_to_a_folder_that_is_not_there_keeps_nothing(tmp_path: Path) -> None:
    path = tmp_path / "dashboard.secret"
    path.symlink_to(tmp_path / "not mounted" / "secret")
    with pytest.raises(FileNotFoundError):
        kept_secret(path)
    assert len(_kept_secret(path)) >= SHORTEST
    assert [file.name for file in tmp_path.iterdir()] == ["dashboard.secret"]


def test_link_to_a_file_that_is_not_there_yet_is_followed(tmp_path: Path) -> None:
    path, elsewhere = tmp_path / "data" / "dashboard.secret", tmp_path / "elsewhere"
    path.parent.mkdir()
    path.symlink_to(elsewhere)
    assert kept_secret(path) == elsewhere.read_text() == kept_secret(path)
    assert path.is_symlink()


def test_full_disk_leaves_no_empty_secret(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        path = disk.folder / "dashboard.secret"
        disk.fill()
        assert len(_kept_secret(path)) >= SHORTEST
        disk.make_room()
        assert list(disk.folder.iterdir()) == []
        assert _kept_secret(path) == kept_secret(path)


@pytest.mark.parametrize(("given", "warnings"), [("x", 1), ("a" * SHORTEST, 0), ("", 0), (" ", 0)])
def test_given_secret_that_can_be_guessed_is_named_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, warnings: int
) -> None:
    monkeypatch.setenv("HEADROOM_SECRET", given)
    monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path))
    _signer.clear()
    with structlog.testing.capture_logs() as log:
        get_signer()
    assert len(log) == warnings
    assert (tmp_path / "dashboard.secret").exists() == (not given.strip())
