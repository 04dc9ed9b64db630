"""Fault 36: two dashboards behind the real nginx, without stickiness for what is live."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.running_dashboard import RunningDashboard
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


def test_fault_36_a_view_goes_on_at_the_other_dashboard_when_its_own_is_killed(
    page: Page, tmp_path: Path
) -> None:
    with two_dashboards(tmp_path) as deployed:
        deployed.post(5)
        page.goto(f"{deployed.nginx.base_url}/live?site=corner-shop")
        hero = page.locator(".hero")
        expect(hero).to_have_attribute("data-trusted", "true")
        expect(hero.locator(".number")).to_have_text("5")
        lost = only_dashboard_with_a_viewer(deployed)
        lost.kill()
        deployed.post(1)
        expect(hero.locator(".number")).to_have_text("6")
        expect(hero).to_have_attribute("data-trusted", "true")
        assert viewers(only_dashboard_with_a_viewer(deployed)) == 1
