"""A past that is remembered, and wrong: what a page says of it, and how its reader has it read again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from page_list import PAGES
from tests.pages.analysis import text_of
from tests.pages.pair_of_sites import run
from tests.runtime.test_past_anew import Loading
from tests.scripted_service import KEY, scripted_service

SITE = {"id": "a", "name": "A", "timezone": "Etc/UTC", "zones": [], "passages": []}
REMEMBERED = "What is over is remembered for up to 60 min: counts that come late may be missing so long."


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loading]:
    with scripted_service(Loading(sites=[SITE])) as running:
        monkeypatch.setenv("HEADROOM_BASE_URL", running.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", KEY)
        assert isinstance(running, Loading)
        yield running


def history() -> AppTest:
    days = {"range": "dates", "from": "2026-03-02T00:00", "to": "2026-03-04T00:00"}
    return run("history", site="a", metric="entrances", **days)


def test_a_wrong_past_stays_for_a_new_visitor_and_is_read_again_by_whoever_presses(service: Loading) -> None:
    service.part = 0.5
    mine = history()
    assert "72 came" in text_of(mine)
    service.part = 1.0
    other = history()
    assert "72 came" in text_of(other)
    assert REMEMBERED in text_of(mine)
    mine.button(key="read-past").click().run()
    assert not mine.exception
    assert "144 came" in text_of(mine)
    assert "Read again at " in text_of(mine)
    assert REMEMBERED not in text_of(mine)
    assert "144 came" in text_of(other.run())
    assert REMEMBERED in text_of(other)


def test_every_page_of_a_past_has_it_and_no_other(service: Loading) -> None:
    assert service.base_url
    pages = {page.name for page in PAGES if not page.section}
    found = {name for name in sorted(pages) if any(one.key == "read-past" for one in run(name).button)}
    assert found == {"history", "replay", "rhythm", "compare", "ahead", "trust"}
