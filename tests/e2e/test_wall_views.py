"""What the views of a screen show, in a real browser, before a stream that a test tells what to say."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.told_relay import feed, serving
from tests.e2e.told_wall import ToldWall, typical_day, view
from tests.e2e.wall import at_local_hour, open_wall, until

SIZES = ((390, 844), (1280, 720), (3840, 2160))
KINDS = ("number", "light", "gauge", "board", "curve", "sites")
PLACES = ("shop", "hall", "basement", "first floor", "restaurant", "garden centre")
OUT_OF_SIGHT = """() => [...document.querySelectorAll('#wall *')].filter(node => {
  const box = node.getBoundingClientRect();
  const isShown = box.width > 0 && !node.closest('.speech');
  const isOut = box.right > innerWidth + 1 || box.bottom > innerHeight + 1 || box.left < -1 || box.top < -1;
  return isShown && isOut;
}).map(node => node.outerHTML.slice(0, 80))"""
CUT_SHORT = """() => [...document.querySelectorAll('#wall .card, #wall .facts, #wall .view')]
  .map(node => [node.className, node.scrollWidth / node.clientWidth, node.scrollHeight / node.clientHeight])
  .filter(found => Math.max(found[1], found[2]) > 1.05)"""
SMALLEST_TEXT = """() => Math.min(...[...document.querySelectorAll('#wall *')]
  .filter(node => node.getBoundingClientRect().width && !node.closest('.speech, .card')
    && [...node.childNodes].some(child => child.nodeType === 3))
  .map(node => parseFloat(getComputedStyle(node).fontSize)
    * (node.ownerSVGElement ? node.ownerSVGElement.getScreenCTM().a : 1)))"""


@pytest.fixture
def wall() -> ToldWall:
    return ToldWall()


@pytest.fixture
def address(wall: ToldWall) -> Iterator[str]:
    with serving(wall) as url:
        yield url


def day_of(now: float) -> dict[str, Any]:
    start = int(now) - 15 * 3600 - 30 * 60 - 20
    today = [[start + 60 * minute, minute / 12] for minute in range(480, 925, 5) if not 600 < minute < 640]
    return {
        "timezone": "Europe/Zurich",
        "day_start": start,
        "typical": typical_day(),
        "today": today,
        "request_id": "req_1",
        "as_of": now,
    }


def told_views(wall: ToldWall, kind: str) -> None:
    now = at_local_hour(wall, 15)
    names = PLACES if kind in {"board", "sites"} else ("shop",)
    wall.views = [view(kind, *names)]
    wall.feeds = {name: feed(now, inside=20 * place + 8) for place, name in enumerate(names)}
    wall.day = day_of(now)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_of_a_view_leaves_the_screen_or_is_too_small_on_any_screen(
    page: Page, address: str, wall: ToldWall, kind: str
) -> None:
    told_views(wall, kind)
    for width, height in SIZES:
        for wall.theme in ("light", "dark"):
            page.set_viewport_size({"width": width, "height": height})
            open_wall(page, address)
            expect(page.locator("html")).to_have_attribute("data-theme", wall.theme)
            expect(page.locator("#wall .number, #wall .light-view .word").first).not_to_have_text("–")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
            assert page.evaluate(OUT_OF_SIGHT) == []
            assert page.evaluate(CUT_SHORT) == []
            assert page.evaluate(SMALLEST_TEXT) >= 0.03 * min(width, height)


def test_a_number_is_told_with_its_places_level_and_age(page: Page, address: str, wall: ToldWall) -> None:
    at_local_hour(wall, 15)
    wall.feeds = {"shop": feed(wall.now())}
    open_wall(page, address)
    expect(page.locator(".heading")).to_have_text("Corner shop")
    expect(page.locator(".clock")).to_have_text("15:30")
    expect(page.locator(".number")).to_have_text("80")
    expect(page.locator(".places")).to_have_text("20 places left")
    expect(page.locator(".level .word")).to_have_text("Filling")
    expect(page.locator(".foot .word")).to_have_text("Live")
    expect(page.locator(".measured")).to_contain_text("Measured 15:30")
    expect(page.locator(".measured")).to_contain_text("s ago · Europe/Zurich")


def test_a_change_moves_the_number_in_place(page: Page, address: str, wall: ToldWall) -> None:
    open_wall(page, address)
    expect(page.locator(".number")).to_have_text("80")
    page.evaluate("window.before = document.querySelector('.number')")
    wall.changes.append({"shop": feed(time.time(), inside=97)})
    expect(page.locator(".number")).to_have_text("97")
    assert page.evaluate("window.before === document.querySelector('.number')")


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ("Please enter", "60 places left", "Live")),
        ("de", ("Bitte eintreten", "60 Plätze frei", "Live")),
        ("fr", ("Entrez", "60 places libres", "En direct")),
        ("it", ("Prego, entrare", "60 posti liberi", "In diretta")),
    ],
)
def test_a_light_speaks_the_language_of_its_screen(
    page: Page, address: str, wall: ToldWall, language: str, words: tuple[str, str, str]
) -> None:
    wall.views, wall.language = [view("light")], language
    wall.feeds = {"shop": feed(time.time(), inside=40)}
    open_wall(page, address)
    expect(page.locator(".light-view .word")).to_have_text(words[0])
    expect(page.locator(".light-view .places")).to_have_text(words[1])
    expect(page.locator(".foot .word")).to_have_text(words[2])
    expect(page.locator("html")).to_have_attribute("lang", language)


def test_a_light_turns_at_its_own_limits_and_says_ones_own_words(
    page: Page, address: str, wall: ToldWall
) -> None:
    words = {"free": "Come in!", "filling": "", "full": "Two minutes, please"}
    wall.views = [view("light", words=words, thresholds={"filling": 30, "full": 50})]
    wall.feeds = {"shop": feed(time.time(), inside=29)}
    open_wall(page, address)
    for inside, word, level in ((29, "Come in!", "free"), (30, "Almost full", "filling")):
        wall.changes.append({"shop": feed(time.time(), inside=inside)})
        expect(page.locator(".light-view .word")).to_have_text(word)
        expect(page.locator(".light-view")).to_have_attribute("data-level", level)
    wall.changes.append({"shop": feed(time.time(), inside=50)})
    expect(page.locator(".light-view .word")).to_have_text("Two minutes, please")


@pytest.mark.parametrize("state", ["late", "reconnecting", "offline", "refused", "connecting"])
def test_a_light_is_neutral_when_its_value_is_not_current(
    page: Page, address: str, wall: ToldWall, state: str
) -> None:
    wall.views = [view("light")]
    wall.feeds = {"shop": feed(time.time(), inside=10)}
    open_wall(page, address)
    expect(page.locator(".light-view")).to_have_attribute("data-level", "free")
    wall.changes.append({"shop": feed(time.time(), inside=10, state=state, request_id="req_7")})
    expect(page.locator(".light-view")).to_have_attribute("data-level", "unknown")
    expect(page.locator(".light-view .word")).to_have_text("No current count")
    expect(page.locator(".light-view .places")).to_have_text("")
    expect(page.locator(".foot")).to_have_attribute("data-trusted", "false")
    expect(page.locator(".foot .word")).to_have_text(state.capitalize())


def test_a_polled_value_that_is_confirmed_keeps_the_light(page: Page, address: str, wall: ToldWall) -> None:
    wall.views = [view("light")]
    wall.feeds = {"shop": feed(time.time(), inside=10, state="polling")}
    open_wall(page, address)
    expect(page.locator(".light-view")).to_have_attribute("data-level", "free")
    expect(page.locator(".foot .word")).to_have_text("Polling")


def test_a_light_without_a_told_capacity_says_so(page: Page, address: str, wall: ToldWall) -> None:
    wall.views = [view("light")]
    wall.views[0]["feeds"][0]["capacity"] = None
    open_wall(page, address)
    expect(page.locator(".light-view .word")).to_have_text("Capacity not told")
    expect(page.locator(".light-view")).to_have_attribute("data-level", "unknown")


def test_a_closed_shop_at_night_is_quiet_and_dimmed_but_not_stale(
    page: Page, address: str, wall: ToldWall
) -> None:
    now = at_local_hour(wall, 23)
    wall.theme = "clock"
    wall.feeds = {"shop": feed(now, inside=0, measured_at=int(now) - 4 * 3600, confirmed_age=12)}
    open_wall(page, address)
    expect(page.locator(".foot .word")).to_have_text("Quiet")
    expect(page.locator(".foot")).to_have_attribute("data-trusted", "true")
    expect(page.locator(".level .word")).to_have_text("Free")
    expect(page.locator("html")).to_have_attribute("data-dim", "true")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_day_and_night_follow_the_site_and_not_the_clock_of_the_television(
    page: Page, address: str, wall: ToldWall
) -> None:
    page.clock.set_fixed_time("2001-01-01T23:00:00")
    now = at_local_hour(wall, 12)
    wall.theme = "clock"
    wall.feeds = {"shop": feed(now)}
    open_wall(page, address)
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    expect(page.locator("html")).to_have_attribute("data-dim", "false")
    expect(page.locator(".clock")).to_have_text("12:30")
    expect(page.locator(".measured")).to_contain_text("Measured 12:30")


def test_a_board_warns_of_the_zone_that_is_not_current(page: Page, address: str, wall: ToldWall) -> None:
    wall.views = [view("board", "shop", "hall")]
    wall.feeds = {
        "shop": feed(time.time(), inside=20),
        "hall": feed(time.time(), inside=30, state="offline"),
    }
    open_wall(page, address)
    expect(page.locator(".card .level .word")).to_have_text(["Free", "Unknown"])
    expect(page.locator(".foot .word")).to_have_text("Offline")
    expect(page.locator(".foot .measured")).to_contain_text("Hall")


def test_more_sites_than_are_readable_take_turns(page: Page, address: str, wall: ToldWall) -> None:
    names = [f"site {number}" for number in range(40)]
    wall.views = [view("sites", *names, title="")]
    wall.feeds = {name: feed(time.time(), inside=20) for name in names}
    page.clock.install()
    open_wall(page, address)
    page.clock.run_for(1000)
    expect(page.locator(".heading")).to_have_text("All sites · 1/4")
    seen: set[str] = set()
    for _ in range(40):
        seen |= set(page.locator(".card:visible .title").all_inner_texts())
        page.clock.run_for(1000)
    assert seen == {name.capitalize() for name in names}


def test_a_curve_is_compared_with_a_typical_day(page: Page, address: str, wall: ToldWall) -> None:
    told_views(wall, "curve")
    wall.feeds = {"shop": feed(wall.now(), inside=50)}
    open_wall(page, address)
    expect(page.locator(".comparison")).to_have_text("17 fewer than usual at this time")
    expect(page.locator(".chart polyline.typical")).to_have_count(1)
    edges = page.locator(".chart polyline").evaluate_all("lines => lines.map(line => line.getBBox().x)")
    axis = page.locator(".chart line.grid").first.evaluate("line => line.x1.baseVal.value")
    assert min(edges) >= axis
    expect(page.locator(".chart polyline:not(.typical)")).to_have_count(2)
    expect(page.locator(".note")).to_have_text("")


def test_a_curve_that_cannot_be_read_says_why_and_the_number_stays(
    page: Page, address: str, wall: ToldWall
) -> None:
    told_views(wall, "curve")
    wall.day, wall.day_status = {"error": "The service answered 500.", "request_id": "req_9"}, 502
    open_wall(page, address)
    expect(page.locator(".note")).to_have_text(
        "The curve could not be loaded · The service answered 500 · request id req_9"
    )
    expect(page.locator(".curve-view .number")).to_have_text("8")


def test_a_view_that_fails_shows_its_error_and_the_rotation_goes_on(
    page: Page, address: str, wall: ToldWall
) -> None:
    wall.views = [
        view(title="First"),
        view(title="", feeds=[], error="The site was deleted.", request_id="req_5"),
        view("hologram", title="New"),
        view("light", title="Broken", feeds=[]),
        view("light", title="Last"),
    ]
    page.clock.install()
    open_wall(page, address)
    expect(page.locator(".heading")).to_have_text("First")
    page.clock.run_for(11_000)
    expect(page.locator(".failure:visible .word")).to_have_text("This view cannot be shown")
    expect(page.locator(".failure:visible .reason")).to_have_text("The site was deleted.")
    expect(page.locator(".failure:visible .request")).to_have_text("request id req_5")
    page.clock.run_for(10_000)
    expect(page.locator(".failure:visible .reason")).to_have_text("“hologram”?")
    until(page, lambda: page.locator(".heading").inner_text() == "Broken", step=1)
    expect(page.locator(".failure:visible .word")).to_have_text("This view cannot be shown")
    until(page, lambda: page.locator(".heading").inner_text() == "Last", step=1)
    expect(page.locator(".light-view:visible .word")).to_have_text("Almost full")
    until(page, lambda: page.locator(".heading").inner_text() == "First", step=1)
    expect(page.locator(".number:visible")).to_have_text("80")
