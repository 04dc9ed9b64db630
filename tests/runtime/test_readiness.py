from __future__ import annotations

from pathlib import Path

import pytest

from live import Hub
from runtime.readiness import readiness
from tests.running_service import start_service
from tests.small_site import create_small_site


def test_a_hub_whose_thread_has_ended_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = create_small_site(tmp_path)
    service = start_service(site.data_dir)
    monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
    monkeypatch.setenv("HEADROOM_API_KEY", site.read_key)
    hub = Hub(service.base_url, site.read_key)
    try:
        assert readiness(hub)["ready"]
        hub.close()
        told = readiness(hub)
        assert not told["ready"]
        assert told["reasons"] == ["The hub's thread has ended: restart the dashboard."]
    finally:
        hub.close()
        service.kill()


def test_a_missing_key_is_told_in_the_words_of_the_set_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADROOM_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("HEADROOM_API_KEY", "")
    hub = Hub("http://127.0.0.1:9", "")
    try:
        [reason] = readiness(hub)["reasons"]
        assert "HEADROOM_API_KEY is not" in reason
        assert "127.0.0.1:9" in reason
    finally:
        hub.close()
