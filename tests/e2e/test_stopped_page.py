"""A page from which everything is gone, as when Streamlit's script fails in the browser."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.e2e.conftest import Stage

EMPTIED = "document.getElementById('root').replaceChildren()"


def test_a_page_that_stops_as_it_opens_says_so_and_is_loaded_anew_in_a_minute(
    new_page: Page, shared_stage: Stage
) -> None:
    new_page.clock.install()
    new_page.goto(shared_stage.url("/connection"))
    heading = new_page.get_by_role("heading", level=1, name="Connection")
    expect(heading).to_be_visible()
    new_page.evaluate(EMPTIED)
    expect(new_page.get_by_role("alert")).to_contain_text("This page has stopped. Reload it")
    expect(heading).to_have_count(0)
    with new_page.expect_navigation():
        new_page.clock.fast_forward("01:01")
    expect(heading).to_be_visible()


def test_a_page_that_stops_later_is_loaded_anew_at_once(new_page: Page, shared_stage: Stage) -> None:
    new_page.clock.install()
    new_page.goto(shared_stage.url("/connection"))
    heading = new_page.get_by_role("heading", level=1, name="Connection")
    expect(heading).to_be_visible()
    new_page.clock.fast_forward("01:01")
    with new_page.expect_navigation():
        new_page.evaluate(EMPTIED)
    expect(heading).to_be_visible()
