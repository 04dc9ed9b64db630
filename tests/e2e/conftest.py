"""A real browser before a real dashboard before a real service."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.running_dashboard import RunningDashboard, start_dashboard
from tests.running_service import RunningService, start_service
from tests.small_site import SmallSite, create_small_site

PATIENCE = 30_000
"""Milliseconds that the browser waits for what must come; nothing is expected to take this long."""
INSTALLED_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@dataclass
class Stage:
    """The three of them, over the small site."""

    site: SmallSite
    service: RunningService
    dashboard: RunningDashboard

    def url(self, path: str = "/") -> str:
        return f"{self.dashboard.base_url}{path}"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """An installed Chromium or Chrome, else the one that Playwright brings.

    One a module: Playwright's loop stays the thread's running loop until it ends, and asynchronous tests
    of other modules need their own.
    """
    installed = next(filter(None, map(shutil.which, INSTALLED_BROWSERS)), None)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=installed, args=list(BROWSER_FLAGS))
        expect.set_options(timeout=PATIENCE)
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(locale="en-GB", timezone_id="Europe/Zurich")
    context.set_default_timeout(PATIENCE)
    opened = context.new_page()
    yield opened
    context.close()


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """A small site, its service and a dashboard that is configured to read it; new for each test."""
    site = create_small_site(tmp_path / "service")
    with ExitStack() as stack:
        service = start_service(site.data_dir)
        stack.callback(service.kill)
        environment = {"HEADROOM_BASE_URL": service.base_url, "HEADROOM_API_KEY": site.read_key}
        dashboard = start_dashboard(tmp_path / "dashboard", environment=environment)
        stack.callback(dashboard.kill)
        yield Stage(site, service, dashboard)
