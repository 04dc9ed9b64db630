"""The Overview of a key to more sites than anybody could look through, in a real browser.

The service has no stream of all sites here, as none but ours need have: each site is asked for.
`test_latest_of_many_sites.py` has that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from contract.latest_sites import LATEST_SITES_PATH
from tests.e2e.conftest import PATIENCE
from tests.faults.unplugged_network import Network
from tests.many_sites import ManySites, create_many_sites, has_never_counted, is_offline
from tests.running_dashboard import RunningDashboard, start_dashboard
from tests.running_service import RunningService, start_service
from tests.small_site import count

# Longer than others: a busy service is asked ever more gently.
pytestmark = [pytest.mark.timeout(900), pytest.mark.soak]

SITES = 260
"""More than were compared once, and eleven pages of them."""
OFFLINE = sum(map(is_offline, range(SITES)))
NEVER = sum(map(has_never_counted, range(SITES)))


@dataclass(frozen=True)
class Chain:
    sites: ManySites
    service: RunningService
    dashboard: RunningDashboard

    def url(self, query: str = "") -> str:
        return f"{self.dashboard.base_url}/{query}"


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chain]:
    folder = tmp_path_factory.mktemp("chain")
    sites = create_many_sites(folder / "service", SITES)
    with ExitStack() as stack:
        service = start_service(sites.data_dir)
        stack.callback(service.kill)
        network = Network("127.0.0.1", service.port, hidden=LATEST_SITES_PATH)
        address = stack.enter_context(network.running())
        environment = {"HEADROOM_BASE_URL": address, "HEADROOM_API_KEY": sites.read_key}
        dashboard = start_dashboard(folder / "dashboard", environment=environment)
        stack.callback(dashboard.kill)
        yield Chain(sites, service, dashboard)


def titles(page: Page) -> Locator:
    return page.locator(".card .title")


def filter_of(page: Page, word: str) -> Locator:
    return page.get_by_role("radio", name=re.compile(rf"{word}\s*\d+"))


def read_whole(page: Page) -> None:
    """All sites are read the more gently the slower they are answered."""
    expect(page.get_by_text("Order and filters by values as of").first).to_be_visible(timeout=4 * PATIENCE)


def test_the_page_is_there_by_name_and_the_fullest_follow(page: Page, chain: Chain) -> None:
    page.goto(chain.url())
    # The first visit of this dashboard. While it is said anew, it stands there twice for a moment.
    expect(page.get_by_text(re.compile(r"known: \d+ of 260 sites read so far")).first).to_be_visible()
    expect(titles(page).first).to_have_text("Shop 0000")
    expect(page.get_by_text("Fullest so far")).to_be_visible()
    # The first run ends with what it has drawn, and lets go of where it waited.
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    search = page.get_by_label("Search")
    place = search.bounding_box()
    search.focus()
    page.keyboard.type("bern")
    read_whole(page)
    expect(page.get_by_text("read so far")).to_have_count(0)
    assert search.bounding_box() == place  # nothing moves under the finger
    expect(search).to_be_focused()
    expect(search).to_have_value("bern")
    expect(page.get_by_text("Fullest", exact=True)).to_be_visible()
    fullest = f"Shop {chain.sites.fullest:04}"
    expect(page.get_by_role("link", name=f"{fullest} 97")).to_be_visible()
    expect(titles(page).first).to_have_text("Shop 0000")
    page.goto(chain.url("?sort=Fullest+first"))
    expect(titles(page).first).to_have_text(fullest)


def test_each_filter_says_how_many_it_holds_and_stands_in_the_url(page: Page, chain: Chain) -> None:
    page.goto(chain.url())
    read_whole(page)
    expect(filter_of(page, "Never counted")).to_contain_text(str(NEVER))
    offline = filter_of(page, "Device not online")
    expect(offline).to_contain_text(str(OFFLINE))
    offline.focus()
    page.keyboard.press("Enter")
    expect(titles(page).nth(1)).to_have_text("Shop 0014")
    expect(page).to_have_url(re.compile(r"[?&]show=device-offline"))
    page.get_by_label("Search").fill("bern offline")
    page.keyboard.press("Enter")
    expect(page.get_by_text("None of the 260 sites matches")).to_be_visible(timeout=4 * PATIENCE)
    page.get_by_label("Search").fill("basel OFFLINE 0014")
    page.keyboard.press("Enter")
    expect(titles(page)).to_have_text(["Shop 0014"])
    expect(page).to_have_url(re.compile(r"show=device-offline"))


def test_paper_says_which_sites_it_shows_and_how_many_are_in_each_state(page: Page, chain: Chain) -> None:
    page.goto(chain.url("?page=2"))
    read_whole(page)
    states = page.get_by_text(f"Device not online {OFFLINE} · Never counted {NEVER} · ")
    expect(filter_of(page, "Device not online")).to_contain_text(str(OFFLINE))
    expect(states).to_have_count(0)
    page.emulate_media(media="print")
    expect(states).to_be_visible()
    expect(page.locator(".st-key-answer-of-many")).to_have_css("min-height", "0px")
    expect(page.get_by_text("25 to 48 of 260 sites")).to_be_visible()
    page.emulate_media(media="screen")
    page.goto(chain.url("?show=device-offline&page=2"))
    read_whole(page)
    # What is chosen is written on paper when printing begins.
    chosen = filter_of(page, "Device not online")
    expect(chosen).to_be_checked()
    expect(chosen.locator("p")).to_contain_text(str(OFFLINE))
    page.emulate_media(media="print")
    expect(page.get_by_text(f"25 to {OFFLINE} of {OFFLINE} found of 260 sites")).to_be_visible()
    expect(page.locator(".st-key-page-frame")).to_contain_text(f"Show only: Device not online {OFFLINE} · ")


def test_back_from_a_card_leads_to_the_card_again(page: Page, chain: Chain) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(chain.url("?page=2"))
    card = page.locator(".card", has_text="Shop 0040")
    card.click()
    expect(page.locator(".hero .number")).to_be_visible()
    page.go_back()
    expect(card).to_be_in_viewport(ratio=0.9)
    expect(card).to_be_focused()


def test_what_is_filtered_and_sorted_is_live(page: Page, chain: Chain) -> None:
    page.goto(chain.url("?show=full&sort=Fullest+first"))
    full = page.locator(".card", has_text=f"Shop {chain.sites.fullest:04}")
    expect(full.locator(".number")).to_have_text("97")
    minute = datetime.now(UTC).replace(second=0, microsecond=0)
    httpx.post(
        f"{chain.service.base_url}/ingest/counts",
        json=[count(minute, 4, passage=f"door-{chain.sites.fullest}")],
        headers={"x-api-key": chain.sites.ingest_key},
    ).raise_for_status()
    expect(full.locator(".number")).to_have_text("101")
