"""Pages of a service that leaves out of its answers the days of an archive which it cannot read now."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.administration import said
from tests.running_service import ROOT
from tests.scripted_service import KEY, ScriptedService, scripted_service

SHOP = {"id": "shop", "name": "Shop", "timezone": "Etc/UTC", "zones": [], "passages": []}
HELD_FROM = (datetime.now(UTC) - timedelta(days=2)).replace(hour=4, minute=0, second=0, microsecond=0)
WARNING = {"code": "ARCHIVE_AWAY", "message": "Left out.", "details": {"from": HELD_FROM.isoformat()}}


@pytest.fixture(autouse=True)
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedService]:
    with scripted_service(ScriptedService(sites=[SHOP], warnings=[WARNING])) as scripted:
        monkeypatch.setenv("HEADROOM_BASE_URL", scripted.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", KEY)
        monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path))
        yield scripted


def text_of(page: str) -> str:
    test = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=60)
    test.query_params["site"] = "shop"
    test.switch_page(f"pages/{page}.py").run()
    assert not test.exception
    return said(test)


def test_history_shows_what_there_is_and_says_what_is_left_out() -> None:
    text = text_of("history")
    assert "What was counted before" in text
    assert text.count("lies in the service's archive, which it cannot read now: it is left out here") == 2


def test_what_is_in_the_archive_is_not_said_to_be_stored_nowhere(service: ScriptedService) -> None:
    service.past = range(60)
    text = text_of("history")
    assert "Hatched: no counts can be read." in text
    assert "no counts are stored" not in text


def test_history_without_any_of_it_does_not_say_that_nothing_was_counted(service: ScriptedService) -> None:
    service.past = range(0)
    text = text_of("history")
    assert "which it cannot read now" in text
    assert "No counts" not in text


@pytest.mark.parametrize("page", ["rhythm", "trust"])
def test_what_rests_on_whole_ranges_could_not_be_read(page: str) -> None:
    assert "Older days lie in the service's archive, which it cannot read right now." in text_of(page)


def test_a_league_ranks_nobody_by_a_part_of_its_days(service: ScriptedService) -> None:
    service.sites = [SHOP, SHOP | {"id": "other", "name": "Other"}]
    test = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=60)
    test.query_params["of"] = "sites"
    test.switch_page("pages/compare.py").run()
    assert not test.exception
    assert "could not be read" in said(test)
