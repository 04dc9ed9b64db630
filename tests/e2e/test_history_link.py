"""A link reproduces a view of the History page, in a real browser."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import PATIENCE, Stage
from tests.e2e.whole_pages import is_left_on
from tests.small_site import store_counts

LINK = (
    "/history?site=corner-shop&range=24h&metric=entrances&zone=hall&zone=cafe"
    "&granularity=hour&compare=period&timezone=Etc%2FUTC"
)


def count_three_hours(stage: Stage) -> None:
    minute = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(hours=4)
    counts = [(minute + timedelta(minutes=n), "entrance", 2, 0) for n in range(180)]
    store_counts(stage.site.data_dir, counts)


@pytest.fixture(scope="module")
def stage(shared_stage: Stage) -> Stage:
    """Shared, with counts of three hours."""
    count_three_hours(shared_stage)
    return shared_stage


def parameters(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def expect_the_view(page: Page) -> None:
    expect(page.get_by_text("All times are UTC time.")).to_be_visible()
    expect(page.get_by_text("Hall:", exact=True).first).to_be_visible()
    expect(page.locator(".js-plotly-plot")).to_have_count(1)
    expect(page.locator(".js-plotly-plot").get_by_text("sum per hour")).to_be_visible()


def test_a_link_restores_the_view_and_keeps_its_parameters(stage: Stage, page: Page) -> None:
    page.goto(stage.url(LINK))
    expect_the_view(page)
    found = parameters(page)
    assert found["zone"] == ["hall", "cafe"]
    assert found["compare"] == ["period"]
    assert found["timezone"] == ["Etc/UTC"]
    expect_the_answer_on_a_phones_first_screen(page)
    expect_the_copied_link_to_show_the_same(page)


def expect_the_answer_on_a_phones_first_screen(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.get_by_text("came in").first).to_be_in_viewport()
    expect(page.locator(".js-plotly-plot")).to_be_in_viewport()
    expect(page.get_by_label("Number shown")).to_be_hidden()
    # A name that has no room there is not cut within a letter.
    expect(page.get_by_role("combobox", name="Site")).to_have_css("text-overflow", "ellipsis")
    expect(page.get_by_text("Shown: Entrances · Hall, Café · by hour")).to_be_in_viewport()


def expect_the_copied_link_to_show_the_same(page: Page) -> None:
    page.locator("summary").filter(has_text="Copy link").focus()
    page.keyboard.press("Enter")
    addresses = page.locator("[data-testid=stCode]").filter(has_text="/history?")
    expect(addresses).to_have_count(2)
    expect(addresses.last).to_be_visible()
    expect_a_finger_to_find_what_copies(page)
    said = page.get_by_text("came in").first.inner_text()
    page.goto(addresses.last.inner_text())
    expect_the_view(page)
    expect(page.get_by_text("came in").first).to_have_text(said)
    assert parameters(page)["range"] == ["dates"]
    assert parameters(page)["zone"] == ["hall", "cafe"]


def expect_a_finger_to_find_what_copies(page: Page) -> None:
    """Where nothing hovers."""
    assert page.context.browser
    phone = page.context.browser.new_context(has_touch=True, is_mobile=True)
    try:
        phone.set_default_timeout(PATIENCE)
        touched = phone.new_page()
        touched.goto(page.url)
        touched.locator("summary").filter(has_text="Copy link").tap()
        copies = touched.locator("[data-testid=stCode]").get_by_role("button")
        expect(copies.first).to_be_visible()
        expect(copies.last).to_be_visible()
    finally:
        phone.close()


def test_a_choice_changes_the_link_and_a_reload_keeps_it(stage: Stage, page: Page) -> None:
    """On the page that the test before has left, if it left one."""
    if not is_left_on(page, stage.url("/history")):
        page.goto(stage.url(LINK))
    expect_the_view(page)
    page.get_by_label("Range").click()
    page.get_by_role("option", name="Last hour").click()
    page.wait_for_url(lambda url: "range=1h" in url)
    page.reload()
    expect(page.get_by_label("Range")).to_have_value("Last hour")
    assert parameters(page)["zone"] == ["hall", "cafe"]


def test_a_click_on_a_zone_of_the_graph_opens_it(stage: Stage, page: Page) -> None:
    """From the list of pages of the one that the test before has left, if it left one."""
    if not is_left_on(page, stage.url("/history")):
        page.goto(stage.url("/live?site=corner-shop"))
    page.get_by_role("link", name="Site", exact=True).click()
    zones = page.locator(".graph a.zone")
    expect(zones).to_have_count(2)
    zones.first.click()
    page.wait_for_url(lambda url: "/live" in url and "zone=hall" in url)
