"""A real browser before a real dashboard before a real service."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import httpx
import psutil  # type: ignore[import-untyped]  # its stubs are a package of their own
import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from tests.administered import Administered, made_admin_key
from tests.e2e.scripted_relay import serving
from tests.e2e.scripted_wall import ScriptedWall
from tests.installed_browser import SPARING, launch_browser
from tests.running_dashboard import RunningDashboard, start_dashboard
from tests.running_service import ROOT, RunningService, start_service
from tests.scripted_service import KEY, ScriptedService
from tests.small_site import SmallSite, count, create_small_site

PATIENCE = 60_000
"""Milliseconds that the browser waits for what must come; nothing is expected to take this long."""
WINDOW: Final[ViewportSize] = {"width": 1280, "height": 720}
"""Of a new page, as Playwright opens it."""
THAT_MOVE: Final = {
    *("test_gauge", "test_live_pictures", "test_plan_on_phone", "test_silent_counter"),
    *("test_place_alive", "test_place_for_months", "test_replay"),
    *("test_wall_closed", "test_wall_flow", "test_wall_for_months", "test_wall_from_afar"),
    *("test_wall_shapes", "test_wall_views"),
}
"""Modules in which something moves that a test looks at. Elsewhere a visitor wants nothing to move: what
shimmers and fades while a busy machine is waited for costs a third of what a page does.
"""


@dataclass
class Stage:
    """The three of them, over the small site."""

    site: SmallSite
    service: RunningService
    dashboard: RunningDashboard

    def url(self, path: str = "/") -> str:
        return f"{self.dashboard.base_url}{path}"

    def post(self, forward: int, backward: int = 0, passage: str = "entrance") -> None:
        """So many people pass in this minute."""
        minute = datetime.now(UTC).replace(second=0, microsecond=0)
        httpx.post(
            f"{self.service.base_url}/ingest/counts",
            json=[count(minute, forward, backward, passage)],
            headers=self.site.ingest_headers,
            timeout=PATIENCE / 1000,
        ).raise_for_status()

    def inside(self, zone: str) -> int:
        """How many the service counts in a zone now."""
        asked = {"siteId": self.site.site_id, "metrics": ["visitorsInside"], "from": "now", "to": "now"}
        points = httpx.post(
            f"{self.service.base_url}/v3/metrics",
            json=asked | {"filter": {"zoneIds": [zone]}},
            headers=self.site.headers,
            timeout=PATIENCE / 1000,
        ).json()["data"]
        return int(points[0]["metrics"]["visitorsInside"]) if points else 0

    def empty(self) -> None:
        """Everybody leaves, by the nearest door."""
        self.post(0, self.inside("hall"))
        self.post(self.inside("cafe"), passage="terrace")


@contextmanager
def opened_browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        opened = launch_browser(playwright.chromium, *SPARING)
        expect.set_options(timeout=PATIENCE)
        yield opened
        opened.close()


@pytest.fixture(scope="package")
def browser(lasting: set[int]) -> Iterator[Browser]:
    """One for all modules of this room, since no test of it is asynchronous: Playwright's loop stays the
    thread's running loop until it ends.
    """
    with opened_browser() as opened:
        lasting.update(child.pid for child in psutil.Process().children() if "playwright" in child.exe())
        yield opened


@pytest.fixture(scope="module")
def browser_of_module() -> Iterator[Browser]:
    """The browser of other rooms; it ends with its module, since the next one may be asynchronous."""
    with opened_browser() as opened:
        yield opened


@contextmanager
def opened_page(browser: Browser, *, is_still: bool = False) -> Iterator[Page]:
    """A page of a visitor who was never here; `is_still` for one who wants nothing to move."""
    context = browser.new_context(
        locale="en-GB",
        timezone_id="Europe/Zurich",
        reduced_motion="reduce" if is_still else "no-preference",
    )
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()


@pytest.fixture
def new_page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """For what would stay on a kept one: a clock, a script that a test installs, an expired view."""
    with opened_page(browser, is_still=request.path.stem not in THAT_MOVE) as opened:
        yield opened


@pytest.fixture(scope="module")
def page_of_module(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    with opened_page(browser, is_still=request.path.stem not in THAT_MOVE) as opened:
        yield opened


@pytest.fixture
def page(page_of_module: Page) -> Page:
    """One for all tests of a module, emptied of what was kept: it has loaded and compiled Streamlit already,
    which is half of what a test costs.
    """
    forget(page_of_module)
    return page_of_module


def forget(page: Page) -> None:
    """Nothing kept, no step back, the first window again. What the page shows stays until the next is opened:
    what the browser has compiled goes with the last page that uses it.
    """
    if page.url.startswith("http"):
        page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
    page.unroute_all()
    page.context.clear_cookies()
    page.set_viewport_size(WINDOW)
    page.emulate_media(media="null", color_scheme="null")
    session = page.context.new_cdp_session(page)
    session.send("Page.resetNavigationHistory")
    session.detach()


@contextmanager
def opened_stage(
    folder: Path, site: SmallSite, *, environment: Mapping[str, str] | None = None, project: Path = ROOT
) -> Iterator[Stage]:
    """A service over `site` and a dashboard that is configured to read it, whose files are in `folder`.

    `environment` and `project` as of `start_dashboard`.
    """
    with ExitStack() as stack:
        service = start_service(site.data_dir)
        stack.callback(service.kill)
        configured = {"HEADROOM_BASE_URL": service.base_url, "HEADROOM_API_KEY": site.read_key}
        dashboard = start_dashboard(
            folder / "dashboard", environment=configured | dict(environment or {}), project=project
        )
        stack.callback(dashboard.kill)
        yield Stage(site, service, dashboard)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """A small site, its service and a dashboard; new for each test."""
    with opened_stage(tmp_path, create_small_site(tmp_path / "service")) as opened:
        yield opened


@pytest.fixture(scope="module")
def shared_stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """The same, one for all tests of a module that leave it as they find it: each costs seconds to start."""
    folder = tmp_path_factory.mktemp("shared-stage")
    with opened_stage(folder, create_small_site(folder / "service")) as opened:
        yield opened


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Stage, Administered]]:
    """The same with a key that may administer, and what it does there."""
    folder = tmp_path_factory.mktemp("administered")
    site = create_small_site(folder / "service")
    admin_key = made_admin_key(site.data_dir)
    with opened_stage(folder, site, environment={"HEADROOM_ADMIN_KEY": admin_key}) as opened:
        yield opened, Administered(site, opened.service, admin_key)


@pytest.fixture(scope="module")
def unread(scripted: ScriptedService, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDashboard]:
    """A dashboard before the module's own `scripted` service, for its first test: it has not read yet which
    sites there are.
    """
    environment = {"HEADROOM_BASE_URL": scripted.base_url, "HEADROOM_API_KEY": KEY}
    started = start_dashboard(tmp_path_factory.mktemp("dashboard"), environment=environment)
    yield started
    scripted.let_sites_be_read()
    started.kill()


@pytest.fixture
def dashboard(unread: RunningDashboard, scripted: ScriptedService) -> RunningDashboard:
    """The same, from now on let read its sites; many modules have another of their own."""
    scripted.let_sites_be_read()
    return unread


@pytest.fixture
def emptied_stage(shared_stage: Stage) -> Stage:
    """The shared one with nobody inside, for tests that count and let both processes live."""
    shared_stage.empty()
    return shared_stage


@pytest.fixture
def wall() -> ScriptedWall:
    """What a wall before a stream of a test's own is to show."""
    return ScriptedWall()


@pytest.fixture
def address(wall: ScriptedWall) -> Iterator[str]:
    """Base URL of that wall."""
    with serving(wall) as url:
        yield url
