"""Letters that are being typed, when the page is drawn anew and what stands above their box is another."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import Stage
from tests.e2e.whole_pages import rest
from tests.small_site import store_counts

FIRST, SECOND = datetime(2025, 11, 11, 23, tzinfo=UTC), "2025-11-13"


@pytest.fixture(scope="module")
def stage(shared_stage: Stage) -> Stage:
    """Two days of autumn: near a holiday a sentence stands above the box already, and nothing moves it."""
    counted = [(FIRST + timedelta(minutes=n), "entrance", 2, 0) for n in range(2 * 24 * 60)]
    store_counts(shared_stage.site.data_dir, counted)
    return shared_stage


@pytest.fixture
def note(page: Page, stage: Stage) -> Locator:
    """The box of a note on History, just opened."""
    page.goto(stage.url(f"/history?site=corner-shop&range=dates&from={SECOND}T00:00&to={SECOND}T12:00"))
    page.get_by_text("Notes", exact=True).click()
    box = page.get_by_label("What happened")
    box.click()
    rest(page)
    return box


def compare(page: Page, note: Locator) -> None:
    """Hold the hours against others, as somebody does who has typed on while that was read; the box is made
    anew.
    """
    before = note.element_handle()
    page.get_by_role("radio", name="The time before").evaluate("pill => pill.click()")
    before.wait_for_element_state("hidden")
    rest(page)


def test_they_stay_with_the_focus_and_the_caret_and_are_kept(page: Page, note: Locator) -> None:
    page.keyboard.type("sale begins")
    for _ in "begins":
        page.keyboard.press("ArrowLeft")
    compare(page, note)
    expect(note).to_have_value("sale begins")
    expect(note).to_be_focused()
    page.keyboard.type("now ")
    page.get_by_role("button", name="Keep this note").click()
    expect(page.get_by_role("button", name="sale now begins")).to_be_visible()
    page.get_by_role("button", name="sale now begins").click()
    expect(page.get_by_text("Removed: ")).to_be_visible()


def test_a_box_that_was_left_takes_neither_letters_nor_focus_back(page: Page, note: Locator) -> None:
    page.keyboard.type("sale begins")
    page.get_by_role("heading", level=1, name="History").click()
    rest(page)
    compare(page, note)
    expect(note).to_have_value("sale begins")
    expect(note).not_to_be_focused()
