"""The report of all sites, made on the page History of what a scripted service tells."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.analysis import PATIENCE, text_of
from tests.running_service import ROOT
from tests.scripted_service import KEY, ScriptedService, scripted_service
from tests.wide_site import wide_site

SITES = ("first", "second", "third")


@pytest.fixture
def of_three(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedService]:
    site = wide_site(2, 2)
    sites = [
        site.model_copy(update={"id": id_, "name": id_.title()}).model_dump(mode="json", by_alias=True)
        for id_ in SITES
    ]
    with scripted_service(ScriptedService(sites=sites)) as service:
        monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", KEY)
        monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path))
        yield service


def made(test: AppTest) -> str:
    test.button_group(key="report-of").set_value("all sites").run()
    (button,) = [one for one in test.button if one.label == "Make the report"]
    button.click().run()
    assert not test.exception
    return text_of(test)


def opened() -> AppTest:
    test = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=PATIENCE)
    test.session_state["folded-print"] = True
    test.query_params["site"] = "first"
    test.switch_page("pages/history.py").run()
    assert not test.exception
    return test


@pytest.mark.usefixtures("of_three")
def test_all_sites_are_in_a_report_of_all() -> None:
    assert "The report of all 3 sites is ready." in made(opened())


def test_a_site_that_cannot_be_read_is_counted_out(of_three: ScriptedService) -> None:
    test = opened()
    of_three.sites = [site for site in of_three.sites if site["id"] != "third"]
    assert "2 of 3 sites are in the report; the others are named at its end." in made(test)
