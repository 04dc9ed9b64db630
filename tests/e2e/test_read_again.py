"""A past that is remembered, and wrong: what a page says of it, and how its reader has it read again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.whole_pages import is_left_on, rest
from tests.running_dashboard import RunningDashboard, start_dashboard
from tests.runtime.test_past_anew import Loading
from tests.scripted_service import KEY, scripted_service

SITE = {"id": "a", "name": "A", "timezone": "Etc/UTC", "zones": [], "passages": []}
HISTORY = "/history?site=a&metric=entrances&range=dates&from=2026-03-02T00:00&to=2026-03-04T00:00"
REMEMBERED = "What is over is remembered for up to 60 min: counts that come late may be missing so long."


@pytest.fixture(scope="module")
def service() -> Iterator[Loading]:
    with scripted_service(Loading(sites=[SITE], part=0.5)) as running:
        assert isinstance(running, Loading)
        yield running


@pytest.fixture(scope="module")
def dashboard(service: Loading, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDashboard]:
    read = {"HEADROOM_BASE_URL": service.base_url, "HEADROOM_API_KEY": KEY}
    running = start_dashboard(tmp_path_factory.mktemp("read-again"), environment=read)
    yield running
    running.kill()


def test_a_wrong_past_stays_after_a_reload_and_is_read_again_by_whoever_presses(
    page: Page, service: Loading, dashboard: RunningDashboard
) -> None:
    page.goto(dashboard.base_url + HISTORY)
    expect(page.get_by_text("72 came in.", exact=True)).to_be_visible()
    service.part = 1.0
    page.reload()
    expect(page.get_by_text(REMEMBERED)).to_be_visible()
    expect(page.get_by_text("72 came in.", exact=True)).to_be_visible()
    page.get_by_role("button", name="Read again").click()
    expect(page.get_by_text("144 came in.", exact=True)).to_be_visible()
    expect(page.get_by_text("Read again at ")).to_be_visible()
    page.reload()
    expect(page.get_by_text("144 came in.", exact=True)).to_be_visible()
    expect(page.get_by_text(REMEMBERED)).to_be_visible()


def test_a_page_of_what_is_over_has_it_and_one_of_now_has_none(
    page: Page, dashboard: RunningDashboard
) -> None:
    if not is_left_on(page, f"{dashboard.base_url}/history"):
        page.goto(f"{dashboard.base_url}/history")
    for name, buttons in (("Trust", 1), ("Doors", 1), ("Live", 0)):
        page.get_by_role("link", name=name, exact=True).click()
        expect(page.get_by_role("heading", level=1, name=name)).to_be_visible()
        rest(page)
        expect(page.get_by_role("button", name="Read again"), name).to_have_count(buttons)
