"""A link to what is not there, and what one browser keeps for all, in a real browser.

One dashboard for all, over two sites of which the told service says the same: 7 of 10 places are taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from threading import Event
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import forget
from tests.e2e.whole_pages import bring, rest
from tests.running_dashboard import RunningDashboard
from tests.scripted_service import ScriptedService, scripted_service

SITES: list[dict[str, Any]] = [
    {
        "id": name.lower(),
        "name": name,
        "timezone": "Europe/Zurich",
        "zones": [
            {"id": "all", "name": "All", "capacity": 10},
            {"id": "hall", "name": "Hall", "capacity": 20},
        ],
        "passages": [],
    }
    for name in ("North", "South")
]


@pytest.fixture(scope="module")
def scripted() -> Iterator[ScriptedService]:
    """It does not say which sites there are before a test lets it."""
    still = {"visitorsInside": 7.0, "entrances": 0.0, "exits": 0.0}
    told = ScriptedService(sites=SITES, metrics=still, top_zone_ids=["all"], sites_held=Event())
    with scripted_service(told) as running:
        yield running


def test_whoever_leaves_a_page_before_it_is_read_goes_on_with_the_site_of_its_link(
    page: Page, unread: RunningDashboard, scripted: ScriptedService
) -> None:
    page.goto(f"{unread.base_url}/live?site=south")
    unsaid = page.get_by_text("has not said yet which sites there are")
    expect(unsaid).to_be_visible()
    page.get_by_role("link", name="Site", exact=True).click()
    expect(page.get_by_role("heading", name="Site", exact=True)).to_be_visible()
    expect(unsaid).to_be_visible()
    scripted.let_sites_be_read()
    expect(page.get_by_role("combobox", name="Site")).to_have_value("South")


def test_a_link_to_a_site_that_is_not_there_shows_no_other_and_stays(
    page: Page, dashboard: RunningDashboard
) -> None:
    """Of all pages of a site `test_wrong_links.py` says so; here one is loaded again."""
    bring(page, f"{dashboard.base_url}/live?site=nope")
    expect(page.get_by_text("The link names the site “nope”, which this key cannot read.")).to_be_visible()
    expect(page.get_by_role("combobox", name="Site")).to_have_value("")
    page.reload()
    expect(page.get_by_text("The link names the site “nope”")).to_be_visible()
    assert page.url == f"{dashboard.base_url}/live?site=nope"
    expect(page.locator(".headroom")).to_have_count(0)
    page.get_by_role("combobox", name="Site").click()
    page.get_by_role("option", name="South").click()
    page.wait_for_url("**site=south*")
    expect(page.get_by_text("The link names the site")).to_have_count(0)


@pytest.mark.soak
def test_thresholds_that_one_browser_keeps_hold_in_the_next_and_a_link_says_when_it_has_others(
    page: Page, dashboard: RunningDashboard
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    bring(page, f"{dashboard.base_url}/live?site=south")
    expect(page.locator(".hero .level .word")).to_have_text("Filling")
    page.get_by_role("button", name="Thresholds").click()
    page.get_by_role("slider").first.press("ArrowRight")
    page.wait_for_url("**thresholds=75&thresholds=90*")
    page.get_by_role("button", name="Keep for this site").click()
    expect(page.get_by_text("Kept for South: filling from 75 %, full from 90 %.")).to_be_visible()
    page.wait_for_url(lambda url: "thresholds" not in url)
    expect(page.locator(".hero .level .word")).to_have_text("Free")

    be_another_browser(page)
    page.goto(dashboard.base_url)
    for name, word in (("North", "Filling"), ("South", "Free")):
        expect(page.get_by_role("link", name=name).locator(".level .word")).to_have_text(word)
    bring(page, f"{dashboard.base_url}/live?site=south&thresholds=20&thresholds=60")
    expect(page.locator(".hero .level .word")).to_have_text("Full")
    expect(page.get_by_text("Thresholds of the link: filling from 20 %, full from 60 %.")).to_be_visible()
    page.get_by_role("button", name="Use the site's own").click()
    expect(page.locator(".hero .level .word")).to_have_text("Free")
    page.get_by_text("Open this site first, on every browser").click()
    expect(page.get_by_role("checkbox", name="Open this site first, on every browser")).to_be_checked()

    be_another_browser(page)
    page.goto(f"{dashboard.base_url}/live")
    page.wait_for_url("**site=south*")
    expect(page.locator(".hero .level .word")).to_have_text("Free")


def be_another_browser(page: Page) -> None:
    """From now on: one that was never here."""
    rest(page)
    forget(page)


def test_opening_hours_that_one_browser_keeps_are_told_in_the_next(
    page: Page, dashboard: RunningDashboard
) -> None:
    bring(page, f"{dashboard.base_url}/site?site=north")
    untold = page.get_by_text("Nobody has said yet when this site is open")
    expect(untold).to_be_visible()
    page.get_by_text("Change the opening hours").click()
    sunday = page.get_by_label("Sunday", exact=True)
    sunday.fill("9-25")
    sunday.press("Tab")
    rest(page)
    page.get_by_role("button", name="Keep these hours").click()
    wrong = page.get_by_text("Sunday: “9-25” is no span of time; write for example 09:00–18:30, or closed.")
    expect(wrong).to_be_visible()
    expect(sunday).to_have_value("9-25")
    expect(untold).to_be_visible()
    sunday.fill("0–24")
    sunday.press("Tab")
    rest(page)
    page.get_by_role("button", name="Keep these hours").click()
    told = page.get_by_text(re.compile(r"^(Open|Closed).*Sun 00:00–24:00\.$"))
    expect(told).to_be_visible()

    be_another_browser(page)
    page.goto(f"{dashboard.base_url}/site?site=south")
    expect(untold).to_be_visible()
    page.get_by_role("combobox", name="Site").click()
    page.get_by_role("option", name="North").click()
    expect(told).to_be_visible()
    page.get_by_text("Change the opening hours").click()
    rest(page)
    # By key: a drawing that comes late moves what a pointer was about to press.
    page.get_by_role("button", name="Forget them").press("Enter")
    expect(untold).to_be_visible()
    rest(page)


def test_back_returns_to_before_a_zone_was_chosen_and_forward_to_the_zone(
    page: Page, dashboard: RunningDashboard
) -> None:
    bring(page, f"{dashboard.base_url}/live?site=north")
    gauge, zone = page.locator(".hero"), page.get_by_role("combobox", name="Zone")
    zone.click()
    page.get_by_role("option", name="Hall").click()
    page.wait_for_url("**zone=hall*")
    expect(gauge).to_have_attribute("aria-label", "North, Hall")
    page.go_back()
    expect(gauge).to_have_attribute("aria-label", "North")
    expect(zone).to_have_value("Whole site")
    assert "zone=" not in page.url
    page.go_forward()
    expect(gauge).to_have_attribute("aria-label", "North, Hall")
    expect(zone).to_have_value("Hall")
    assert "zone=hall" in page.url


@pytest.mark.soak
def test_each_page_and_each_choice_is_one_step_back(page: Page, dashboard: RunningDashboard) -> None:
    page.goto(dashboard.base_url)
    expect(page.locator(".card").first).to_be_visible()
    opened = length(page)
    # By its card: without one, the site opens that another test may have kept.
    for steps, (name, whole) in enumerate(
        [("North", "**/live?site=north*"), ("History", "**/history?*aggregation=*")], 1
    ):
        page.get_by_role("link", name=name, exact=name != "North").click()
        page.wait_for_url(whole)
        expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
        assert length(page) == opened + steps, name
    rest(page)
    page.get_by_role("combobox", name="Site").click()
    page.get_by_role("option", name="South").click()
    page.wait_for_url("**/history?*site=south*")
    rest(page)
    assert length(page) == opened + 3
    for before in ("**/history?*site=north*", "**/live?site=north*", f"{dashboard.base_url}/?*"):
        page.go_back()
        page.wait_for_url(before)
        rest(page)
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()


def length(page: Page) -> int:
    steps: int = page.evaluate("history.length")
    return steps


def test_an_address_without_a_page_says_so_and_leads_to_those_that_there_are(
    page: Page, dashboard: RunningDashboard
) -> None:
    page.goto(f"{dashboard.base_url}/nope")
    expect(page.get_by_role("heading", name="No such page")).to_be_visible()
    page.get_by_role("link", name="Overview").click()
    expect(page.locator(".card").first).to_be_visible()
    page.goto(f"{dashboard.base_url}/overview")
    expect(page.locator(".card").first).to_be_visible()
    assert "overview" not in page.url


def test_a_page_opened_by_its_address_writes_no_step_back(page: Page, dashboard: RunningDashboard) -> None:
    """The last: its script stays on the page."""
    # As by touches that scroll while it opens: they ask the dashboard for nothing.
    page.add_init_script("setInterval(() => dispatchEvent(new Event('pointerdown')), 5)")
    page.goto(f"{dashboard.base_url}/history")
    opened = length(page)
    page.wait_for_url("**aggregation=*")
    assert length(page) == opened
