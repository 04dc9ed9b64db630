from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from runtime import get_screens, get_viewers
from screens import Composition, Screen, View, ViewKind
from tests.pages.analysis import Counted, text_of
from tests.running_service import ROOT

SITE_ID = "corner-shop"


@pytest.fixture(autouse=True)
def _fresh_store(counted: Counted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path / "dashboard"))
    return


def run(**parameters: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=60)
    for name, value in parameters.items():
        app.query_params[name] = value
    app.switch_page("pages/screens.py").run()
    assert not app.exception
    return app


def saved(name: str = "Door") -> Screen:
    view = View(kind=ViewKind.NUMBER, site_id=SITE_ID)
    return get_screens().create(Composition(name=name, views=(view,)))


def test_without_screens_the_page_says_what_to_do() -> None:
    app = run()
    assert "No screen is saved yet." in text_of(app)


def test_a_screen_is_composed_and_its_link_is_shown() -> None:
    app = run()
    press(app, "Compose a screen")
    app.text_input[0].set_value("Entrance").run()
    press(app, "Create the screen")
    (screen,) = get_screens().screens()
    assert (screen.name, screen.views) == ("Entrance", (View(kind=ViewKind.NUMBER, site_id=SITE_ID),))
    press(app, "Back to the list")
    assert [code.value.rsplit("/", 2)[1:] for code in app.code] == [["screen", screen.token]]
    assert "Nobody looks at it now." in text_of(app)


def press(app: AppTest, label: str) -> None:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception
