"""Fault 36: two dashboards behind the real nginx, without stickiness for what is live."""

from __future__ import annotations

import time
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.hung_screen import hang_screen
from tests.running_dashboard import RunningDashboard
from tests.soaking import mostly_in_the_soak
from tests.two_dashboards import TwoDashboards, two_dashboards, viewers

PATIENCE = 60.0


def only_dashboard_with_a_viewer(deployed: TwoDashboards) -> RunningDashboard:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = deployed.with_viewers()
        if len(found) == 1:
            return found[0]
        time.sleep(0.1)
    pytest.fail("no dashboard, or more than one, has the stream")


@pytest.mark.parametrize("page_of", mostly_in_the_soak(["live", "screen"], "screen"))
def test_fault_36_a_view_goes_on_at_the_other_dashboard_when_its_own_is_killed(
    page: Page, tmp_path: Path, page_of: str
) -> None:
    with two_dashboards(tmp_path) as deployed:
        deployed.post(5)
        screen = f"/screen/{hang_screen(deployed.place)}"
        page.goto(deployed.nginx.base_url + {"live": "/live?site=corner-shop", "screen": screen}[page_of])
        view = page.locator({"live": ".hero", "screen": ".number-view"}[page_of])
        expect(view).to_have_attribute("data-trusted", "true")
        expect(view.locator(".number")).to_have_text("5")
        lost = only_dashboard_with_a_viewer(deployed)
        lost.kill()
        deployed.post(1)
        expect(view.locator(".number")).to_have_text("6")
        expect(view).to_have_attribute("data-trusted", "true")
        assert viewers(only_dashboard_with_a_viewer(deployed)) == 1


def test_fault_36_any_dashboard_shows_any_screen(tmp_path: Path) -> None:
    with two_dashboards(tmp_path) as deployed:
        token = hang_screen(deployed.place)
        for dashboard in deployed.dashboards:
            with httpx.stream(
                "GET", f"{dashboard.base_url}/screen/{token}/stream", timeout=PATIENCE
            ) as answer:
                assert answer.status_code == 200
                assert "corner-shop" in next(text for text in answer.iter_lines() if text.startswith("data:"))
