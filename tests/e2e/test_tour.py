"""The tour of the demo in a browser: it begins at a short link, and six stops follow each other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Page, expect

from components.page_frame import TOURED
from tests.e2e.conftest import Stage, opened_stage
from tests.e2e.whole_pages import is_left_on, rest
from tests.small_site import create_small_site, store_counts

ZURICH: Final = ZoneInfo("Europe/Zurich")
SATURDAY: Final = 5
BY_KEYBOARD: Final = (2, 3)
"""Stops that are gone to without a mouse."""


def counts_of_weeks() -> Iterator[tuple[datetime, str, int, int]]:
    """One comes each minute from nine to ten, on each of five weeks; on the Saturday two weeks ago, three."""
    today = datetime.now(ZURICH).date()
    for ago in range(1, 36):
        day = today - timedelta(days=ago)
        is_busiest = day.weekday() == SATURDAY and 7 < ago <= 14
        nine = datetime.combine(day, time(9), ZURICH).astimezone(UTC)
        for minute in range(120):
            came, left = (1, 0) if minute < 60 else (0, 1)
            many = 3 if is_busiest else 1
            yield nine + timedelta(minutes=minute), "entrance", came * many, left * many


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("tour-stage")
    site = create_small_site(folder / "service")
    store_counts(site.data_dir, list(counts_of_weeks()))
    with opened_stage(folder, site) as opened:
        yield opened


def at_first_stop(stage: Stage, page: Page) -> Page:
    """On a desk, where the test before has left it, or opened by its short link."""
    page.set_viewport_size({"width": 1280, "height": 800})
    if not is_left_on(page, stage.url("/replay?tour=1")):
        page.goto(stage.url("/replay?tour=1"))
    return page


def test_a_short_link_begins_with_the_busiest_saturday_in_replay_and_the_browser_keeps_the_tour_in_mind(
    stage: Stage, page: Page
) -> None:
    page.goto(stage.url("/replay?tour=1"))
    today = datetime.now(ZURICH).date()
    day = next(
        day
        for ago in range(8, 15)
        if (day := today - timedelta(days=ago)).weekday() == SATURDAY
    )  # fmt: skip
    bar = page.locator(".st-key-tour")
    expect(bar).to_contain_text(f"Saturday {day.day} {day:%B %Y}, the busiest of 5 Saturdays at Corner shop")
    expect(bar).to_contain_text("on which 180 came in")
    expect(page.locator(".replay-mark")).to_contain_text(f"Saturday {day.day} {day:%B %Y}")
    expect(page.get_by_role("button", name="60 times as fast as it was")).to_have_attribute(
        "aria-pressed", "true"
    )
    inside = page.locator(".hero .number")
    expect(inside).to_have_text(re.compile("^[1-9]"))
    page.wait_for_function("(name) => document.cookie.includes(name)", arg=TOURED)


def test_what_the_first_stop_is_about_is_in_sight_on_a_desk(stage: Stage, page: Page) -> None:
    at_first_stop(stage, page)
    expect(page.locator(".hero .number")).to_be_in_viewport(ratio=1)
    expect(page.locator(".replay-place svg").first).to_be_in_viewport(ratio=0.1)


def press(page: Page, name: str) -> None:
    """On a desk, where it could have been pressed on a phone, too."""
    link = page.locator(".st-key-tour").get_by_role("link", name=name)
    for width, is_tried in ((390, True), (1280, False)):
        page.set_viewport_size({"width": width, "height": 800})
        link.click(trial=is_tried)


def test_six_stops_follow_each_other_and_back(stage: Stage, page: Page) -> None:
    """Who goes on by the keyboard stands on Next again."""
    at_first_stop(stage, page)
    bar = page.locator(".st-key-tour")
    following = bar.get_by_role("link", name="Next")
    expect(bar).to_contain_text("Tour, 1 of 6.")
    expect(bar.get_by_role("link", name="Back")).to_have_count(0)
    for number in range(2, 7):
        if number in BY_KEYBOARD:
            following.focus()
            page.keyboard.press("Enter")
        else:
            press(page, "Next")
        expect(bar).to_contain_text(f"Tour, {number} of 6.")
        rest(page)
        if number in BY_KEYBOARD:
            expect(following).to_be_focused()
        expect(page.get_by_test_id("stException")).to_have_count(0)
        expect(page.get_by_text("not known here")).to_have_count(0)
    expect(following).to_have_count(0)
    press(page, "Back")
    expect(bar).to_contain_text("Tour, 5 of 6.")
    rest(page)  # Next takes the place that the end of the tour had
    press(page, "End the tour")
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    expect(bar).to_have_count(0)


def test_a_stop_on_another_page_says_so_and_leads_to_its_own(stage: Stage, page: Page) -> None:
    page.goto(stage.url("/doors?site=corner-shop&tour=1"))
    bar = page.locator(".st-key-tour")
    expect(bar).to_contain_text("Tour, 1 of 6. This stop is on another page.")
    bar.get_by_role("link", name="Go there").click()
    expect(bar).to_contain_text("the busiest of 5 Saturdays")
    expect(page).to_have_url(re.compile("/replay.*day="))
    expect(bar.get_by_role("link", name="Go there")).to_have_count(0)


def test_what_one_stop_sets_is_not_kept_at_another(stage: Stage, page: Page) -> None:
    page.goto(stage.url("/rhythm?site=corner-shop&metric=entrances&weekday=saturday&tour=3"))
    rest(page)
    expect(page.get_by_text("Saturdays are highest")).to_be_visible()
    bar = page.locator(".st-key-tour")
    bar.get_by_role("link", name="Next").click()
    expect(bar).to_contain_text("Tour, 4 of 6.")
    bar.get_by_role("link", name="Back").click()
    expect(bar).to_contain_text("Tour, 3 of 6.")
    rest(page)
    expect(page).not_to_have_url(re.compile("weekday="))
