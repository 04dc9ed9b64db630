"""Faults 20, 29, 30 and 32 to 34: what a browser lives through before a real dashboard and service."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from screens import ViewKind
from tests.e2e.conftest import Stage, opened_page, opened_stage
from tests.faults.unplugged_network import Network
from tests.hung_screen import hang_screen
from tests.running_dashboard import RunningDashboard, start_dashboard
from tests.running_service import ROOT
from tests.small_site import create_small_site

PATIENCE = 60.0
WORDS = 'st.write("edited by hand")\n'


def consumers(stage: Stage) -> int:
    """Streams that the service has open: each is one consumer in some hub."""
    answer = httpx.get(f"{stage.service.base_url}/healthz", timeout=PATIENCE)
    return int(answer.json()["data"]["openStreams"])


def until(page: Page, holds: Callable[[], bool], *, run: int = 0) -> None:
    """Wait for what must come; `run` milliseconds of the page's installed clock pass at each look."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, "it never came true"
        if run:
            page.clock.run_for(run)
        page.wait_for_timeout(100)


@dataclass(frozen=True)
class Shown:
    """What a person sees of the small site, on whichever page."""

    page: Page
    view: Locator
    measured: Locator
    feeds: int
    """Streams that the page needs of the service."""

    @property
    def number(self) -> Locator:
        return self.view.locator(".number").first

    def is_live_with(self, inside: int) -> bool:
        # Read together: between two questions the page may move on.
        found = self.view.evaluate(
            "view => [view.querySelector('.number').textContent, view.getAttribute('data-trusted')]"
        )
        return bool(found == [str(inside), "true"])

    def age(self) -> int:
        """Seconds, as the page says it."""
        text = self.measured.inner_text()
        if "just now" in text:
            return 0
        found = re.search(r"(\d+) (s|min|h) ago", text)
        assert found, text
        return int(found[1]) * {"s": 1, "min": 60, "h": 3600}[found[2]]


def open_live_page(page: Page, stage: Stage) -> Shown:
    page.goto(stage.url("/live?site=corner-shop"))
    view = page.locator(".hero")
    return Shown(page, view, view.locator(".measured"), feeds=3)


def open_screen(page: Page, stage: Stage) -> Shown:
    page.goto(stage.url(f"/screen/{hang_screen(stage.dashboard.log_file.parent)}"))
    return Shown(page, page.locator(".number-view"), page.locator(".foot .measured"), feeds=1)


Opens = Callable[[Page, Stage], Shown]
OPENS = (open_live_page, open_screen)
everywhere = pytest.mark.parametrize("opens", OPENS)


def shown_with(page: Page, stage: Stage, opens: Opens, inside: int, *, clock: bool = True) -> Shown:
    """The page showing `inside`, live, on a clock that the test can push."""
    stage.post(inside)
    if clock:
        page.clock.install()
    shown = opens(page, stage)
    expect(shown.number).to_have_text(str(inside))
    expect(shown.view).to_have_attribute("data-trusted", "true")
    return shown


@pytest.fixture(scope="module", params=OPENS)
def opened(request: pytest.FixtureRequest, browser: Browser, shared_stage: Stage) -> Iterator[Shown]:
    """A page that lives through one fault after another, with a clock that tests can push."""
    shared_stage.empty()
    with opened_page(browser) as page:
        yield shown_with(page, shared_stage, request.param, 5)


@pytest.fixture
def shown(opened: Shown, emptied_stage: Stage) -> Shown:
    """The same with five inside, live, whatever the test before has left."""
    opened.page.context.set_offline(False)
    emptied_stage.post(5)
    until(opened.page, lambda: opened.is_live_with(5), run=1_000)
    return opened


def restart(stage: Stage) -> RunningDashboard:
    """The dashboard again, where it was."""
    return start_dashboard(
        stage.dashboard.log_file.parent,
        environment={"HEADROOM_BASE_URL": stage.service.base_url, "HEADROOM_API_KEY": stage.site.read_key},
        port=int(stage.dashboard.base_url.rsplit(":", 1)[1]),
    )


def test_fault_32_reruns_and_reloads_start_no_second_consumer(page: Page, emptied_stage: Stage) -> None:
    """The first: nobody else looks yet."""
    shown = shown_with(page, emptied_stage, open_live_page, 5, clock=False)
    until(page, lambda: consumers(emptied_stage) == shown.feeds)
    for _ in range(2):
        page.reload()
        expect(shown.view).to_have_attribute("data-trusted", "true")
        page.get_by_role("button", name="Thresholds").click()
        page.get_by_role("slider").first.press("ArrowLeft")
        page.wait_for_url("**thresholds=**")
    assert consumers(emptied_stage) == shown.feeds


@pytest.mark.parametrize("hours", [-5, 5])
def test_fault_20_a_wall_clock_that_jumps_makes_no_value_old_or_young(
    shown: Shown, emptied_stage: Stage, hours: int
) -> None:
    page, before = shown.page, shown.age()
    minute = time.time() // 60 * 60  # in which the count was made, or a later one
    page.clock.set_system_time(time.time() + hours * 3600)
    page.clock.run_for(5_000)
    until(page, lambda: shown.is_live_with(5), run=1_000)
    # Not `before`, which ran ahead with the page's clock: the next message sets that right. From a minute on
    # the page says minutes.
    assert min(time.time() - minute, 60) - 2 <= shown.age() < before + 120
    emptied_stage.post(1)
    until(page, lambda: shown.is_live_with(6), run=1_000)


def test_fault_29_a_dashboard_that_was_killed_comes_back_with_its_screens(
    browser: Browser, page: Page, stage: Stage
) -> None:
    """Live page and screen at once: they share the stream of the site."""
    live = shown_with(page, stage, open_live_page, 5, clock=False)
    until(page, lambda: consumers(stage) == live.feeds)
    with opened_page(browser) as wall:
        both = (live, open_screen(wall, stage))
        until(wall, lambda: both[1].is_live_with(5))
        stage.dashboard.kill()
        for shown in both:
            expect(shown.view).to_have_attribute("data-trusted", "false")
        stage.post(1)
        again = restart(stage)
        try:
            for shown in both:
                until(shown.page, partial(shown.is_live_with, 6))
            until(page, lambda: consumers(stage) == live.feeds)
        finally:
            again.kill()


def test_fault_30_after_the_network_was_off_it_is_live_without_a_touch(
    shown: Shown, emptied_stage: Stage
) -> None:
    """For half a minute, and for five."""
    page = shown.page
    for inside, seconds in ((6, 30), (7, 300)):
        page.context.set_offline(True)
        page.clock.run_for(seconds * 1_000)
        if seconds > 60:
            expect(shown.view).to_have_attribute("data-state", "cut")
            expect(shown.view).to_have_attribute("data-trusted", "false")
        emptied_stage.post(1)
        page.context.set_offline(False)
        until(page, partial(shown.is_live_with, inside), run=1_000)


@everywhere
def test_fault_30_after_a_network_that_told_nobody_it_was_off_it_is_live_without_a_touch(
    page: Page, emptied_stage: Stage, opens: Opens
) -> None:
    host, port = emptied_stage.dashboard.base_url.removeprefix("http://").split(":")
    network = Network(host, int(port))
    with network.running() as address:
        reached = replace(emptied_stage, dashboard=replace(emptied_stage.dashboard, base_url=address))
        shown = shown_with(page, reached, opens, 5)
        network.unplug()
        page.clock.run_for(300_000)
        expect(shown.view).to_have_attribute("data-state", "cut")
        expect(shown.view).to_have_attribute("data-trusted", "false")
        emptied_stage.post(1)
        network.plug_in()
        until(page, lambda: shown.is_live_with(6), run=1_000)


def test_fault_33_a_tab_that_was_hidden_shows_the_current_value_soon(
    shown: Shown, emptied_stage: Stage
) -> None:
    page = shown.page
    hide(page)
    for _ in range(10):
        emptied_stage.post(1)
        # What a browser grants a hidden tab: each timer once a minute, however often it is due.
        page.clock.fast_forward(60_000)
    show(page)
    until(page, lambda: shown.is_live_with(15), run=200)
    assert shown.age() < 90


def hide(page: Page) -> None:
    page.clock.pause_at(page.evaluate("Date.now() / 1000 + 1"))
    tell_visibility(page, "hidden")


def show(page: Page) -> None:
    page.clock.resume()
    tell_visibility(page, "visible")


def tell_visibility(page: Page, state: str) -> None:
    """A browser without a window never hides a tab by itself."""
    page.evaluate(
        """state => {
            Object.defineProperty(document, "visibilityState", {value: state, configurable: true});
            Object.defineProperty(document, "hidden", {value: state === "hidden", configurable: true});
            document.dispatchEvent(new Event("visibilitychange"));
        }""",
        state,
    )


def test_fault_34_cut_off_the_age_counts_on_and_the_number_greys(shown: Shown) -> None:
    page = shown.page
    level = shown.view.locator(".level .word").first
    expect(level).to_have_text("Free")
    green, strong = colours(level), colours(shown.number)
    page.context.set_offline(True)
    ages = []
    for _ in range(6):
        page.clock.run_for(20_000)
        ages.append(shown.age())
    # 98 s are followed by 1 min: whole minutes say less, never more.
    assert all(later > earlier - 60 for earlier, later in pairwise(ages))
    assert ages[-1] >= 120
    assert ages[-1] > ages[0]
    expect(shown.view).to_have_attribute("data-trusted", "false")
    expect(shown.number).to_have_text("5")
    expect(level).to_have_text("Unknown")
    assert colours(level) != green
    assert colours(shown.number) != strong


def test_fault_34_cut_off_the_green_light_goes_out(page: Page, emptied_stage: Stage) -> None:
    emptied_stage.post(5)
    page.clock.install()
    token = hang_screen(emptied_stage.dashboard.log_file.parent, ViewKind.LIGHT)
    page.goto(emptied_stage.url(f"/screen/{token}"))
    light = page.locator(".light-view")
    expect(light).to_have_attribute("data-level", "free")
    green, word = colours(light), light.locator(".word").inner_text()
    page.context.set_offline(True)
    page.clock.run_for(60_000)
    expect(light).to_have_attribute("data-level", "unknown")
    expect(light.locator(".word")).not_to_have_text(word)
    assert colours(light) != green


def colours(part: Locator) -> str:
    """All that is coloured about it, its icon and the field behind it included."""
    return str(
        part.evaluate(
            """node => [node, ...node.parentElement.querySelectorAll('*')].map(one => {
                const style = getComputedStyle(one), behind = getComputedStyle(one, '::before');
                return [style.color, style.fill, style.stroke, behind.backgroundColor].join();
            }).join(';')"""
        )
    )


@pytest.mark.soak
def test_fault_32_an_edit_of_the_code_starts_no_second_consumer(page: Page, tmp_path: Path) -> None:
    """In a copy of the project, with Streamlit's watcher on, which the shipped settings keep off."""
    project = copy_of_the_project(tmp_path / "copy")
    watcher = {"STREAMLIT_SERVER_FILE_WATCHER_TYPE": "poll", "STREAMLIT_SERVER_RUN_ON_SAVE": "true"}
    site = create_small_site(tmp_path / "service")
    with opened_stage(tmp_path, site, environment=watcher, project=project) as stage:
        shown = shown_with(page, stage, open_live_page, 5, clock=False)
        until(page, lambda: consumers(stage) == shown.feeds)
        edit(project / "live" / "hub.py", "class Hub:", "class Hub:  # edited")
        edit(project / "runtime" / "resources.py", "return Hub(", "# edited\n    return Hub(")
        edit(project / "pages" / "live.py", "import streamlit as st\n", "import streamlit as st\n" + WORDS)
        expect(page.get_by_text("edited by hand")).to_be_visible()
        stage.post(1)
        until(page, lambda: shown.is_live_with(6))
        page.wait_for_timeout(1_000)
        assert consumers(stage) == shown.feeds


def edit(file: Path, before: str, after: str) -> None:
    text = file.read_text()
    assert before in text
    file.write_text(text.replace(before, after, 1))


def copy_of_the_project(folder: Path) -> Path:
    kept_out = shutil.ignore_patterns(".git", ".venv", ".headroom", "tests", "benchmarks", "docs", ".*_cache")
    shutil.copytree(ROOT, folder, ignore=kept_out)
    return folder
