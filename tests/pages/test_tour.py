"""How the tour of the demo begins."""

from __future__ import annotations

import pytest
from streamlit.runtime.context import ContextProxy, StreamlitCookies
from streamlit.testing.v1 import AppTest

from components.page_frame import TOURED
from tests.pages.analysis import PATIENCE, Counted, text_of
from tests.running_service import ROOT


def opened() -> AppTest:
    return AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=PATIENCE).run()


def test_the_bare_address_of_the_demo_begins_the_tour_once(
    counted: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert counted.service
    monkeypatch.setenv("HEADROOM_DEMO", "1")
    test = opened()
    assert "Tour, 1 of 6." in text_of(test)
    assert test.query_params["tour"] == "1"
    test.query_params.clear()
    test.switch_page("pages/overview.py").run()
    assert "Tour, 1 of 6." not in text_of(test), "who comes back sees what was asked for"


def test_without_the_demo_the_bare_address_is_the_overview(counted: Counted) -> None:
    assert counted.service
    test = opened()
    assert "Tour, 1 of 6." not in text_of(test)
    assert "Overview" in text_of(test)


def test_a_browser_that_has_seen_it_stays_at_the_bare_address(
    counted: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert counted.service
    monkeypatch.setenv("HEADROOM_DEMO", "1")
    monkeypatch.setattr(ContextProxy, "cookies", property(lambda _: StreamlitCookies({TOURED: "1"})))
    test = opened()
    assert "Tour, 1 of 6." not in text_of(test)
    assert "Overview" in text_of(test)


@pytest.mark.parametrize("asked", [["9"], ["abc"], ["1", "2"]])
def test_a_stop_that_is_none_has_no_bar_and_is_said_until_it_is_left_out(
    counted: Counted, asked: list[str]
) -> None:
    assert counted.service
    test = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=PATIENCE)
    test.query_params["tour"] = asked
    test.run()
    assert "Overview" in text_of(test)
    assert "This link asks for what is not known here: tour “" in text_of(test)
    assert "Tour," not in text_of(test)
    next(one for one in test.button if one.label == "Leave it out of the link").click().run()
    assert "not known here" not in text_of(test)
    assert "tour" not in test.query_params
