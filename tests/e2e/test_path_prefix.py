"""The dashboard below a path, as `server.baseUrlPath` or a proxy puts it, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.running_dashboard import RunningDashboard, start_dashboard
from tests.running_service import start_service
from tests.small_site import create_small_site

PREFIX = "/shop"


@pytest.fixture(scope="module")
def prefixed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDashboard]:
    folder: Path = tmp_path_factory.mktemp("prefixed")
    site = create_small_site(folder / "service")
    service = start_service(site.data_dir)
    environment = {
        "HEADROOM_BASE_URL": service.base_url,
        "HEADROOM_API_KEY": site.read_key,
        "STREAMLIT_SERVER_BASE_URL_PATH": PREFIX.strip("/"),
    }
    dashboard = start_dashboard(folder / "dashboard", environment=environment)
    yield dashboard
    dashboard.kill()
    service.kill()


@pytest.mark.parametrize("address", ["", "/"])
def test_a_card_of_the_overview_opens_the_live_page_below_the_path(
    prefixed: RunningDashboard, page: Page, address: str
) -> None:
    page.goto(prefixed.base_url + PREFIX + address)
    page.locator("a.card").first.click()
    page.wait_for_url(f"**{PREFIX}/live?site=corner-shop*")
    expect(page.locator(".hero")).to_be_visible()


def test_the_live_stream_connects_below_the_path(prefixed: RunningDashboard, page: Page) -> None:
    with page.expect_response(lambda answer: "live/stream" in answer.url) as answered:
        page.goto(f"{prefixed.base_url}{PREFIX}/live?site=corner-shop")
    assert f"{PREFIX}/live/stream?token=" in answered.value.url
    assert answered.value.status == 200
    expect(page.locator(".hero[data-state=connecting], .hero[data-state=live]")).to_be_visible()


def test_a_zone_of_the_graph_opens_below_the_path(prefixed: RunningDashboard, page: Page) -> None:
    page.goto(f"{prefixed.base_url}{PREFIX}/site?site=corner-shop")
    zones = page.locator(".js-plotly-plot .scatterlayer .point")
    expect(zones).to_have_count(2)
    zones.first.click(force=True)
    page.wait_for_url(lambda url: f"{PREFIX}/live" in url and "zone=hall" in url)


def test_a_wall_opens_below_the_path(prefixed: RunningDashboard, page: Page) -> None:
    page.goto(f"{prefixed.base_url}{PREFIX}/screens?screen=new")
    page.get_by_label("Name").fill("Entrance")
    page.get_by_role("button", name="Create the screen").click()
    frame = page.locator("iframe").first
    expect(frame).to_be_visible()
    link = (frame.get_attribute("src") or "").partition("?")[0]
    assert link.startswith(f"{prefixed.base_url}{PREFIX}/screen/")
    with page.expect_response(lambda answer: answer.url.endswith("/stream")) as answered:
        page.goto(link)
    assert answered.value.status == 200
    expect(page.locator(".number").first).to_be_attached()
