"""A screen is composed in the browser, its link is opened on a wall, and the wall follows what is decided."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest
from playwright.sync_api import Browser, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from screens import Composition, Language, ScreenStore, View, ViewKind
from tests.e2e.conftest import Stage
from tests.running_dashboard import start_dashboard
from tests.running_service import start_service


@pytest.fixture
def bare_stage(emptied_stage: Stage) -> Stage:
    """The shared one with nobody inside and no screen."""
    store = ScreenStore(emptied_stage.dashboard.log_file.parent)
    for screen in store.screens():
        store.delete(screen.id)
    store.close()
    return emptied_stage


def kept(stage: Stage, name: str, language: Language = Language.ENGLISH) -> str:
    """The link of a screen with one view that the dashboard has in its store."""
    store = ScreenStore(stage.dashboard.log_file.parent)
    view = View(kind=ViewKind.NUMBER, site_id=stage.site.site_id)
    screen = store.create(Composition(name=name, views=(view,), language=language))
    store.close()
    return stage.url(f"/screen/{screen.token}")


def compose(page: Page, stage: Stage, name: str) -> str:
    """Save a screen with the view that is offered first; its link."""
    page.goto(stage.url("/screens"))
    page.get_by_role("button", name="Compose a screen").click()
    page.get_by_label("Name").fill(name)
    page.get_by_label("Name").press("Enter")
    page.get_by_role("button", name="Create the screen").click()
    expect(page.get_by_role("heading", name=f"The screen “{name}” exists")).to_be_in_viewport()
    expect(page.get_by_test_id("stCode").first).to_be_in_viewport()
    expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()
    return page.get_by_test_id("stCode").inner_text().strip()


def test_a_composed_screen_shows_the_number_on_a_wall_and_goes_dark_when_revoked(
    page: Page, browser: Browser, bare_stage: Stage
) -> None:
    bare_stage.post(17)
    link = compose(page, bare_stage, "Entrance")
    assert re.fullmatch(re.escape(bare_stage.dashboard.base_url) + r"/screen/[\w-]{32}", link)
    context = browser.new_context(locale="en-GB", reduced_motion="reduce")
    wall = context.new_page()
    faults: list[str] = []
    wall.on("pageerror", lambda error: faults.append(str(error)))
    wall.goto(link)
    expect(wall.get_by_text("17", exact=True).first).to_be_visible()
    expect(page.get_by_text("1 viewer now:")).to_be_visible()
    bare_stage.post(5)
    expect(wall.get_by_text("22", exact=True).first).to_be_visible()
    page.get_by_role("button", name="Revoke").click()
    page.get_by_role("button", name="Revoke now").click()
    expect(page.get_by_text("No link leads to this screen.")).to_be_visible()
    expect(wall.get_by_text("This screen is not in use")).to_be_visible()
    expect(wall.get_by_text("22", exact=True)).to_have_count(0)
    assert faults == []
    context.close()


def test_each_button_of_a_list_of_screens_says_of_which_to_those_who_do_not_see_it(
    page: Page, bare_stage: Stage
) -> None:
    for name in ("Front *door*", "Back door"):
        kept(bare_stage, name)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(bare_stage.url("/screens"))
    for label in ("Preview", "Edit", "New link", "Revoke", "Delete"):
        for name in ("Front *door*", "Back door"):
            button = page.get_by_role("button", name=f"{label} {name}", exact=True)
            expect(button).to_be_visible()
            # What is seen is the label alone: the button is as wide as its icons and that.
            assert button.locator("p").evaluate("node => node.scrollWidth") < 80
    page.get_by_role("button", name="Delete Back door").click()
    page.get_by_role("button", name="Delete now").click()
    expect(page.get_by_text("The screen “Back door” is deleted.").first).to_be_visible()
    expect(page.get_by_role("heading", name="Front *door*", exact=True)).to_be_visible()


def speak_german(page: Page) -> None:
    """Opens the box anew when a page that is still being drawn closed it."""
    for _ in range(20):
        page.get_by_role("combobox", name="Words in").click()
        with suppress(PlaywrightTimeout):
            page.get_by_role("option", name="Deutsch").click(timeout=5000)
            return
    pytest.fail("The languages of a screen cannot be chosen.")


def test_the_preview_shows_the_draft_live_in_the_shape_of_its_screen_and_is_no_viewer(
    page: Page, bare_stage: Stage
) -> None:
    bare_stage.post(9)
    page.goto(bare_stage.url("/screens"))
    still = page.frame_locator("iframe[title^='Number and places left']:not(.coming)")
    expect(still.locator("html[data-still=true]")).to_have_count(1)
    expect(still.get_by_text("9", exact=True).first).to_be_visible()
    page.get_by_role("button", name="Number and places left").click()
    preview = page.frame_locator("iframe[title^='Preview of']:not(.coming)")
    expect(preview.get_by_text("9", exact=True).first).to_be_visible()
    speak_german(page)
    expect(preview.locator("html[lang=de]")).to_have_count(1)
    page.get_by_text("Upright").click()
    expect(preview.locator("html")).to_have_js_property("clientWidth", 1080)
    expect(preview.locator("html")).to_have_js_property("clientHeight", 1920)
    bare_stage.post(2)
    expect(preview.get_by_text("11", exact=True).first).to_be_visible()
    page.get_by_role("button", name="Back to the list").click()
    expect(page.get_by_text("No screen is saved yet.")).to_be_visible()
    compose(page, bare_stage, "Entrance")
    expect(preview.get_by_text("11", exact=True).first).to_be_visible()
    expect(page.get_by_text("Nobody looks at it now.")).to_be_visible()


def test_a_wall_takes_over_what_is_changed_without_a_touch(
    page: Page, browser: Browser, bare_stage: Stage
) -> None:
    bare_stage.post(4)
    link = kept(bare_stage, "Entrance")
    context = browser.new_context(locale="en-GB", reduced_motion="reduce")
    wall = context.new_page()
    wall.goto(link)
    expect(wall.get_by_text("4", exact=True).first).to_be_visible()
    page.goto(bare_stage.url("/screens"))
    page.get_by_role("button", name="Edit").click()
    draft = page.frame_locator("iframe[title='Preview of the draft']:not(.coming)")
    expect(draft.get_by_text("4", exact=True).first).to_be_visible()
    speak_german(page)
    page.get_by_role("button", name="Save").click()
    expect(wall.locator("html[lang=de]")).to_have_count(1)
    expect(wall.get_by_text("4", exact=True).first).to_be_visible()
    context.close()


@pytest.fixture(scope="module")
def ending() -> Iterator[ExitStack]:
    """Of what takes the place of a process that a test ended."""
    with ExitStack() as stack:
        yield stack


def test_a_screen_outlives_a_restart_and_a_wall_that_is_switched_on_before_the_service_starts_by_itself(
    page: Page, browser: Browser, bare_stage: Stage, ending: ExitStack
) -> None:
    """The last: it ends what all share."""
    stage = bare_stage
    stage.post(6)
    context = browser.new_context(locale="en-GB", reduced_motion="reduce")
    wall = context.new_page()
    wall.goto(kept(stage, "Entrance"))
    expect(wall.get_by_text("6", exact=True).first).to_be_visible()
    assert stage.dashboard.stop() == 0
    stage.post(2)
    stage.service.kill()
    stage.dashboard = start_dashboard(
        stage.dashboard.log_file.parent,
        environment={"HEADROOM_BASE_URL": stage.service.base_url, "HEADROOM_API_KEY": stage.site.read_key},
        port=int(stage.dashboard.base_url.rsplit(":", 1)[1]),
    )
    ending.callback(stage.dashboard.kill)
    page.goto(kept(stage, "Door", Language.FRENCH))
    expect(page.locator("p")).to_have_text(re.compile(r"^Nombre indisponible, depuis \d\d:\d\d "))
    stage.service = start_service(stage.site.data_dir, port=stage.service.port)
    ending.callback(stage.service.kill)
    for shown in (wall, page):
        expect(shown.get_by_text("8", exact=True).first).to_be_visible()
    context.close()
