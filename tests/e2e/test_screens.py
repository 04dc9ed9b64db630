"""A screen is composed in the browser, its link is opened on a wall, and the wall follows what is decided."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import httpx
from playwright.sync_api import Browser, Page, expect

from screens import Composition, ScreenStore, View, ViewKind
from tests.e2e.conftest import Stage
from tests.running_dashboard import start_dashboard
from tests.running_service import start_service
from tests.small_site import count


def enter(stage: Stage, people: int) -> None:
    """So many came in during this minute."""
    minute = datetime.now(UTC).replace(second=0, microsecond=0)
    httpx.post(
        f"{stage.service.base_url}/ingest/counts",
        json=[count(minute, people)],
        headers=stage.site.ingest_headers,
    ).raise_for_status()


def compose(page: Page, stage: Stage, name: str) -> str:
    """Save a screen with the view that is offered first; its link."""
    page.goto(stage.url("/screens"))
    page.get_by_role("button", name="Compose a screen").click()
    page.get_by_label("Name").fill(name)
    page.get_by_label("Name").press("Enter")
    page.get_by_role("button", name="Create the screen").click()
    page.get_by_role("button", name="Back to the list").click()
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    return page.locator("code").first.inner_text()


def test_a_composed_screen_shows_the_number_on_a_wall_and_goes_dark_when_revoked(
    page: Page, browser: Browser, stage: Stage
) -> None:
    enter(stage, 17)
    link = compose(page, stage, "Entrance")
    assert re.fullmatch(re.escape(stage.dashboard.base_url) + r"/screen/[\w-]{32}", link)
    context = browser.new_context(locale="en-GB")
    wall = context.new_page()
    faults: list[str] = []
    wall.on("pageerror", lambda error: faults.append(str(error)))
    wall.goto(link)
    expect(wall.get_by_text("17", exact=True).first).to_be_visible()
    expect(page.get_by_text("1 viewer now:")).to_be_visible()
    enter(stage, 5)
    expect(wall.get_by_text("22", exact=True).first).to_be_visible()
    page.get_by_role("button", name="Revoke").click()
    page.get_by_role("button", name="Revoke now").click()
    expect(page.get_by_text("No link leads to this screen.")).to_be_visible()
    expect(wall.get_by_text("This screen is not in use")).to_be_visible()
    expect(wall.get_by_text("22", exact=True)).to_have_count(0)
    assert faults == []
    context.close()


def test_the_preview_shows_the_saved_screen_and_is_no_viewer(page: Page, stage: Stage) -> None:
    enter(stage, 9)
    compose(page, stage, "Entrance")
    page.get_by_role("button", name="Edit").click()
    preview = page.frame_locator("iframe[src*='/screen/']")
    expect(preview.get_by_text("9", exact=True).first).to_be_visible()
    page.get_by_role("button", name="Back to the list").click()
    expect(page.get_by_text("Nobody looks at it now.")).to_be_visible()


def test_a_wall_takes_over_what_is_changed_without_a_touch(
    page: Page, browser: Browser, stage: Stage
) -> None:
    enter(stage, 4)
    link = compose(page, stage, "Entrance")
    context = browser.new_context(locale="en-GB")
    wall = context.new_page()
    wall.goto(link)
    expect(wall.get_by_text("4", exact=True).first).to_be_visible()
    page.get_by_role("button", name="Edit").click()
    page.get_by_role("combobox", name="Words in").click()
    page.get_by_role("option", name="Deutsch").click()
    page.get_by_role("button", name="Save").click()
    expect(wall.locator("html[lang=de]")).to_have_count(1)
    expect(wall.get_by_text("4", exact=True).first).to_be_visible()
    context.close()


def test_a_screen_and_its_link_outlive_a_restart_of_the_dashboard(
    page: Page, browser: Browser, stage: Stage
) -> None:
    enter(stage, 6)
    link = compose(page, stage, "Entrance")
    context = browser.new_context(locale="en-GB")
    wall = context.new_page()
    wall.goto(link)
    expect(wall.get_by_text("6", exact=True).first).to_be_visible()
    assert stage.dashboard.stop() == 0
    enter(stage, 2)
    back = start_dashboard(
        stage.dashboard.log_file.parent,
        environment={"HEADROOM_BASE_URL": stage.service.base_url, "HEADROOM_API_KEY": stage.site.read_key},
        port=int(stage.dashboard.base_url.rsplit(":", 1)[1]),
    )
    try:
        expect(wall.get_by_text("8", exact=True).first).to_be_visible()
        context.close()
    finally:
        back.kill()


def test_a_wall_that_is_switched_on_before_the_service_starts_by_itself(page: Page, stage: Stage) -> None:
    stage.service.kill()
    store = ScreenStore(stage.dashboard.log_file.parent)
    view = View(kind=ViewKind.NUMBER, site_id=stage.site.site_id)
    screen = store.create(Composition(name="Door", views=(view,)))
    store.close()
    page.goto(stage.url(f"/screen/{screen.token}"))
    expect(page.get_by_text("Waiting for the service.")).to_be_visible()
    back = start_service(stage.site.data_dir, port=stage.service.port)
    try:
        enter(stage, 11)
        expect(page.get_by_text("11", exact=True).first).to_be_visible()
    finally:
        back.kill()
