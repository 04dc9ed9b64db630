"""The demo's sites say in their category whose recording they replay, or that they are simulated."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from contract import Site
from service.replay.rooms_replay import rooms_record
from service.replay.stop_replay import stop_record
from service.simulator.shop import shop_record
from tests.pages.analysis import PATIENCE, text_of
from tests.running_service import ROOT
from tests.scripted_service import KEY, ScriptedService, scripted_service

DEMO = [rooms_record("demo").site, stop_record((), "demo").site, shop_record("demo").site]


@pytest.mark.parametrize("page", ["site", "live"])
@pytest.mark.parametrize("site", DEMO, ids=lambda site: site.id)
def test_the_category_of_a_site_of_the_demo_is_read_whole(
    page: str, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    category = site.category
    assert category
    told = {"id": "demo", "name": "Demo", "category": category, "timezone": "Europe/Zurich", "zones": []}
    with scripted_service(ScriptedService(sites=[told])) as service:
        monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", KEY)
        monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path))
        test = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=PATIENCE)
        test.query_params["site"] = "demo"
        test.switch_page(f"pages/{page}.py").run()
    assert not test.exception
    assert category in text_of(test)
