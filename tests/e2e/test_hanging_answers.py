"""Pages before a service that accepts what it is asked about now, and does not answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from threading import Event
from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.e2e.whole_pages import rest
from tests.running_dashboard import RunningDashboard
from tests.scripted_service import ScriptedService, scripted_service

SITES: list[dict[str, Any]] = [
    {"id": name, "name": name, "zones": [{"id": f"{name}-hall", "name": "Hall", "capacity": 100}]}
    for name in ("north", "south", "east", "upper", "lower", "west")
]
DESK: ViewportSize = {"width": 1280, "height": 720}
PHONE: ViewportSize = {"width": 375, "height": 667}
SITES[-1]["passages"] = [
    {"id": f"{way}-door", "name": way, "fromZoneId": None, "toZoneId": "west-hall"}
    for way in ("front", "back")
]


@pytest.fixture(scope="module")
def scripted() -> Iterator[ScriptedService]:
    """It does not say which sites there are before a test lets it."""
    with scripted_service(ScriptedService(SITES, sites_held=Event())) as service:
        yield service


ASKED = re.compile("has not said yet (which sites there are|whether it accepts this key)")
OPENED = ("Overview", "Live", "Site", "History", "Compare", "Trust", "Rhythm", "Ahead", "Doors", "Replay")


def test_every_page_says_before_a_service_that_hangs_that_it_waits_on_a_phone_in_sight_and_whole(
    unread: RunningDashboard, page: Page
) -> None:
    """The first by its address, the others from its list of pages, which stands there already."""
    page.goto(unread.base_url)
    said = page.get_by_text(ASKED)
    for name in (*OPENED, "Connection"):
        page.set_viewport_size(DESK)
        page.get_by_role("link", name=name, exact=True).click()
        page.set_viewport_size(PHONE)
        expect(page.get_by_role("heading", level=1, name=name)).to_be_visible()
        expect(said).to_have_count(1)
        expect(said).to_contain_text(re.compile("since .*, .* time"))
        expect(
            page.get_by_text("If none comes, this page says so, and asks again by itself.")
        ).to_be_visible()
        for one in (said, page.get_by_role("button", name="Stop waiting")):
            expect(one, name).to_be_visible()
            if name in OPENED:
                expect(one, name).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize(
    ("site", "path", "drawn"),
    [
        ("north", "/live", ".hero .number"),
        pytest.param("south", "/site", ".graph a.zone .number", marks=pytest.mark.soak),
    ],
)
def test_a_page_says_what_it_waits_for_and_is_drawn_with_the_answer(
    scripted: ScriptedService, dashboard: RunningDashboard, page: Page, *, site: str, path: str, drawn: str
) -> None:
    scripted.now_waits = {site: 600.0}
    page.goto(f"{dashboard.base_url}{path}?site={site}")
    said = page.get_by_text("has not said yet how many people are inside")
    expect(said).to_be_visible()
    expect(page.locator(drawn)).to_have_count(0)
    scripted.now_waits = {}
    expect(page.locator(drawn).first).to_be_visible()
    expect(said).to_have_count(0)


@pytest.mark.parametrize(
    ("site", "path", "drawn"),
    [
        ("upper", "/live", ".hero .number"),
        pytest.param("lower", "/site", ".graph a.zone .number", marks=pytest.mark.soak),
    ],
)
def test_no_number_of_another_site_stands_below_the_one_that_is_chosen_and_waited_for(
    scripted: ScriptedService, dashboard: RunningDashboard, page: Page, *, site: str, path: str, drawn: str
) -> None:
    scripted.now_waits = {}
    page.goto(f"{dashboard.base_url}{path}?site=west")
    expect(page.locator(drawn).first).to_be_visible()
    scripted.now_waits = {site: 600.0}
    page.get_by_role("combobox", name="Site").click()
    page.get_by_role("option", name=site).click()
    expect(page.get_by_text("has not said yet how many people are inside")).to_be_visible()
    expect(page.locator(drawn).first).to_be_hidden()
    scripted.now_waits = {}
    expect(page.locator(drawn).first).to_be_visible()


def test_what_is_waited_for_can_be_stopped_and_gone_on_with(
    scripted: ScriptedService, dashboard: RunningDashboard, page: Page
) -> None:
    scripted.now_waits = {"east": 600.0}
    page.goto(f"{dashboard.base_url}/live?site=east")
    page.get_by_role("button", name="Stop waiting").click()
    expect(page.get_by_text("Stopped before the service said how many people are inside.")).to_be_visible()
    expect(page.get_by_text("has not said yet")).to_have_count(0)
    scripted.now_waits = {}
    page.get_by_role("button", name="Go on").click()
    expect(page.locator(".hero .number").first).to_be_visible()


def test_a_part_that_is_opened_later_says_too_what_it_waits_for_and_offers_nothing_that_cannot_stop_it(
    scripted: ScriptedService, dashboard: RunningDashboard, page: Page
) -> None:
    """Streamlit lets no button of a part end a run: the script of the page does not run then."""
    page.goto(f"{dashboard.base_url}/history?site=west&range=24h")
    part = page.locator("summary", has_text="Ways through the zones")
    expect(part).to_be_visible()
    scripted.held = {"west": (held := Event())}
    part.click()
    said = page.get_by_text("has not said yet what was counted")
    expect(said).to_be_visible()
    expect(page.get_by_role("button", name="Stop waiting")).to_have_count(0)
    scripted.held = {}
    held.set()
    expect(said).to_have_count(0)
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")


def test_compare_says_on_a_phone_that_it_waits_for_counts_and_ranks_them_when_they_come(
    scripted: ScriptedService, dashboard: RunningDashboard, page: Page
) -> None:
    page.set_viewport_size(PHONE)
    scripted.held = {"west": (held := Event())}
    page.goto(f"{dashboard.base_url}/compare")
    said = page.get_by_text("has not said yet what was counted on these days")
    expect(said).to_be_in_viewport(ratio=1)
    scripted.held = {}
    held.set()
    expect(said).to_have_count(0)
    expect(page.locator("summary", has_text="Table and files")).to_be_visible()


def test_no_button_at_a_door_moves_while_doors_that_were_not_read_are_asked_for_again_by_themselves(
    scripted: ScriptedService, dashboard: RunningDashboard, page: Page
) -> None:
    """Whoever taps there would tap something else."""
    page.set_viewport_size(PHONE)
    scripted.passage_failures = {"front-door": 500}
    page.goto(f"{dashboard.base_url}/doors?site=west")
    unread = page.get_by_text("1 of the doors could not be read")
    expect(unread).to_be_visible()
    rest(page)
    button = page.get_by_role("button", name="Start counting")
    before = button.bounding_box()
    scripted.held = {"west": (held := Event())}
    scripted.passage_failures = {}
    said = page.get_by_text("has not said yet what was counted")
    expect(said).to_be_visible()
    assert button.bounding_box() == before
    scripted.held = {}
    held.set()
    expect(said).to_have_count(0)
    expect(unread).to_have_count(0)


def test_a_part_that_runs_by_itself_says_that_it_waits_and_keeps_what_it_showed(
    scripted: ScriptedService, dashboard: RunningDashboard, page: Page
) -> None:
    """The last: its clock stays on the page."""
    page.clock.install()
    page.goto(f"{dashboard.base_url}/live?site=west")
    ranked = page.get_by_text("Doors by entrances today")
    expect(ranked).to_be_visible()
    scripted.held = {"west": (held := Event())}
    said = page.get_by_text("has not said yet what was counted at the doors")
    for _ in range(60):  # what was read is shown for half a minute, by a clock that no test moves
        page.clock.fast_forward(61_000)
        page.wait_for_timeout(1_000)
        if said.count():
            break
    expect(said).to_be_visible()
    expect(said).to_contain_text(re.compile("since .*, .* time"))
    expect(page.get_by_text("What stands here was read before; it is asked for again")).to_be_visible()
    expect(ranked).to_be_visible()
    scripted.held = {}
    held.set()
    expect(said).to_have_count(0)
    expect(ranked).to_be_visible()
