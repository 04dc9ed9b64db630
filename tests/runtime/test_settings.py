from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from runtime import settings
from runtime.settings import SettingsError, get_settings
from tests.running_service import ROOT, free_port


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "PROJECT_FOLDER", tmp_path)
    names = ("BASE_URL", "API_KEY", "SERVICE_PORT", "DATA_DIR", "SECRET", "DASHBOARD_STORE")
    for name in (*names, "DEMO", "DEMO_DATA"):
        monkeypatch.delenv(f"HEADROOM_{name}", raising=False)


def write_secrets(folder: Path, text: str) -> None:
    (folder / ".streamlit").mkdir()
    (folder / ".streamlit" / "secrets.toml").write_text(text)


def test_nothing_is_needed() -> None:
    found = get_settings()
    assert (found.base_url, found.api_key, found.service_port) == (None, None, 8502)


def test_the_environment_speaks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADROOM_BASE_URL", "https://service.example")
    monkeypatch.setenv("HEADROOM_SERVICE_PORT", "9000")
    assert get_settings().base_url == "https://service.example"
    assert get_settings().service_port == 9000


def test_the_secrets_file_speaks_where_the_environment_is_silent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_secrets(tmp_path, 'HEADROOM_BASE_URL = "https://file.example"\nHEADROOM_API_KEY = "k"\nother = 1\n')
    monkeypatch.setenv("HEADROOM_BASE_URL", "https://environment.example")
    found = get_settings()
    assert found.base_url == "https://environment.example"
    assert found.api_key is not None
    assert found.api_key.get_secret_value() == "k"


def test_they_are_read_anew_when_the_environment_or_the_file_is_another_and_not_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_secrets(tmp_path, 'HEADROOM_BASE_URL = "https://file.example"\n')
    first = get_settings()
    assert get_settings() is first
    (tmp_path / ".streamlit" / "secrets.toml").write_text('HEADROOM_BASE_URL = "https://another.example"\n')
    assert get_settings().base_url == "https://another.example"
    monkeypatch.setenv("HEADROOM_SERVICE_PORT", "9000")
    assert (get_settings().base_url, get_settings().service_port) == ("https://another.example", 9000)
    (tmp_path / ".streamlit" / "secrets.toml").unlink()
    assert (get_settings().base_url, get_settings().service_port) == (None, 9000)


def test_an_empty_variable_is_no_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADROOM_BASE_URL", "")
    assert get_settings().base_url is None


def test_the_key_does_not_show_when_settings_are_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADROOM_API_KEY", "very-secret")
    assert "very-secret" not in repr(get_settings())


@pytest.mark.parametrize("port", ["eighty", "0", "70000"])
def test_a_port_that_is_none_is_refused_by_its_name(monkeypatch: pytest.MonkeyPatch, port: str) -> None:
    monkeypatch.setenv("HEADROOM_SERVICE_PORT", port)
    with pytest.raises(SettingsError, match=r"HEADROOM_SERVICE_PORT: Input should be .+ start again"):
        get_settings()


@pytest.mark.parametrize(
    ("store", "secret", "told"),
    [
        ("postgresql://me:hunter2@host/database", "", "give all of them the same HEADROOM_SECRET"),
        ("mysql://me:hunter2@host/database", "s" * 32, "begins with postgresql://"),
        ("postgresql://me:hunter2@host:port/database", "s" * 32, "no URL of a database"),
    ],
)
def test_a_store_that_cannot_be_shared_is_refused_without_its_password(
    monkeypatch: pytest.MonkeyPatch, store: str, secret: str, told: str
) -> None:
    monkeypatch.setenv("HEADROOM_DASHBOARD_STORE", store)
    monkeypatch.setenv("HEADROOM_SECRET", secret)
    with pytest.raises(SettingsError, match=f"HEADROOM_DASHBOARD_STORE: .*{told}") as refused:
        get_settings()
    assert "hunter2" not in str(refused.value)
    assert "HEADROOM_DEMO_DATA" not in str(refused.value)


def test_a_broken_secrets_file_is_refused_by_its_name(tmp_path: Path) -> None:
    write_secrets(tmp_path, "HEADROOM_API_KEY = unquoted")
    with pytest.raises(SettingsError, match=r"secrets\.toml cannot be read: .+ start again"):
        get_settings()


def test_a_setting_that_cannot_be_used_ends_the_start_with_one_sentence() -> None:
    started = subprocess.run(
        [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(free_port())],
        cwd=ROOT,
        env=os.environ | {"HEADROOM_SERVICE_PORT": "eighty"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert started.returncode == 1
    assert "HEADROOM_SERVICE_PORT" in started.stderr
    assert "Traceback" not in started.stderr


@pytest.mark.parametrize(
    ("demo", "demo_data", "is_filled"),
    [
        (None, None, True),
        ("off", None, False),
        ("0", None, False),
        ("1", None, True),
        (None, "off", False),
        ("1", "off", False),
        ("off", "on", True),
    ],
)
def test_whoever_turns_the_demo_off_gets_none_of_its_data(
    demo: str | None, demo_data: str | None, is_filled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("HEADROOM_DEMO", demo), ("HEADROOM_DEMO_DATA", demo_data)):
        if value is not None:
            monkeypatch.setenv(name, value)
    assert get_settings().demo_data is is_filled
