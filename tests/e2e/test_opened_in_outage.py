"""Pages that are opened while the service is away, of a site that it told of before."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Stage
from tests.running_service import start_service

LOOKS_AGAIN = "00:31"


@pytest.fixture
def lent(stage: Stage) -> Iterator[Stage]:
    """What a test starts anew ends with it."""
    yield stage
    stage.service.kill()


def test_they_know_how_full_it_is_once_the_service_is_back(new_page: Page, lent: Stage) -> None:
    lent.post(5)
    live, site = new_page, new_page.context.new_page()
    # It tells the site, and is not asked how full that is.
    live.goto(lent.url("/doors?site=corner-shop"))
    expect(live.get_by_text("Checks of this door")).to_be_visible()
    lent.service.kill()
    for page, path in ((live, "live"), (site, "site")):
        page.clock.install()
        page.goto(lent.url(f"/{path}?site=corner-shop"))
    gauges = live.locator(".hero"), site.locator(".card").first
    for gauge in gauges:
        expect(gauge).to_contain_text(re.compile("Reconnecting|Connecting|Offline"))
        expect(gauge).to_contain_text("Capacity unknown")
    lent.service = start_service(lent.site.data_dir, port=lent.service.port)
    for page, gauge in zip((live, site), gauges, strict=True):
        page.clock.fast_forward(LOOKS_AGAIN)
        expect(gauge).to_contain_text("5 % of 100")
