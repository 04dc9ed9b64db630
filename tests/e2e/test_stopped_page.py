"""A page from which everything is gone, as when Streamlit's script fails in the browser."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.e2e.conftest import Stage

EMPTIED = "document.getElementById('root').replaceChildren()"


def test_a_page_that_is_blank_is_loaded_anew_once_and_then_says_that_it_has_stopped(
    new_page: Page, stage: Stage
) -> None:
    new_page.goto(stage.url("/connection"))
    heading = new_page.get_by_role("heading", level=1, name="Connection")
    expect(heading).to_be_visible()
    with new_page.expect_navigation():
        new_page.evaluate(EMPTIED)
    expect(heading).to_be_visible()
    new_page.evaluate(EMPTIED)
    expect(new_page.get_by_role("alert")).to_contain_text("This page has stopped. Reload it")
    expect(heading).to_have_count(0)


def test_it_is_loaded_anew_five_minutes_later(new_page: Page, stage: Stage) -> None:
    new_page.clock.install()
    new_page.goto(stage.url("/connection"))
    heading = new_page.get_by_role("heading", level=1, name="Connection")
    expect(heading).to_be_visible()
    new_page.evaluate("sessionStorage.setItem('headroom-stopped', String(Date.now()))")
    new_page.evaluate(EMPTIED)
    expect(new_page.get_by_role("alert")).to_contain_text("This page has stopped.")
    with new_page.expect_navigation():
        new_page.clock.fast_forward("05:01")
    expect(heading).to_be_visible()
