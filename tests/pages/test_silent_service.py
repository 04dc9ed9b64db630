"""A service that falls silent while pages are open: what was chosen stays; what is missing is named."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from threading import Event

import pytest
from streamlit.testing.v1 import AppTest

from runtime import close_resources, reads
from runtime.cache import Cache
from tests.pages.analysis import text_of
from tests.running_service import ROOT
from tests.scripted_service import KEY, ScriptedService, scripted_service

ZONES = [{"id": f"z{number}", "name": f"Hall {number}"} for number in range(2)]
SITES = [
    {"id": f"s{number}", "name": f"Shop {number}", "timezone": "Europe/Zurich", "zones": ZONES}
    for number in range(2)
]
OF_ONE_SITE = ("history", "site", "replay", "live", "trust", "ahead", "rhythm", "compare", "doors")


@pytest.fixture(autouse=True)
def _is_soon_too_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("HEADROOM_API_KEY", KEY)
    monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path))
    for name in ("_sites", "_site"):
        monkeypatch.setattr(reads, name, Cache(timedelta(), most=99, keeps_old=True))
    yield
    close_resources()


def opened(page: str, **parameters: str) -> AppTest:
    test = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=60)
    for name, value in parameters.items():
        test.query_params[name] = value
    return test.switch_page(f"pages/{page}.py").run()


def chosen(test: AppTest) -> dict[str, object]:
    return {box.label: box.value for box in test.selectbox}


@pytest.mark.parametrize("page", OF_ONE_SITE)
def test_a_page_keeps_its_choices_while_the_service_is_away(
    page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_zones = {"compare": "zones"} if page == "compare" else {}
    with scripted_service(ScriptedService(SITES)) as service:
        monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
        before = chosen(test := opened(page, site="s1", **of_zones))
    after = chosen(test.run())
    assert before["Site"] == after["Site"] == "s1"
    assert not test.exception


def test_a_site_that_is_not_told_now_is_said_to_be_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    of_before = "as the service told them at"
    devices = [{"id": "d1", "name": "Counter", "status": "Online"}]
    door = {"id": "p1", "name": "Door", "fromZoneId": None, "toZoneId": "z0", "devices": devices}
    with scripted_service(ScriptedService([SITES[0] | {"passages": [door]}])) as service:
        monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
        told = text_of(opened("site", site="s0"))
        assert of_before not in told
        assert "\nThe one device is online." in told
    told = text_of(opened("site", site="s0"))
    assert of_before in told
    assert "\nThe one device is online." not in told
    assert "The one device is online." in told


def test_which_door_brings_people_is_asked_again_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    doors = [{"id": f"p{number}", "name": f"Door {number}", "toZoneId": "z0"} for number in range(2)]
    with scripted_service(ScriptedService([SITES[0] | {"passages": doors}])) as service:
        monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
        opened("live", site="s0")
    told = text_of(test := opened("doors", site="s0"))
    assert chosen(test)["Door"] == "p0"
    assert "Which door brings people cannot be shown. The service" in told.replace("*", "")
    assert "tried again every" in told


def test_what_is_chosen_while_the_list_of_sites_does_not_come_is_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with scripted_service(ScriptedService(SITES)) as service:
        monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
        test = opened("history", site="s1")
        service.sites_held = Event()
        try:
            test.selectbox[0].set_value("s0").run()
        finally:
            service.let_sites_be_read()
        assert chosen(test)["Site"] == "s0"
        assert "has not said yet" not in text_of(test)


def test_a_first_visit_fails_where_no_site_was_ever_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted_service(ScriptedService(SITES)) as service:
        monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
    test = opened("history", site="s1")
    assert "The history cannot be shown." in text_of(test)
    assert not test.selectbox


def test_where_there_was_no_site_before_it_is_not_said_that_there_is_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with scripted_service(ScriptedService()) as service:
        monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
        assert "There is no site to show" in text_of(opened("history"))
    told = text_of(opened("history"))
    assert "The history cannot be shown" in told
    assert "There is no site to show" not in told


@pytest.mark.parametrize("page", ["ahead", "doors", "history", "live", "rhythm", "trust"])
def test_nor_is_a_link_to_a_zone_or_a_door_that_was_not_told_before(
    page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted_service(ScriptedService(SITES)) as service:
        monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
        opened(page, site="s1")
    told = text_of(opened(page, site="s1", **{"door" if page == "doors" else "zone": "z9"}))
    assert "cannot be shown" in told
    assert "removed" not in told
    assert "not known here" not in told


@pytest.mark.parametrize("page", sorted({*OF_ONE_SITE} - {"compare"}))
def test_a_link_to_a_site_that_was_not_told_before_is_not_called_wrong_while_the_service_is_away(
    page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted_service(ScriptedService(SITES)) as service:
        monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
        opened(page, site="s1")
    told = text_of(opened(page, site="s9"))
    assert "cannot be shown" in told
    assert "removed" not in told
