from __future__ import annotations

import os
import stat
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest

from runtime.password import FILE_NAME, PasswordError, has_password, is_right, keep_password, kept_hash
from runtime.password.__main__ import main
from tests.running_service import ROOT

PASSWORD = "a quiet word for the door"


def test_only_a_hash_is_kept_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    keep_password(tmp_path, PASSWORD)
    [path] = tmp_path.iterdir()
    assert path.read_text().startswith("$argon2id$")
    assert PASSWORD not in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert is_right(PASSWORD, kept_hash(tmp_path))
    assert not is_right(PASSWORD + " ", kept_hash(tmp_path))
    assert not is_right(PASSWORD * 1000, kept_hash(tmp_path))


@pytest.mark.parametrize("password", ["", "short", "a" * 40, "x" * 5_000, "ababababababab"])
def test_a_password_that_is_easily_found_is_not_taken(tmp_path: Path, password: str) -> None:
    keep_password(tmp_path, PASSWORD)
    with pytest.raises(PasswordError):
        keep_password(tmp_path, password)
    assert is_right(PASSWORD, kept_hash(tmp_path))


@pytest.mark.parametrize("hashed", ["", "no hash", "$argon2id$v=19$m=1,t=1,p=1$x", "\x00"])
def test_a_damaged_hash_opens_nothing(hashed: str) -> None:
    assert not is_right("", hashed)
    assert not is_right(PASSWORD, hashed)


def test_the_command_sets_and_removes_it_and_never_prints_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(sys, "stdin", StringIO(PASSWORD + "\n"))
    assert main([]) == 0
    assert is_right(PASSWORD, kept_hash(tmp_path))
    monkeypatch.setattr(sys, "stdin", StringIO("short\n"))
    assert main([]) == 1
    assert main(["--help"]) == 2
    assert main(["--remove"]) == 0
    assert not has_password(tmp_path)
    printed = capsys.readouterr()
    assert "give 12 or more" in printed.err
    assert PASSWORD not in printed.out + printed.err


def test_a_folder_where_nothing_can_be_kept_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path / "file"))
    monkeypatch.setattr(sys, "stdin", StringIO(PASSWORD))
    assert main([]) == 1
    assert str(tmp_path / "file") in capsys.readouterr().err


def test_a_password_that_cannot_be_read_still_asks_for_a_login(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).symlink_to(tmp_path / "missing")
    assert has_password(tmp_path)
    assert kept_hash(tmp_path) == ""


def test_the_command_says_that_it_is_set_and_no_warning_of_python(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "runtime.password"], check=True, capture_output=True, cwd=ROOT, text=True,
        env=os.environ | {"HEADROOM_DATA_DIR": str(tmp_path)}, input=f"{PASSWORD}\n",
    )  # fmt: skip
    assert done.stdout.startswith("Set, in ")
    assert done.stderr == ""
