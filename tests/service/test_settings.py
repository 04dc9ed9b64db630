from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from runtime.settings import Settings
from service.settings import SettingsError, read_settings


@pytest.mark.parametrize(("text", "seconds"), [("2", 2), ("0.5", 0.5), ("PT2.5S", 2.5)])
def test_duration_is_seconds_or_iso_8601(monkeypatch: pytest.MonkeyPatch, text: str, seconds: float) -> None:
    monkeypatch.setenv("HEADROOM_SERVICE_READ_PATIENCE", text)
    assert read_settings().read_patience == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["often", "0", "-1", "nan", "9" * 400])
def test_duration_that_is_none_is_refused_by_its_variable(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("HEADROOM_SERVICE_READ_PATIENCE", text)
    with pytest.raises(SettingsError, match=r"^HEADROOM_SERVICE_READ_PATIENCE\b.+ start again"):
        read_settings()


@pytest.mark.parametrize("name", ["HEADROOM_DATA_DIR", "HEADROOM_SERVICE_PORT", "HEADROOM_SERVICE_HOST"])
def test_empty_variable_is_no_setting(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.delenv(name, raising=False)
    without = read_settings()
    monkeypatch.setenv(name, "")
    assert read_settings() == without


def test_both_halves_keep_their_files_in_one_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("HEADROOM_DATA_DIR", raising=False)
    monkeypatch.chdir(tmp_path)
    assert read_settings().data_dir == Settings().data_dir
    assert read_settings().data_dir.is_absolute()


def test_what_is_given_comes_before_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path / "environment"))
    assert read_settings(data_dir=tmp_path / "option").data_dir == tmp_path / "option"
    assert read_settings(data_dir=None).data_dir == tmp_path / "environment"
