"""Closed time and notes on the curve of a replayed day: of the whole day, whatever is played of it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from hashlib import sha256
from typing import Final
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from analysis.hours_text import spans_of_text
from analysis.notes import Note
from analysis.opening_hours import OpeningHours
from runtime.site_knowledge_store import SiteKnowledgeStore
from tests.e2e.conftest import PATIENCE, Stage, opened_stage
from tests.e2e.test_replay import CHANGED
from tests.e2e.whole_pages import rest
from tests.small_site import create_small_site, store_counts

ZURICH: Final = ZoneInfo("Europe/Zurich")
DAY: Final = datetime.now(ZURICH).date() - timedelta(days=2)
HOSTILE: Final = "<img src=x onerror=alert(1)> sale"


def at(day: date, hour: int, minute: int = 0, *, again: bool = False) -> datetime:
    """Local; of a time that its day has twice, the second one where it comes `again`."""
    return datetime.combine(day, time(hour, minute, fold=int(again)), ZURICH).astimezone(UTC)


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """Open from nine to eighteen, with two notes on either day."""
    folder = tmp_path_factory.mktemp("replay-known")
    site = create_small_site(folder / "service")
    store_counts(site.data_dir, [(at(day, 9), "entrance", 3, 0) for day in (DAY, CHANGED)])
    with opened_stage(folder, site) as opened:
        kept = SiteKnowledgeStore(opened.dashboard.log_file.parent)
        own = (sha256(opened.service.base_url.encode()).hexdigest(), site.site_id)
        hours = OpeningHours(week=(spans_of_text("9-18"),) * 7)
        kept.keep(*own, "opening hours", "", hours.model_dump_json())
        notes = {
            "first": Note(at=at(DAY, 10, 30), text=HOSTILE),
            "second": Note(at=at(DAY, 17), text="sensor moved"),
            "twice": Note(at=at(CHANGED, 2, 30, again=True), text="the clocks went back"),
        }
        for name, note in notes.items():
            kept.keep(*own, "note", name, note.model_dump_json())
        yield opened


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """Of somebody who looks from another time zone than the site's."""
    context = browser.new_context(locale="en-GB", timezone_id="Asia/Kathmandu", reduced_motion="reduce")
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()


def opened(page: Page, stage: Stage, day: date, hour: str = "00:00") -> Locator:
    page.goto(stage.url(f"/replay?site=corner-shop&day={day}&at={hour}"))
    curve = page.locator(".replay-curve")
    expect(curve.locator(".slider")).to_be_visible()
    rest(page)
    return curve


def hours_of(curve: Locator, day: date) -> list[tuple[float, float]]:
    """From which hour of the day to which each rectangle of closed time lasts, as it is drawn."""
    grid = curve.locator(".grid").first
    left, right = (float(grid.get_attribute(name) or "") for name in ("x1", "x2"))
    length = (at(day + timedelta(days=1), 0) - at(day, 0)).total_seconds() / 3600
    spans = []
    for box in curve.locator("rect.closed").all():
        x, width = (float(box.get_attribute(name) or "") for name in ("x", "width"))
        from_, to = ((edge - left) / (right - left) * length for edge in (x, x + width))
        spans.append((round(from_, 2), round(to, 2)))
    return spans


def test_closed_time_of_the_whole_day_is_shaded_before_any_of_it_is_played(stage: Stage, page: Page) -> None:
    curve = opened(page, stage, DAY)
    assert hours_of(curve, DAY) == [(0, 9), (18, 24)]
    expect(curve.locator("figcaption")).to_contain_text("shaded: closed")


def test_on_a_day_of_25_hours_the_night_is_an_hour_longer(stage: Stage, page: Page) -> None:
    curve = opened(page, stage, CHANGED)
    assert hours_of(curve, CHANGED) == [(0, 10), (19, 25)]


def test_notes_are_numbered_on_the_curve_and_listed_below_it_as_text(stage: Stage, page: Page) -> None:
    curve = opened(page, stage, DAY)
    expect(curve.locator(".note-line")).to_have_count(2)
    expect(curve.locator(".day-notes")).to_have_attribute("aria-label", "Notes of the day")
    expect(curve.locator(".day-notes li")).to_have_text([f"10:30: {HOSTILE}", "17:00: sensor moved"])
    expect(curve.locator("img")).to_have_count(0)


def test_a_note_of_a_time_that_the_day_has_twice_says_which_of_the_two(stage: Stage, page: Page) -> None:
    curve = opened(page, stage, CHANGED)
    expect(curve.locator(".day-notes li")).to_have_text("02:30 CET: the clocks went back")
