"""Doors, rankings and ways of a service that answers for some doors alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.administration import said
from tests.running_service import ROOT
from tests.scripted_service import KEY, ScriptedService, scripted_service

HALL = {"id": "hall", "name": "Hall"}
DOORS = [{"id": id_, "name": id_.title(), "toZoneId": "hall"} for id_ in ("east", "west")]
SHOP = {"id": "shop", "name": "Shop", "timezone": "Etc/UTC", "zones": [HALL], "passages": DOORS}
UNREAD = re.compile(
    r"1 of the doors could not be read, so no shares are known: since .+, tried again every 10 s\."
)


@pytest.fixture(autouse=True)
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedService]:
    other = SHOP | {"id": "other", "name": "Other"}
    scripted = ScriptedService(sites=[SHOP, other], past=range(300), passage_failures={"west": 500})
    with scripted_service(scripted):
        monkeypatch.setenv("HEADROOM_BASE_URL", scripted.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", KEY)
        monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path))
        yield scripted


@pytest.mark.parametrize(
    ("page", "opened"), [("doors", ""), ("history", "folded-leaderboard"), ("history", "folded-door_front")]
)
def test_of_a_door_that_is_not_read_no_shares_are_told_until_it_is(
    service: ScriptedService, page: str, opened: str
) -> None:
    test = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=60)
    test.query_params["site"] = "shop"
    if opened:
        test.session_state[opened] = True
    test.switch_page(f"pages/{page}.py").run()
    assert not test.exception
    assert UNREAD.search(said(test))
    (of_shop,) = test.session_state["failing-since"]
    test.query_params["site"] = "other"
    test.run()
    assert UNREAD.search(said(test))
    assert {*test.session_state["failing-since"]} - {of_shop}, "another site has a time of its own"
    test.query_params["site"] = "shop"
    service.passage_failures.clear()
    test.run()
    assert not test.exception
    assert "could not be read" not in said(test)


def test_ways_that_are_not_read_are_told_apart_from_those_without_counts_until_they_are(
    service: ScriptedService,
) -> None:
    test = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=60)
    test.query_params["site"] = "shop"
    test.session_state["folded-conversion_path"] = True
    test.switch_page("pages/history.py").run()
    assert not test.exception
    unread = "1 of 2 passages could not be read; they are not drawn"
    assert re.search(f"{unread}: since .+, tried again every 10 s", said(test))
    assert "no counts in this range" not in said(test)
    assert "Of the passages with counts, most cross East inwards" in said(test)
    service.passage_failures.clear()
    test.run()
    assert not test.exception
    assert "could not be read" not in said(test)


def test_that_nobody_crossed_is_not_said_of_a_passage_that_is_not_read(service: ScriptedService) -> None:
    service.metrics = {"visitorsInside": 0, "entrances": 0, "exits": 0}
    test = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=60)
    test.query_params["site"] = "shop"
    test.session_state["folded-conversion_path"] = True
    test.switch_page("pages/history.py").run()
    assert not test.exception
    assert "Nobody crossed a passage inwards." not in said(test)
    assert "Of the passages with counts, nobody crossed one inwards." in said(test)
    service.passage_failures.clear()
    assert "Nobody crossed a passage inwards." in said(test.run())
