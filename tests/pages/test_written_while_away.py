"""What somebody writes or chooses while the database that dashboards share gives no answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from runtime.floor_plans import read_kept_plan
from runtime.kept_place import close_kept_place
from runtime.site_knowledge import read_kept_hours, read_notes
from runtime.site_knowledge_store import SiteKnowledgeError
from tests.eventually import PATIENCE
from tests.pages.analysis import Counted
from tests.pages.test_floor_plan import OPEN, png
from tests.pages.test_opening_hours import SHOP, editor, kept_week, press, told, written
from tests.running_postgresql import postgresql_url, running_postgresql

NOTHING_CHANGED = "so that nothing was changed; do it again when it does"


@pytest.fixture(autouse=True)
def _shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("HEADROOM_SECRET", "a secret that all dashboards have alike")
    monkeypatch.setenv("HEADROOM_DASHBOARD_STORE", postgresql_url(tmp_path))
    yield
    close_kept_place()


def while_away(do: Callable[[], None]) -> None:
    """And until it is back: nobody asks for two seconds after a failure."""
    server = running_postgresql()
    server.stop()
    try:
        do()
    finally:
        server.start()
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            read_kept_hours(SHOP)
        except SiteKnowledgeError:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        else:
            return


def again(test: AppTest) -> str:
    """As the page is drawn by itself; what it tells then."""
    test.run()
    assert not test.exception
    return told(test)


def test_opening_hours_stand_and_are_kept_once_it_is_back(counted: Counted) -> None:
    mine = editor(counted)

    def write() -> None:
        mine.text_input[0].set_value("9-18").run()
        press(mine, "Keep these hours")
        assert NOTHING_CHANGED in told(mine)
        said = again(mine)
        assert written(mine)[0] == "9-18"
        assert "The opening hours: what was read at " in said

    while_away(write)
    press(mine, "Keep these hours")
    assert kept_week()[0] == ((540, 1080),)
    assert "what was read at" not in told(mine)


def test_a_picture_of_a_floor_stays_chosen_and_is_kept_once_it_is_back(counted: Counted) -> None:
    mine = counted.as_it_opens("site", OPEN, site=SHOP)

    def choose() -> None:
        mine.file_uploader[0].upload("plan.png", png()).run()
        press(mine, "Use this picture")
        said = told(mine)
        assert NOTHING_CHANGED in said
        assert "The picture is still chosen here." in said
        assert "The floor plan: what was read at " in again(mine)

    while_away(choose)
    press(mine, "Use this picture")
    assert read_kept_plan(SHOP).plan
    assert "The picture is kept." in told(mine)


def test_a_note_stands_and_is_kept_once_it_is_back(counted: Counted) -> None:
    mine = counted.as_it_opens("history", ("folded-sticky_note_2",), site=SHOP)

    def write() -> None:
        mine.text_input[0].set_value("sale begins").run()
        press(mine, "Keep this note")
        assert NOTHING_CHANGED in told(mine)
        said = again(mine)
        assert written(mine)[0] == "sale begins"
        assert "The notes: what was read at " in said
        assert "cannot be shown" not in said

    while_away(write)
    press(mine, "Keep this note")
    assert [note.text for note in read_notes(SHOP).values()] == ["sale begins"]


def test_a_page_that_opens_meanwhile_says_why_it_shows_none(counted: Counted) -> None:
    def open_page() -> None:
        said = told(counted.as_it_opens("site", OPEN, site=SHOP))
        assert "The floor plan cannot be shown." in said.replace("*", "")
        assert "what was read at" not in said

    while_away(open_page)
