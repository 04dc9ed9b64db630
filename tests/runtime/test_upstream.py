from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from streamlit.testing.v1 import AppTest

from runtime import get_upstream, service_notice
from runtime.upstream import stop_embedded
from tests.running_service import ROOT, free_port


@pytest.fixture(autouse=True)
def _unconfigured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("BASE_URL", "API_KEY", "SECRET"):
        monkeypatch.setenv(f"HEADROOM_{name}", "")
    monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("HEADROOM_SERVICE_PORT", str(free_port()))
    yield
    stop_embedded()


def test_a_configured_service_is_read_and_nothing_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADROOM_BASE_URL", "https://service.example")
    monkeypatch.setenv("HEADROOM_API_KEY", "k")
    upstream = get_upstream()
    assert (upstream.base_url, upstream.api_key, upstream.embedded) == (
        "https://service.example",
        "k",
        False,
    )
    assert upstream.notice is None
    assert not (tmp_path / "data").exists()


def test_without_configuration_one_embedded_service_is_started_and_ended() -> None:
    upstream = get_upstream()
    assert upstream.embedded
    assert upstream.notice is None
    assert get_upstream() == upstream
    answer = httpx.get(f"{upstream.base_url}/v3/sites", headers={"x-api-key": upstream.api_key}, timeout=30)
    assert answer.status_code in (200, 503)
    stop_embedded()
    with pytest.raises(httpx.TransportError):
        httpx.get(f"{upstream.base_url}/v3/sites", timeout=5)


def test_a_taken_port_is_one_sentence_on_a_page_that_still_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        monkeypatch.setenv("HEADROOM_SERVICE_PORT", str(port))
        app = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=60).run()
        assert not app.exception
        assert str(port) in app.warning[0].value
        assert app.warning[0].value.replace("\\", "") == service_notice()
        assert app.title[0].value == "Overview"


def test_a_data_folder_that_cannot_be_made_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path / "file" / "data"))
    notice = service_notice()
    assert notice is not None
    assert str(tmp_path / "file" / "data") in notice
    assert "\n" not in notice
