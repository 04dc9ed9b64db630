"""The Overview of many sites by one stream, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import PATIENCE
from tests.e2e.test_many_sites import Chain
from tests.eventually import wait_until
from tests.many_sites import create_many_sites
from tests.running_dashboard import start_dashboard
from tests.running_service import start_service
from tests.small_site import count

SITES = 60
"""Three pages of them."""


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chain]:
    folder = tmp_path_factory.mktemp("chain")
    sites = create_many_sites(folder / "service", SITES)
    with ExitStack() as stack:
        service = start_service(sites.data_dir)
        stack.callback(service.kill)
        environment = {"HEADROOM_BASE_URL": service.base_url, "HEADROOM_API_KEY": sites.read_key}
        dashboard = start_dashboard(folder / "dashboard", environment=environment)
        stack.callback(dashboard.kill)
        yield Chain(sites, service, dashboard)


def open_streams(chain: Chain) -> int:
    return int(httpx.get(f"{chain.service.base_url}/healthz").json()["data"]["openStreams"])


def count_one(chain: Chain, number: int, people: int) -> None:
    minute = datetime.now(UTC).replace(second=0, microsecond=0)
    httpx.post(
        f"{chain.service.base_url}/ingest/counts",
        json=[count(minute, people, passage=f"door-{number}")],
        headers={"x-api-key": chain.sites.ingest_key},
    ).raise_for_status()


def test_an_overview_shows_the_values_of_all_sites_by_one_stream(page: Page, chain: Chain) -> None:
    page.goto(chain.url())
    cards = page.locator(".card")
    expect(cards.nth(5).locator(".number")).to_have_text("5")
    expect(cards.nth(20).locator(".number")).to_have_text("20")
    inside = sum(chain.sites.inside_of(number) for number in range(SITES) if number % 25 != 7)
    expect(page.get_by_text(re.compile(f"{inside:,} people")).first).to_be_visible(timeout=2 * PATIENCE)
    assert open_streams(chain) == 1
    count_one(chain, 5, 4)
    expect(cards.nth(5).locator(".number")).to_have_text("9")
    # Of a site on another page, which has no feed.
    count_one(chain, 59, 1_000)
    expect(page.get_by_text(re.compile(f"{inside + 1_004:,} people")).first).to_be_visible(
        timeout=4 * PATIENCE
    )
    assert open_streams(chain) == 1


def test_one_site_has_its_own_stream_beside_it_where_somebody_looks_at_it(page: Page, chain: Chain) -> None:
    page.goto(chain.url())
    card = page.locator(".card", has_text="Shop 0003")
    expect(card.locator(".number")).to_have_text("3")
    card.click()
    expect(page.locator(".hero .number")).to_have_text("3")
    wait_until(lambda: open_streams(chain) == 2)
