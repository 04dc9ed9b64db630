"""A service that asks to be let alone: the pages that read all sites say until when, and why."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from runtime import close_resources
from tests.eventually import eventually
from tests.pages.analysis import text_of
from tests.running_service import ROOT
from tests.scripted_service import KEY, ScriptedService, scripted_service

SITES = [{"id": f"s{number}", "name": f"Shop {number}", "zones": []} for number in range(6)]


@pytest.fixture(autouse=True)
def _asks_for_peace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    limited = (429, {"Retry-After": "3600"})
    service = ScriptedService(SITES, now_failures={str(site["id"]): limited for site in SITES})
    with scripted_service(service) as running:
        monkeypatch.setenv("HEADROOM_BASE_URL", running.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", KEY)
        monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path))
        yield
        close_resources()


async def test_the_pages_of_all_sites_say_until_when_none_is_read_and_why() -> None:
    page = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=60)
    await eventually(lambda: "Reading all sites rests until" in text_of(page.run()))
    assert "The service cannot answer right now." in text_of(page)
    page.switch_page("pages/connection.py").run()
    assert "Reading all sites rests until" in text_of(page)
