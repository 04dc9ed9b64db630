from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from runtime import get_screens, get_viewers
from screens import Composition, Language, Limits, Screen, Theme, View, ViewKind, Words
from tests.pages.analysis import Counted, text_of
from tests.running_service import ROOT, free_port

SITE_ID = "corner-shop"


@pytest.fixture(autouse=True)
def _fresh_store(counted: Counted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path / "dashboard"))


def run(**parameters: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=60)
    for name, value in parameters.items():
        app.query_params[name] = value
    app.switch_page("pages/screens.py").run()
    assert not app.exception
    return app


def saved(name: str = "Door") -> Screen:
    view = View(kind=ViewKind.NUMBER, site_id=SITE_ID)
    get_screens().create(Composition(name=name, views=(view,)))
    return only_screen()


def only_screen() -> Screen:
    (screen,) = get_screens().screens()
    assert isinstance(screen, Screen)
    return screen


def shown_link(app: AppTest) -> str | None:
    """The token of the one link on the page."""
    links = [code.value.rsplit("/", 2)[1:] for code in app.code]
    assert len(links) <= 1
    return links[0][1] if links else None


def test_without_screens_the_page_says_what_to_do() -> None:
    app = run()
    assert "No screen is saved yet." in text_of(app)


def test_a_screen_is_composed_and_its_link_is_shown() -> None:
    app = run()
    press(app, "Compose a screen")
    app.text_input[0].set_value("Entrance").run()
    press(app, "Create the screen")
    screen = only_screen()
    assert (screen.name, screen.views) == ("Entrance", (View(kind=ViewKind.NUMBER, site_id=SITE_ID),))
    token = shown_link(app)
    assert token
    assert screen.is_opened_by(token)
    press(app, "Back to the list")
    assert shown_link(app) == token
    assert "Nobody looks at it now." in text_of(app)


def press(app: AppTest, label: str, number: int = 0) -> None:
    """The `number`th button of its label."""
    [button for button in app.button if button.label == label][number].click().run()
    assert not app.exception


def test_a_screen_without_a_name_is_not_saved_and_the_page_says_why() -> None:
    app = run(screen="new")
    press(app, "Create the screen")
    assert [error.value.replace("\\", "") for error in app.error] == [
        "Give the screen a name, such as the place where it hangs."
    ]
    assert get_screens().screens() == ()


def test_views_are_added_moved_and_removed() -> None:
    screen = saved()
    app = run(screen=screen.id)
    press(app, "Add a view")
    choose(app, "Shows", 1, ViewKind.BOARD)
    press(app, "Add a view")
    choose(app, "Shows", 2, ViewKind.SITES)
    press(app, "Earlier", 2)
    press(app, "Save")
    assert kinds() == [ViewKind.NUMBER, ViewKind.SITES, ViewKind.BOARD]
    press(app, "Remove", 0)
    press(app, "Save")
    assert kinds() == [ViewKind.SITES, ViewKind.BOARD]


def test_a_light_has_a_zone_limits_a_time_and_words_of_its_own() -> None:
    app = run(screen=saved().id)
    choose(app, "Shows", 0, ViewKind.LIGHT)
    choose(app, "Zone", 0, "cafe")
    app.number_input[0].set_value(45).run()
    app.slider[0].set_value((50, 80)).run()
    next(field for field in app.text_input if field.label == "Word for free").set_value(
        "Hereinspaziert"
    ).run()
    press(app, "Save")
    screen = only_screen()
    assert screen.views == (
        View(
            kind=ViewKind.LIGHT,
            site_id=SITE_ID,
            zone_id="cafe",
            seconds=45,
            thresholds=Limits(filling=50, full=80),
            words=Words(free="Hereinspaziert"),
        ),
    )


def test_what_is_saved_is_what_the_editor_opens_with() -> None:
    view = View(kind=ViewKind.GAUGE, site_id=SITE_ID, zone_id="hall", seconds=33)
    composition = Composition(name="Hall", views=(view,), theme=Theme.DARK, language=Language.ITALIAN)
    app = run(screen=get_screens().create(composition).id)
    press(app, "Save")
    assert only_screen().composition == composition


def test_a_renamed_screen_keeps_its_link() -> None:
    screen = saved()
    app = run(screen=screen.id)
    app.text_input[0].set_value("Back door").run()
    press(app, "Save")
    renamed = only_screen()
    assert (renamed.name, renamed.link) == ("Back door", screen.link)


def test_what_is_not_saved_yet_is_said() -> None:
    app = run(screen=saved().id)
    assert "Not saved yet" not in text_of(app)
    app.text_input[0].set_value("Back door").run()
    assert "Not saved yet" in text_of(app)
    press(app, "Save")
    assert "Not saved yet" not in text_of(app)


def test_leaving_the_editor_forgets_what_was_not_saved() -> None:
    screen = saved()
    app = run(screen=screen.id)
    app.text_input[0].set_value("Back door").run()
    press(app, "Back to the list")
    press(app, "Edit")
    assert app.text_input[0].value == "Door"
    assert get_screens().screens() == (screen,)


def test_a_zone_that_is_gone_is_kept_and_marked() -> None:
    view = View(kind=ViewKind.NUMBER, site_id=SITE_ID, zone_id="torn-down")
    screen = get_screens().create(Composition(name="Old", views=(view,)))
    app = run(screen=screen.id)
    press(app, "Save")
    assert only_screen().views == (view,)
    zone = next(box for box in app.selectbox if box.label == "Zone")
    assert "torn-down (not there now)" in zone.options


def test_a_link_is_rotated_revoked_and_brought_back() -> None:
    first = saved().link
    app = run()
    assert (shown_link(app), "A link leads to this screen." in text_of(app)) == (None, True)
    press(app, "New link now")
    second = shown_link(app)
    assert second
    assert only_screen().is_opened_by(second)
    press(app, "Revoke now")
    assert (only_screen().link, shown_link(app)) == (None, None)
    assert "No link leads to this screen." in text_of(app)
    assert not [button for button in app.button if button.label == "Revoke now"]
    press(app, "New link now")
    third = shown_link(app)
    assert third not in (None, second)
    assert only_screen().link not in (None, first)


def test_link_is_shown_in_the_session_that_made_it_and_only_while_it_opens_the_screen() -> None:
    app = run(screen="new")
    app.text_input[0].set_value("Entrance").run()
    press(app, "Create the screen")
    press(app, "Back to the list")
    assert shown_link(app)
    assert shown_link(run()) is None
    get_screens().rotate(only_screen().id)
    app.run()
    assert shown_link(app) is None
    assert "A link leads to this screen." in text_of(app)


def test_link_that_other_devices_cannot_open_is_said_to_be_one(monkeypatch: pytest.MonkeyPatch) -> None:
    screen_id = saved().id
    app = run()
    press(app, "New link now")
    assert only_screen().id == screen_id
    assert ("works on this computer only" in text_of(app)) == ("//localhost" in app.code[0].value)


def test_saving_a_screen_that_somebody_deleted_says_that_it_is_lost() -> None:
    screen = saved()
    app = run(screen=screen.id)
    app.text_input[0].set_value("Back door").run()
    get_screens().delete(screen.id)
    press(app, "Save")
    assert "This screen is no more: somebody deleted it meanwhile." in text_of(app)
    assert "No screen is saved yet." in text_of(app)
    assert "screen" not in app.query_params


def test_a_link_to_a_screen_that_is_not_there_says_so() -> None:
    app = run(screen="torn-down")
    assert "There is no such screen" in text_of(app)
    assert "screen" not in app.query_params
    assert "There is no such screen" not in text_of(app.run())


def test_a_link_that_somebody_replaced_is_said_to_be_dead() -> None:
    saved()
    app = run()
    press(app, "New link now")
    assert "works no more" not in text_of(app)
    get_screens().rotate(only_screen().id)
    assert "The link that was shown here works no more" in text_of(app.run())
    assert "works no more" not in text_of(run())


def test_the_questions_speak_of_a_link_only_where_there_is_one() -> None:
    screen = saved()
    assert "The link in use stops working" in text_of(run())
    get_screens().revoke(screen.id)
    said = text_of(run())
    assert "link in use stops working" not in said
    assert "The screen can be opened again, with the new link" in said


def test_a_screen_is_deleted() -> None:
    saved()
    app = run()
    press(app, "Delete now")
    assert get_screens().screens() == ()
    assert "No screen is saved yet." in text_of(app)


def test_who_looks_now_is_listed() -> None:
    screen = saved()
    agent = "Mozilla/5.0 (X11; Linux armv7l) Chrome/85.0"
    with get_viewers().looking(screen.id, "192.168.1.23", agent):
        said = text_of(run())
    assert "**1 viewer now:** Chrome 85 on X11; Linux armv7l, 192.168.1.*, since" in said


def test_names_are_text_and_not_markdown() -> None:
    saved("**Bold** [link](x)")
    assert [heading.value for heading in run().subheader] == ["\\*\\*Bold\\*\\* \\[link\\]\\(x\\)"]


def test_the_list_is_there_while_the_service_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    saved()
    monkeypatch.setenv("HEADROOM_BASE_URL", f"http://127.0.0.1:{free_port()}")
    app = run()
    assert "Number and places left: corner" in text_of(app)


def test_a_store_that_cannot_be_used_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path / "file" / "dashboard"))
    assert "The list of screens cannot be shown." in text_of(run())


def kinds() -> list[ViewKind]:
    return [view.kind for view in only_screen().views]


def choose(app: AppTest, label: str, number: int, option: str) -> None:
    """In the select box that is the `number`th of its label."""
    [box for box in app.selectbox if box.label == label][number].set_value(option).run()
    assert not app.exception
