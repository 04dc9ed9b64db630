"""Pages before a service that accepts what it is asked about now, and does not answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from threading import Event
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.running_dashboard import RunningDashboard, start_dashboard
from tests.scripted_service import KEY, ScriptedService, scripted_service

SITES: list[dict[str, Any]] = [
    {"id": name, "name": name, "zones": [{"id": f"{name}-hall", "name": "Hall", "capacity": 100}]}
    for name in ("north", "south", "east", "west")
]
SITES[-1]["passages"] = [
    {"id": f"{way}-door", "name": way, "fromZoneId": None, "toZoneId": "west-hall"}
    for way in ("front", "back")
]


@pytest.fixture(scope="module")
def scripted() -> Iterator[ScriptedService]:
    with scripted_service(ScriptedService(SITES)) as service:
        yield service


@pytest.fixture(scope="module")
def dashboard(
    scripted: ScriptedService, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningDashboard]:
    environment = {"HEADROOM_BASE_URL": scripted.base_url, "HEADROOM_API_KEY": KEY}
    started = start_dashboard(tmp_path_factory.mktemp("dashboard"), environment=environment)
    yield started
    started.kill()


@pytest.mark.parametrize(
    ("site", "path", "drawn"),
    [("north", "/live", ".hero .number"), ("south", "/site", ".graph a.zone .number")],
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
    page.set_viewport_size({"width": 375, "height": 667})
    scripted.held = {"west": (held := Event())}
    page.goto(f"{dashboard.base_url}/compare")
    said = page.get_by_text("has not said yet what was counted on these days")
    expect(said).to_be_in_viewport(ratio=1)
    scripted.held = {}
    held.set()
    expect(said).to_have_count(0)
    expect(page.locator("summary", has_text="Table and files")).to_be_visible()


ASKED = re.compile("has not said yet (which sites there are|whether it accepts this key)")


@pytest.mark.parametrize(
    "path",
    ["", "live", "site", "history", "compare", "trust", "rhythm", "ahead", "doors", "replay", "connection"],
)
def test_a_page_opened_before_a_service_that_hangs_says_so_on_a_phone_in_sight_and_whole(
    held: RunningDashboard, page: Page, path: str
) -> None:
    page.set_viewport_size({"width": 375, "height": 667})
    page.goto(f"{held.base_url}/{path}")
    said = page.get_by_text(ASKED)
    expect(said).to_contain_text(re.compile("since .*, .* time"))
    expect(page.get_by_text("If none comes, this page says so, and asks again by itself.")).to_be_visible()
    for one in (said, page.get_by_role("button", name="Stop waiting")):
        expect(one).to_be_visible()
        if path != "connection":
            expect(one).to_be_in_viewport(ratio=1)


def test_a_part_that_runs_by_itself_says_that_it_waits_and_keeps_what_it_showed(
    scripted: ScriptedService, dashboard: RunningDashboard, new_page: Page
) -> None:
    new_page.clock.install()
    new_page.goto(f"{dashboard.base_url}/live?site=west")
    ranked = new_page.get_by_text("Doors by entrances today")
    expect(ranked).to_be_visible()
    scripted.held = {"west": (held := Event())}
    said = new_page.get_by_text("has not said yet what was counted at the doors")
    for _ in range(60):  # what was read is shown for half a minute, by a clock that no test moves
        new_page.clock.fast_forward(61_000)
        new_page.wait_for_timeout(1_000)
        if said.count():
            break
    expect(said).to_be_visible()
    expect(said).to_contain_text(re.compile("since .*, .* time"))
    expect(new_page.get_by_text("What stands here was read before; it is asked for again")).to_be_visible()
    expect(ranked).to_be_visible()
    scripted.held = {}
    held.set()
    expect(said).to_have_count(0)
    expect(ranked).to_be_visible()


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDashboard]:
    """Before a service that says nothing."""
    hanging = ScriptedService(SITES, sites_held=Event())
    with scripted_service(hanging):
        environment = {"HEADROOM_BASE_URL": hanging.base_url, "HEADROOM_API_KEY": KEY}
        started = start_dashboard(tmp_path_factory.mktemp("held"), environment=environment)
        yield started
        started.kill()
        if hanging.sites_held:
            hanging.sites_held.set()
