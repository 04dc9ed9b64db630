"""The service's page of its API, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.whole_pages import is_left_on
from tests.running_service import RunningService, start_service
from tests.small_site import create_small_site


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    site = create_small_site(tmp_path_factory.mktemp("api-page"))
    running = start_service(site.data_dir)
    yield running
    running.stop()


SCHEMES: Final[tuple[Literal["dark", "light"], ...]] = ("dark", "light")


def test_the_page_of_the_api_asks_no_other_host_fits_its_window_and_is_as_dark_as_the_readers(
    page: Page, service: RunningService
) -> None:
    page.set_viewport_size({"width": 1280, "height": 900})
    page.emulate_media(color_scheme=SCHEMES[0])
    problems: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{service.base_url}/docs")
    paths = page.request.get(f"{service.base_url}/openapi.json").json()["paths"]
    operations = [path for path, methods in paths.items() for _ in methods]
    assert {"/v3/metrics", "/ingest/counts", "/admin/keys"} <= set(operations)
    expect(page.locator(".opblock")).to_have_count(len(operations))
    page.locator(".opblock-post .opblock-summary-control").first.click()
    expect(page.get_by_text("Historical metrics, the newest value, and live updates.")).to_be_visible()
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(
            "(isDark) => document.documentElement.classList.contains('dark-mode') === isDark",
            arg=scheme == "dark",
        )
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 900})
            assert (scheme, page.evaluate("document.documentElement.scrollWidth")) == (scheme, width)
    assert problems == []
    assert [url for url in asked if not url.startswith((service.base_url, "data:"))] == []


def test_an_operation_can_be_tried_from_the_page(page: Page, service: RunningService) -> None:
    """From that which the test before has left, if it left one."""
    if not is_left_on(page, f"{service.base_url}/docs"):
        page.goto(f"{service.base_url}/docs")
    health = page.locator(".opblock", has_text="/healthz")
    health.locator(".opblock-summary-control").click()
    health.get_by_role("button", name="Try it out").click()
    health.get_by_role("button", name="Execute").click()
    expect(health.locator(".live-responses-table")).to_contain_text('"openStreams": 0')
