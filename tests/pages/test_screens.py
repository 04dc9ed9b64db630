from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import segno
from streamlit.testing.v1 import AppTest

from api_client import NotFound
from components.panels.screen_draft import round_sentence
from components.panels.screen_link import link_code
from components.panels.screen_preview import Shown, begun_with, missing_for
from gauge.levels import Thresholds
from runtime import get_viewers
from runtime.cache import Cache
from runtime.resources import get_screens, get_shown
from screens import Composition, Language, Screen, Theme, View, ViewKind, Words
from screens.directory import Known
from screens.shown import shown_views
from screens.store import FILE_NAME
from tests.pages.analysis import Counted, text_of
from tests.running_service import ROOT, free_port
from tests.scripted_service import KEY, ScriptedService, scripted_service
from tests.small_disk import small_disk

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
    assert "The screen “Entrance” exists" in app.header[0].value
    assert "shown only here and only now" in text_of(app)
    assert "Nobody looks at it now." in text_of(app)
    press(app, "Close: I have the link")
    assert shown_link(app) is None
    assert "No link leads to this screen." not in text_of(app)


def test_the_code_of_a_link_says_the_link_and_keeps_its_white_margin() -> None:
    """Every module of the picture is that of the code, dark on white with four modules of white around."""
    link = "http://192.168.1.5:8501/shop/screen/" + "a-_Z" * 8
    picture = ET.fromstring(link_code(link))
    modules = [list(row) for row in segno.make_qr(link, error="m").matrix]
    size = len(modules) + 8
    assert picture.get("viewBox") == f"0 0 {size} {size}"
    ground, lines = picture.iter("{http://www.w3.org/2000/svg}path")
    assert (ground.get("fill"), lines.get("stroke")) == ("#fff", "#000")
    assert drawn(lines.get("d") or "", size) == [
        *([[0] * size] * 4),
        *([*([0] * 4), *row, *([0] * 4)] for row in modules),
        *([[0] * size] * 4),
    ]


def drawn(path: str, size: int) -> list[list[int]]:
    """Which modules horizontal strokes cover: `M4 4.5h7m1 0h1m-9 1h7`, in modules."""
    grid = [[0] * size for _ in range(size)]
    x, y = 0.0, 0.0
    for kind, numbers in re.findall(r"([Mmh])([-\d. ]+)", path):
        across, down = (*map(float, numbers.split()), 0.0)[:2]
        if kind == "h":
            grid[int(y)][int(x) : int(x + across)] = [1] * int(across)
        x, y = (across, down) if kind == "M" else (x + across, y + down)
    return grid


def press(app: AppTest, label: str, number: int = 0) -> None:
    """The `number`th button of its label, of whichever screen."""
    [button for button in app.button if button.label.partition(" *")[0] == label][number].click().run()
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
            thresholds=Thresholds(filling=50, full=80),
            words=Words(free="Hereinspaziert"),
        ),
    )


def test_zones_and_passages_are_put_on_the_floor_plan_by_a_tick() -> None:
    get_screens().create(Composition(name="Door", views=(View(kind=ViewKind.FLOW, site_id=SITE_ID),)))
    app = run(screen=only_screen().id)
    (tick,) = [one for one in app.checkbox if one.label == "On the floor plan"]
    assert not tick.value
    tick.check().run()
    app.button(key="save-screen").click().run()
    assert only_screen().views[0].on_plan
    assert next(
        one for one in run(screen=only_screen().id).checkbox if one.label == "On the floor plan"
    ).value


def test_a_light_without_a_capacity_is_told_before_it_is_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    zones = [{"id": "all", "name": "All"}, {"id": "loft", "name": "Loft", "capacity": 20}]
    barn = {"id": "barn", "name": "Barn", "timezone": "UTC", "zones": zones, "passages": []}
    with scripted_service(ScriptedService(sites=[barn])) as service:
        monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", KEY)
        app = run(screen="new")
        said = "tells no capacity for this place"
        assert said not in text_of(app)
        choose(app, "Shows", 0, ViewKind.LIGHT)
        assert said in text_of(app)
        choose(app, "Zone", 0, "loft")
        assert said not in text_of(app)
        choose(app, "Zone", 0, "all")
        assert said in text_of(app)


def test_how_long_a_round_takes_is_told_and_what_may_take_longer() -> None:
    assert round_sentence([(ViewKind.BOARD, 30)]) == ""
    plain = round_sentence([(ViewKind.NUMBER, 30), (ViewKind.LIGHT, 50)])
    assert plain.endswith("One round takes 1 min 20 s.")
    assert "takes 1 min. It takes longer where “Zones of a site” or “All sites” has" in round_sentence(
        [(ViewKind.SITES, 20), (ViewKind.BOARD, 40)]
    )
    app = run(screen=saved().id)
    assert "One round takes" not in text_of(app)
    press(app, "Add a view")
    assert "One round takes 40 s." in text_of(app)


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


def test_one_press_in_the_gallery_begins_a_screen_of_the_site() -> None:
    app = run()
    assert [button.label for button in app.button[: len(ViewKind)]] == [kind.facts.label for kind in ViewKind]
    press(app, "Enter or wait")
    assert "screen" in app.query_params
    assert app.text_input[0].value == "Corner shop: enter or wait"
    press(app, "Create the screen")
    assert only_screen().views == (View(kind=ViewKind.LIGHT, site_id=SITE_ID),)


def test_a_begun_screen_speaks_the_language_of_its_viewer_and_its_name_fits() -> None:
    site = Shown("a", "x" * 200, has_capacity=False, has_zones=False)
    begun = [begun_with(kind, site, "de-CH") for kind in ViewKind]
    assert {one.language for one in begun} == {Language.GERMAN}
    assert [one.views[0].kind for one in begun] == list(ViewKind)
    assert "capacity" in missing_for(ViewKind.LIGHT, site)
    assert "zones" in missing_for(ViewKind.BOARD, site)
    assert missing_for(ViewKind.NUMBER, site) == ""
    assert begun_with(ViewKind.NUMBER, site, "pt-BR").language is Language.ENGLISH


def test_a_draft_that_cannot_be_shown_says_what_it_misses_and_is_not_saved() -> None:
    app = run(screen="new")
    assert "nothing to preview" not in text_of(app)
    press(app, "Remove")
    assert "There is nothing to preview yet:" in text_of(app)
    assert "A screen needs one view at least" in text_of(app)
    press(app, "Add a view")
    assert "nothing to preview" not in text_of(app)
    assert get_screens().screens() == ()


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
    assert (shown_link(app), "No link leads to this screen." in text_of(app)) == (None, False)
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
    assert shown_link(app)
    assert shown_link(run()) is None
    get_screens().rotate(only_screen().id)
    app.run()
    assert shown_link(app) is None
    assert "No link leads to this screen." not in text_of(app)


def test_link_that_other_devices_cannot_open_is_said_to_be_one(monkeypatch: pytest.MonkeyPatch) -> None:
    screen_id = saved().id
    app = run()
    press(app, "New link now")
    assert only_screen().id == screen_id
    assert ("A television cannot reach this address" in text_of(app)) == ("//localhost" in app.code[0].value)


def test_saving_a_screen_that_somebody_deleted_says_that_it_is_lost() -> None:
    screen = saved()
    app = run(screen=screen.id)
    app.text_input[0].set_value("Back door").run()
    get_screens().delete(screen.id)
    press(app, "Save")
    assert "This screen is no more: somebody deleted it meanwhile." in text_of(app)
    assert "No screen is saved yet." in text_of(app)
    assert app.query_params["screen"] == screen.id


def test_a_screen_that_another_tab_changed_is_not_replaced_unsaid() -> None:
    screen = saved()
    app = run(screen=screen.id)
    get_screens().rotate(screen.id)
    assert "Somebody changed this screen" not in text_of(app.run())
    get_screens().replace(screen.id, screen.composition.model_copy(update={"name": "Back door"}))
    assert "Somebody changed this screen since you opened it here." in text_of(app.run())
    press(app, "Back to the list")
    press(app, "Edit")
    assert app.text_input[0].value == "Back door"
    assert "Somebody changed this screen" not in text_of(app)


def test_a_disk_that_is_full_keeps_the_draft_and_the_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with small_disk(tmp_path / "disk") as disk:
        monkeypatch.setenv("HEADROOM_DATA_DIR", str(disk.folder / "dashboard"))
        saved("Front")
        app = run(screen="new")
        app.text_input[0].set_value("Back").run()
        disk.fill()
        press(app, "Create the screen")
        assert "make room there" in app.error[0].value
        assert app.text_input[0].value == "Back"
        disk.make_room()
        press(app, "Create the screen")
        assert [heading.value for heading in app.header if heading.value in {"Front", "Back"}] == [
            "Front",
            "Back",
        ]
        get_screens().close()


def test_while_the_file_is_away_nothing_is_said_to_be_saved_and_the_page_says_so_on_top(
    tmp_path: Path,
) -> None:
    saved("Front")
    app = run(screen="new")
    app.text_input[0].set_value("Back").run()
    file, aside = tmp_path / "dashboard" / FILE_NAME, tmp_path / "aside"
    file.rename(aside)
    press(app, "Create the screen")
    assert "the file was removed" in app.error[0].value
    assert shown_link(app) is None
    there = run()
    assert "the file was removed" in text_of(there)
    assert "Pictures of" not in {choice.label for choice in there.selectbox}
    aside.rename(file)
    press(app, "Create the screen")
    assert [screen.name for screen in get_screens().screens()] == ["Front", "Back"]


def test_a_press_in_a_list_that_is_away_meanwhile_is_said_to_be_unheard_until_it_is_closed(
    tmp_path: Path,
) -> None:
    before = saved("Front")
    app = run()
    file, aside = tmp_path / "dashboard" / FILE_NAME, tmp_path / "aside"
    file.rename(aside)
    press(app, "Revoke now")
    assert "What you pressed was not done" in app.error[0].value
    assert "What you pressed was not done" in app.run().error[0].value
    aside.rename(file)
    assert "What you pressed was not done" in text_of(app.run())
    assert only_screen().link == before.link
    press(app, "Close")
    press(app, "Revoke now")
    assert "was not done" not in text_of(app)
    assert only_screen().link is None


def test_a_link_to_a_screen_that_is_not_there_says_so_and_stays() -> None:
    app = run(screen="torn-down")
    for _ in range(2):
        assert "There is no screen “torn-down”" in text_of(app)
        assert "No screen is saved yet." in text_of(app)
        assert app.query_params["screen"] == "torn-down"
        app.run()
    press(app, "Compose a screen")
    assert "torn-down" not in text_of(app)
    assert app.query_params["screen"] == "new"


def test_a_link_that_somebody_replaced_is_said_to_be_dead() -> None:
    saved()
    app = run()
    press(app, "New link now")
    assert "works no more" not in text_of(app)
    get_screens().rotate(only_screen().id)
    assert "The link that was shown here works no more" in text_of(app.run())
    assert "works no more" not in text_of(run())


ABOVE_THE_LIST = """
import streamlit as st
from components.panels.screen_link import have_died
from runtime import get_screens

st.text(str(have_died(get_screens().screens())))
"""


def test_an_editor_says_what_others_made_of_the_link_meanwhile() -> None:
    screen = saved()
    app = run()
    press(app, "New link now")
    press(app, "Edit")
    assert shown_link(app)
    get_screens().rotate(screen.id)
    assert "The link that was shown here works no more" in text_of(app.run())
    assert shown_link(app) is None
    get_screens().revoke(screen.id)
    assert "No link leads to this screen." in text_of(app.run())


def test_a_list_that_reads_anew_notices_once_that_a_link_above_it_died() -> None:
    app = run(screen="new")
    app.text_input[0].set_value("Entrance").run()
    press(app, "Create the screen")
    above = AppTest.from_string(ABOVE_THE_LIST)
    above.session_state["screen-links"] = app.session_state["screen-links"]
    assert above.run().text[0].value == "False"
    get_screens().revoke(only_screen().id)
    assert above.run().text[0].value == "True"
    assert above.run().text[0].value == "False"


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
    assert "The screen “Door” is deleted." in text_of(app)


def test_what_was_deleted_or_revoked_last_is_put_back() -> None:
    before = saved()
    app = run()
    press(app, "Delete now")
    press(app, "Undo")
    assert (only_screen().composition, only_screen().link) == (before.composition, before.link)
    assert "is deleted" not in text_of(app)
    press(app, "Revoke now")
    assert only_screen().link is None
    press(app, "Undo")
    assert only_screen().link == before.link


def test_a_deed_that_cannot_be_done_is_told_above_the_list() -> None:
    saved("Front")
    app = run()
    press(app, "Revoke now")
    get_screens().delete(only_screen().id)
    saved("Back")
    press(app, "Undo")
    said = text_of(app)
    assert "This screen is no longer there: somebody has deleted it." in said
    assert "cannot be shown" not in said
    assert [heading.value for heading in app.header] == ["Back"]
    press(app, "Close")
    assert "no longer there" not in text_of(app)


def test_a_link_that_was_replaced_meanwhile_is_not_put_back_and_the_page_says_so() -> None:
    saved()
    app = run()
    press(app, "Revoke now")
    get_screens().rotate(only_screen().id)
    get_screens().revoke(only_screen().id)
    press(app, "Undo")
    assert only_screen().link is None
    assert "This is not undone: the screen was changed meanwhile. It can be given a new link." in text_of(app)


def test_many_screens_are_found_by_words_and_by_state_and_come_in_pages() -> None:
    for number in range(1, 24):
        get_screens().create(
            Composition(name=f"Door {number}", views=(View(kind=ViewKind.NUMBER, site_id=SITE_ID),))
        )
    first, *_ = get_screens().screens()
    get_screens().revoke(first.id)
    app = run()
    assert listed(app) == [f"Door {number}" for number in range(1, 11)]
    assert "1 to 10 of 23 screens" in said_small(app)
    last = run(page="3")
    assert listed(last) == ["Door 21", "Door 22", "Door 23"]
    assert "21 to 23 of 23 screens" in said_small(last)
    revoked = run(show="revoked")
    assert listed(revoked) == ["Door 1"]
    assert "1 found of 23 screens" in said_small(revoked)
    assert "11 to 20 of 22 found of 23 screens" in said_small(run(show="unseen", page="2"))
    app.text_input(key="find").set_value("door 2 corner").run()
    assert listed(app) == ["Door 2", "Door 12", "Door 20", "Door 21", "Door 22", "Door 23"]
    assert "6 found of 23 screens" in said_small(app)
    app.text_input(key="find").set_value("cellar").run()
    assert "None of the 23 screens matches “cellar”." in text_of(app).replace("\\", "")


def said_small(app: AppTest) -> list[str]:
    return [caption.value for caption in app.caption]


def listed(app: AppTest) -> list[str]:
    return [heading.value for heading in app.header]


def test_who_looks_now_is_listed() -> None:
    screen = saved()
    agent = "Mozilla/5.0 (X11; Linux armv7l) Chrome/85.0"
    with get_viewers().looking(screen.id, "192.168.1.23", agent):
        said = text_of(run())
    assert "**1 viewer now:** Chrome 85 on X11; Linux armv7l, 192.168.1.*, since" in said


def test_why_a_screen_shows_no_number_is_said_here() -> None:
    """Its wall tells passers-by only that there is none, and since when."""
    screen = saved()
    (view,) = shown_views(
        screen, Known({SITE_ID: NotFound("There is no such site.", code="X", request_id="r-7")})
    )
    get_shown().note(screen.id, [view])
    (said,) = [warning.value for warning in run().warning]
    assert said.startswith("**View 1 shows no number.** There is no such site")
    assert "Request id r\\-7" in said
    get_screens().revoke(screen.id)
    assert not run().warning
    get_screens().rotate(screen.id)
    get_shown().note(screen.id, [])
    assert not run().warning


def test_a_reason_that_several_screens_share_is_said_once() -> None:
    for name in ("Front", "Back"):
        views = (View(kind=ViewKind.NUMBER, site_id=SITE_ID),) * 3
        made = get_screens().by_id(get_screens().create(Composition(name=name, views=views)).id)
        assert isinstance(made, Screen)
        get_shown().note(
            made.id, shown_views(made, Known({SITE_ID: NotFound("There is no such site.", code="X")}))
        )
    said = [warning.value for warning in run().warning]
    assert said[0].startswith("**2 screens have views without a number.** There is no such site")
    assert said[1:] == ["**Views 1, 2, 3 show no number**, as said above."] * 2


def test_each_screen_of_the_list_has_a_preview_behind_a_press() -> None:
    saved()
    app = run()
    assert "Preview, as it is saved." not in text_of(app)
    press(app, "Preview")
    assert "Preview, as it is saved." in text_of(app)
    press(app, "Preview")
    assert "Preview, as it is saved." not in text_of(app)


def test_names_are_text_and_not_markdown() -> None:
    saved("**Bold** [link](x)")
    assert [heading.value for heading in run().header] == ["\\*\\*Bold\\*\\* \\[link\\]\\(x\\)"]


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


def test_nothing_is_offered_to_compose_while_no_site_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted_service(ScriptedService([{"id": "a", "name": "A", "zones": []}])) as service:
        monkeypatch.setenv("HEADROOM_API_KEY", KEY)
        monkeypatch.setenv("HEADROOM_BASE_URL", f"http://127.0.0.1:{free_port()}")
        app = run()
        assert "A screen can be composed as soon as one can" in text_of(app)
        assert "Compose a screen" not in [button.label for button in app.button]
        monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
        app.run()
        assert "A screen can be composed as soon as one can" not in text_of(app)
        assert "Compose a screen" in [button.label for button in app.button]
    monkeypatch.setattr("runtime.reads._sites", Cache(timedelta(0), most=9))
    app.run()
    assert "A screen can be composed as soon as one can" in text_of(app)
