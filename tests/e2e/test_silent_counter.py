"""A counter that has stopped, on the Live page and on a wall, before a real dashboard and a real service."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import httpx
import pytest
from playwright.sync_api import Page, expect

from screens import Composition, ScreenStore, View, ViewKind
from tests.e2e.conftest import Stage, opened_stage
from tests.small_site import SITE, count, create_small_site, half_a_day_away
from tests.stopped_counter import INSIDE, store_stopped
from tests.written_days import MAYBE_A_DAY


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """As always, but that nobody is forgotten between the last count and the next."""
    with opened_stage(
        tmp_path, create_small_site(tmp_path / "service", reset_hour=half_a_day_away())
    ) as opened:
        yield opened


SEEN = """
window.seen = {};
const look = () => {
  for (const node of document.querySelectorAll(".card, .light-view")) {
    window.seen[node.getAttribute("data-state")] = node.getAttribute("data-level");
  }
  requestAnimationFrame(look);
};
look();
"""
"""Keeps the level of each state of a feed that a wall shows."""


def put_up(stage: Stage, kind: ViewKind) -> str:
    """The link of a screen with one view."""
    store = ScreenStore(stage.dashboard.log_file.parent)
    view = View(kind=kind, site_id=None if kind is ViewKind.SITES else stage.site.site_id)
    screen = store.create(Composition(name="Door", views=(view,)))
    store.close()
    return stage.url(f"/screen/{screen.token}")


def states(stage: Stage) -> dict[str, int]:
    found: dict[str, int] = httpx.get(stage.url("/readyz")).json()["states"]
    return found


def expect_no_level_on_a_wall_opened_cold(page: Page, stage: Stage, kind: ViewKind) -> None:
    """Neither while past days are being read, nor after."""
    page.add_init_script(SEEN)
    page.goto(put_up(stage, kind))
    expect(page.locator(".card, .light-view")).to_have_attribute("data-state", "silent")
    page.wait_for_function("'silent' in seen")  # which looks once a frame
    seen = page.evaluate("seen")
    assert {"uncertain", "silent"} <= seen.keys() <= {"cut", "connecting", "late", "uncertain", "silent"}
    assert set(seen.values()) == {"unknown"}, "it was trusted before past days were read"


def test_a_wall_of_sites_opened_cold_never_shows_a_level_of_a_stopped_counter(
    new_page: Page, stage: Stage
) -> None:
    store_stopped(stage.site, 90)
    expect_no_level_on_a_wall_opened_cold(new_page, stage, ViewKind.SITES)


def test_a_stopped_counter_looks_trustworthy_nowhere_until_it_counts_again(
    new_page: Page, page: Page, stage: Stage
) -> None:
    newest = store_stopped(stage.site, 90).astimezone(ZoneInfo(SITE.timezone or ""))
    expect_no_level_on_a_wall_opened_cold(new_page, stage, ViewKind.LIGHT)
    sentence = re.compile(rf"since {MAYBE_A_DAY}{newest:%H:%M} · usually every minute")
    page.goto(stage.url("/live?site=corner-shop"))
    expect(page.locator(".hero .freshness .word")).to_have_text("No counts")
    expect(page.locator(".hero .freshness .details")).to_have_text(sentence)
    expect(page.locator(".hero .level .word")).to_have_text("Unknown")
    expect(page.locator(".hero .number")).to_have_text(str(INSIDE))
    assert states(stage)["silent"] >= 1
    assert re.search(r"headroom_feeds\{state=\"silent\"\} [1-9]", httpx.get(stage.url("/metrics")).text)

    wall = put_up(stage, ViewKind.LIGHT)
    page.goto(wall)
    expect(page.locator(".light-view")).to_have_attribute("data-level", "unknown")
    expect(page.locator(".light-view .word")).to_have_text("Number not available")
    expect(page.locator(".foot")).to_contain_text(sentence)

    page.goto(stage.url("/?show=silent"))
    states_to_choose = page.get_by_test_id("stButtonGroup").filter(has_text="Show only")
    # For a moment of a run that moves it, the old one stands beside the new.
    expect(states_to_choose.filter(has_text="No counts 1")).to_have_count(1)
    expect(page.locator(".card .freshness .word")).to_have_text("No counts")

    page.goto(wall)
    httpx.post(
        f"{stage.service.base_url}/ingest/counts",
        json=[count(datetime.now(UTC), 0)],
        headers=stage.site.ingest_headers,
    ).raise_for_status()
    expect(page.locator(".foot .word")).to_have_text("Live")
    expect(page.locator(".light-view .word")).to_have_text("Please wait")
    assert "feed silent" in stage.dashboard.log()
    assert "feed counts again" in stage.dashboard.log()
