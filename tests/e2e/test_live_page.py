"""The Live and Overview pages in a real browser, before a real dashboard and a real service.

One page goes on from test to test: from a service that comes late to one that is killed, a dashboard that is,
and a key that is taken away.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Request, WebSocket, expect

from tests.e2e.conftest import Stage
from tests.e2e.wall import until
from tests.e2e.whole_pages import bring, is_left_on, rest
from tests.running_dashboard import start_dashboard
from tests.running_service import ROOT, start_service

LIVE = "/live?site=corner-shop"


@pytest.fixture(scope="module")
def running(shared_stage: Stage) -> Iterator[Stage]:
    """What is started again in place of what was killed ends, too."""
    yield shared_stage
    shared_stage.dashboard.kill()
    shared_stage.service.kill()


def start_again(stage: Stage) -> None:
    """The service, where it was."""
    stage.service = start_service(stage.service.data_dir, port=stage.service.port)


@pytest.fixture
def stage(running: Stage) -> Stage:
    """With nobody inside."""
    if running.service.process.poll() is not None:  # the test before did not come to its end
        start_again(running)
    running.empty()
    return running


@pytest.fixture
def counted(stage: Stage) -> Stage:
    """Five people are in the shop, two of them in its café."""
    stage.post(5)
    stage.post(2, passage="archway")
    return stage


class Streams:
    """How many live streams a page has opened and closed since, as the browser sees them."""

    def __init__(self, page: Page) -> None:
        self.opened = 0
        self.closed = 0
        page.on("request", self._begin)
        page.on("requestfinished", self._end)
        page.on("requestfailed", self._end)

    def _begin(self, request: Request) -> None:
        self.opened += "live/stream" in request.url

    def _end(self, request: Request) -> None:
        self.closed += "live/stream" in request.url


class Reruns:
    """Messages between the page and Streamlit since the last `settle`."""

    def __init__(self, page: Page) -> None:
        self.messages = 0
        page.on("websocket", self._listen)

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framereceived", self._heard)
        socket.on("framesent", self._heard)

    def _heard(self, _payload: str | bytes) -> None:
        self.messages += 1

    def settle(self, page: Page) -> None:
        """Wait until nothing was said for two seconds."""
        heard = -1
        while heard != self.messages:
            rest(page)
            heard = self.messages
            page.wait_for_timeout(2_000)
        assert self.messages, "whoever listens since the page was opened has heard something"
        self.messages = 0


@pytest.fixture(scope="module", autouse=True)
def reruns(page_of_module: Page) -> Reruns:
    """It hears of a connection when that is opened."""
    return Reruns(page_of_module)


def show(page: Page, stage: Stage, query: str = "") -> None:
    """Live of the whole shop, or of what `query` asks for, from where the test before has left the page."""
    bring(page, stage.url(LIVE + query))
    expect(page.locator(".hero .number")).to_be_visible()
    rest(page)


def test_visitors_who_come_first_and_together_see_the_menu_and_no_folder_and_move_on_with_a_late_service(
    page: Page, stage: Stage
) -> None:
    stage.service.kill()
    others = [page.context.new_page() for _ in range(2)]
    visitors = [page, *others]
    for visitor in visitors:
        visitor.goto(stage.url(), wait_until="commit")
    for visitor in visitors:
        expect(visitor.get_by_text("The list of sites cannot be shown")).to_be_visible()
        expect(visitor.get_by_role("link", name="Connection").first).to_be_visible()
        expect(visitor.get_by_role("link", name="dashboard")).to_have_count(0)
    start_again(stage)
    for visitor in visitors:
        expect(visitor.get_by_role("link", name="Corner shop")).to_be_visible()
        expect(visitor.get_by_role("link", name="Connection")).to_have_count(1)
    for other in others:
        other.close()


def test_a_card_of_the_overview_tells_the_age_of_its_number_and_opens_its_site(
    page: Page, counted: Stage
) -> None:
    if not is_left_on(page, counted.url()):
        page.goto(counted.url())
    expect(page.locator(".card .freshness .details").first).to_have_text(re.compile(r"^\d+ (s|min) ago"))
    card = page.get_by_role("link", name="Corner shop")
    expect(card.locator(".number")).to_have_text("5")
    expect(card.locator(".share")).to_have_text("5 % of 100")
    card.click()
    page.wait_for_url("**/live?site=corner-shop*")
    expect(page.locator(".hero .number")).to_have_text("5")


def test_the_gauge_moves_when_a_count_is_posted_and_nothing_reruns(
    page: Page, stage: Stage, reruns: Reruns
) -> None:
    show(page, stage)
    stage.post(3)
    expect(page.locator(".hero .number")).to_have_text("3")
    expect(page.locator(".hero .share")).to_have_text("3 % of 100")
    reruns.settle(page)
    stage.post(88)
    expect(page.locator(".hero .number")).to_have_text("91")
    expect(page.locator(".hero .level .word")).to_have_text("Full")
    expect(page.locator(".card .number").first).to_have_text("91")
    assert reruns.messages == 0


def test_reruns_keep_one_connection(page: Page, stage: Stage) -> None:
    stage.post(5)
    show(page, stage)
    expect(page.locator(".hero .number")).to_have_text("5")
    streams = Streams(page)
    page.get_by_role("button", name="Thresholds").click()
    handle = page.get_by_role("slider").first
    for key in ("ArrowLeft", "ArrowLeft", "ArrowRight", "ArrowRight"):
        handle.press(key)
        rest(page)
    stage.post(1)
    expect(page.locator(".hero .number")).to_have_text("6")
    assert (streams.opened, streams.closed) == (0, 0)
    page.keyboard.press("Escape")


def test_another_zone_closes_the_stream_of_the_first(page: Page, counted: Stage) -> None:
    show(page, counted, "&zone=hall")
    expect(page.locator(".hero .share")).to_have_text("5 % of 60")
    streams = Streams(page)
    page.get_by_role("combobox", name="Zone").click()
    page.get_by_role("option", name="Whole site").click()
    expect(page.locator(".hero .share")).to_have_text("5 % of 100")
    page.wait_for_url(lambda url: "zone" not in url)
    until(page, lambda: (streams.opened, streams.closed) == (1, 1))
    page.wait_for_timeout(500)
    assert (streams.opened, streams.closed) == (1, 1)


def test_a_zone_card_opens_its_zone(page: Page, counted: Stage) -> None:
    show(page, counted)
    page.locator("a.card", has_text="Café").click()
    expect(page.locator(".hero .share")).to_have_text("5 % of 40")
    assert "zone=cafe" in page.url


def test_the_thresholds_of_a_link_hold(page: Page, counted: Stage) -> None:
    page.goto(counted.url(LIVE + "&thresholds=5&thresholds=60"))
    expect(page.locator(".hero .level .word")).to_have_text("Filling")
    page.get_by_role("button", name="Thresholds").click()
    page.get_by_role("slider").nth(1).press("ArrowLeft")
    page.wait_for_url("**thresholds=55**")


def test_it_greys_when_the_service_is_killed_and_comes_back_when_it_returns(page: Page, stage: Stage) -> None:
    stage.post(5)
    show(page, stage)
    hero = page.locator(".hero")
    expect(hero).to_have_attribute("data-trusted", "true")
    expect(hero.locator(".number")).to_have_text("5")
    stage.service.kill()
    expect(hero).to_have_attribute("data-trusted", "false")
    expect(hero.locator(".level .word")).to_have_text("Unknown")
    expect(hero.locator(".number")).to_have_text("5")
    start_again(stage)
    expect(hero).to_have_attribute("data-trusted", "true", timeout=90_000)
    expect(hero.locator(".level .word")).to_have_text("Free")


def test_it_greys_when_the_dashboard_is_gone_and_comes_back_untouched(page: Page, stage: Stage) -> None:
    show(page, stage)
    expect(page.locator(".hero")).to_have_attribute("data-trusted", "true")
    assert stage.dashboard.stop() == 0
    expect(page.locator(".hero .freshness .word")).to_have_text("No connection to Headroom")
    expect(page.locator(".hero .level .word")).to_have_text("Unknown")
    stage.dashboard = start_dashboard(
        stage.dashboard.log_file.parent,
        environment={"HEADROOM_BASE_URL": stage.service.base_url, "HEADROOM_API_KEY": stage.site.read_key},
        port=int(stage.dashboard.base_url.rsplit(":", 1)[1]),
    )
    expect(page.locator(".hero")).to_have_attribute("data-trusted", "true", timeout=90_000)


def test_a_revoked_key_is_named_on_the_page(page: Page, stage: Stage) -> None:
    """The last of this file: nothing is told with it any more."""
    show(page, stage)
    expect(page.locator(".hero")).to_have_attribute("data-trusted", "true")
    revoke = [sys.executable, "-m", "service", "keys", "revoke", stage.site.read_key_id]
    subprocess.run([*revoke, "--data-dir", str(stage.site.data_dir)], cwd=ROOT, check=True)
    expect(page.locator(".hero .freshness .word")).to_have_text("Refused", timeout=60_000)
    expect(page.locator(".hero .freshness .details")).to_contain_text("key")
    expect(page.locator(".hero .level .word")).to_have_text("Unknown")
    page.reload()
    of_the_feed = page.locator(".hero .freshness .word", has_text="Refused")
    of_the_list = page.get_by_text("The service does not accept this dashboard's key.")
    # The list of sites is kept for a while, and a slow test comes after it.
    expect(of_the_feed.or_(of_the_list).first).to_be_visible()
