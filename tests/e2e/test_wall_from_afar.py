"""What a passer-by reads of a wall from six metres: large enough, whole, in words where nothing is drawn."""

from __future__ import annotations

import re
import time
from datetime import datetime
from zoneinfo import ZoneInfo

from playwright.sync_api import Page, expect

from tests.e2e.scripted_relay import feed
from tests.e2e.scripted_wall import ZONE, ScriptedWall, view
from tests.e2e.wall import at_local_hour, at_rest, open_wall, show_on, until
from tests.e2e.wall_geometry import faults_of

LONG = "Kaufhaus Zürich Bahnhofstrasse, Haushaltwaren- und Spielwarenabteilung"
NARROW = ((1080, 1920), (390, 844), (1024, 768))
SMALLEST_STATE = 0.035
"""Of the shorter side, for the letters of a state."""
STATE_LETTERS = """(shorter) => Math.min(...[...document.querySelectorAll('.card .word')]
  .filter(node => node.offsetHeight && !node.closest('[data-trusted="true"] .freshness'))
  .map(node => parseFloat(getComputedStyle(node).fontSize) / shorter))"""
IS_CUT = "node => node.scrollHeight > node.clientHeight + 2 || node.scrollWidth > node.clientWidth"


def set_size(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})


def test_the_end_of_a_long_heading_stays(page: Page, address: str, wall: ScriptedWall) -> None:
    """It is what tells one screen of a house from the next."""
    for title, end in ((LONG, "Spielwarenabteilung"), (f"{LONG}, {LONG}, Süd", ", Süd")):
        wall.views = [view(title=title)]
        open_wall(page, address)
        for size in NARROW:
            show_on(page, *size)
            heading = page.locator(".heading")
            assert heading.inner_text().endswith(end)
            assert not heading.evaluate(IS_CUT)
    set_size(page, (1920, 1080))
    wall.views = [view(title=LONG)]
    open_wall(page, address)
    expect(page.locator(".heading")).to_have_text(LONG)


def test_the_state_of_a_tile_is_large_enough_however_many_there_are(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    for count in (3, 6, 40):
        names = [f"site {number}" for number in range(count)]
        wall.views = [view("sites", *names, title="")]
        wall.feeds = {
            name: feed(time.time(), state="live" if place % 2 else "offline")
            for place, name in enumerate(names)
        }
        open_wall(page, address)
        for size in (*NARROW, (1920, 1080), (2560, 600), (1080, 1080)):
            show_on(page, *size)
            assert page.evaluate(STATE_LETTERS, min(size)) >= SMALLEST_STATE - 0.0005, (count, size)


def test_six_tiles_stand_on_one_page_of_a_square_screen(page: Page, address: str, wall: ScriptedWall) -> None:
    """Whole, with their level and their state, however one of them stands."""
    now = at_local_hour(wall, 15)
    names = [f"site {number}" for number in range(6)]
    wall.feeds = {name: feed(now, inside=12_480) for name in names}
    wall.feeds["site 1"] = feed(now, measured_at=int(now) - 6600, confirmed_age=2)
    wall.feeds["site 2"] = feed(now, state="offline")
    wall.views = [view("sites", *names, title="")]
    set_size(page, (1080, 1080))
    for wall.language in ("de", "fr", "it"):
        open_wall(page, address)
        expect(page.locator(".card:visible")).to_have_count(6)
        expect(page.locator(".card").nth(1)).to_contain_text("13:40")
        at_rest(page)
        assert page.evaluate(STATE_LETTERS, 1080) >= SMALLEST_STATE - 0.0005
        cut = "nodes => nodes.filter(node => node.scrollHeight > node.clientHeight + 2).length"
        assert page.locator(".card").evaluate_all(cut) == 0
        assert faults_of(page) == []


def test_a_tile_without_a_number_has_its_room_for_words(page: Page, address: str, wall: ScriptedWall) -> None:
    now = at_local_hour(wall, 15)
    wall.language = "fr"
    wall.views = [view("sites", "shop", "hall", "basement", title="")]
    wall.feeds = {name: feed(now) for name in ("shop", "hall", "basement")}
    wall.feeds["hall"]["drift"] = {"people": 118, "since": now - 9 * 3600, "at": now - 600}
    open_wall(page, address)
    for size in (NARROW[0], (1920, 1080)):
        show_on(page, *size)
        spoilt = page.locator(".card").nth(1)
        expect(spoilt.locator(".details")).to_have_text("118 sorties de plus que d’entrées depuis 06:30")
        expect(spoilt.locator(".dial")).to_be_hidden()
        at_rest(page)
        assert not spoilt.locator(".freshness").evaluate(IS_CUT)
        expect(page.locator(".card").nth(2).locator(".dial")).to_be_visible()


def test_a_place_that_never_counted_has_words_and_no_empty_chart(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    now = at_local_hour(wall, 15)
    wall.language = "de"
    wall.views = [view("curve")]
    wall.feeds = {"shop": feed(now, inside=None, measured_at=None, points=[])}
    start, end = now - 15.5 * 3600, now + 8.5 * 3600
    wall.day = {
        "timezone": "Europe/Zurich",
        "day_start": start,
        "until": end,
        "typical": [],
        "today": [],
        "as_of": now,
    }
    open_wall(page, address)
    expect(page.locator(".curve-view .empty")).to_have_text("Heute wurde noch nichts gezählt")
    expect(page.locator(".chart")).to_be_hidden()
    expect(page.locator(".note")).to_have_text("")
    wall.changes.append({"shop": feed(now, inside=3, points=[[int(now) // 60 * 60, 3]])})
    expect(page.locator(".chart")).to_be_visible()
    expect(page.locator(".curve-view .empty")).to_have_text("")


def test_a_clock_in_another_zone_says_so_whatever_else_finds_no_room(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    at_local_hour(wall, 15)
    wall.views = [view(timezone="Europe/Not_yet_known", title=LONG)]
    wall.feeds = {"shop": feed(wall.now(), state="offline")}
    open_wall(page, address)
    for size in NARROW:
        show_on(page, *size)
        expect(page.locator(".clock")).to_have_text(re.compile(" UTC$"))


def test_a_number_of_five_digits_leaves_the_words_below_it_large(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    wall.feeds = {"shop": feed(time.time(), inside=12_480)}
    for kind in ("number", "board"):
        wall.views = [view(kind)]
        wall.views[0]["feeds"][0]["capacity"] = 15_000
        open_wall(page, address)
        expect(page.locator(".number")).to_have_text("12,480")
        for size in NARROW[:2]:
            show_on(page, *size)
            letters = page.locator(".number, .share, .places, .number-view .unit").evaluate_all(
                "nodes => nodes.map(node => parseFloat(getComputedStyle(node).fontSize))"
            )
            assert min(letters) >= 0.06 * min(size), (kind, letters)
            assert faults_of(page) == []


def test_which_of_how_many_stands_on_one_line(page: Page, address: str, wall: ScriptedWall) -> None:
    names = [f"site {number}" for number in range(40)]
    wall.feeds = {name: feed(time.time()) for name in names}
    wall.views = [view("sites", *names, title="Kaufhaus Zürich Nord")]
    set_size(page, NARROW[1])
    open_wall(page, address)
    heading = page.locator(".heading")
    expect(heading).to_contain_text(re.compile(r"· 1–\u2060?\d+\s/\s40$"))
    for part in range(40, 100, 2):
        lines = heading.evaluate(f"""node => {{
          node.style.maxWidth = {part} + '%';
          const text = node.firstChild;
          const range = document.createRange();
          range.setStart(text, text.data.indexOf('·') + 2);
          range.setEnd(text, text.length);
          return new Set([...range.getClientRects()].map(box => Math.round(box.top))).size;
        }}""")
        assert lines == 1, part


def test_a_name_is_cut_between_signs_and_never_within_one(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    """A letter of two halves, one with a mark, a flag and a family are each one sign."""
    for sign in ("𠮷", "e\u0301", "🇨🇭", "👨\u200d👩\u200d👧", "👍🏽"):
        wall.feeds = {name: feed(time.time()) for name in ("shop", "hall")}
        wall.views = [view("sites", *wall.feeds, title=sign * 200)]
        wall.views[0]["feeds"][0]["title"] = sign * 199
        set_size(page, NARROW[1])
        open_wall(page, address)
        for shown in (page.locator(".heading"), page.locator(".card .title").first):
            text = shown.inner_text()
            assert text.startswith(f"…{sign}"), (sign, text[:8])
            assert text.removeprefix("…").replace(sign, "") == ""


def test_a_gauge_on_a_wide_screen_has_its_trend_beside_it(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    wall.views = [view("gauge")]
    set_size(page, (2560, 600))
    open_wall(page, address)
    expect(page.locator(".number")).to_have_text("80")
    until(page, lambda: page.locator(".dial").evaluate("node => node.offsetHeight / innerHeight") > 0.5)
    dial, trend = page.evaluate("""() => ['.dial', '.trend'].map(
      part => document.querySelector(part).getBoundingClientRect().toJSON())""")
    assert trend["x"] > dial["x"] + dial["width"]
    assert trend["width"] > 0.35 * 2560


def test_a_clock_of_a_television_that_is_set_changes_nothing_that_is_told(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    """By two hours, back and forth; the page may connect once more, because it may as well have slept."""
    wall.views = [view("light")]
    wall.feeds = {"shop": feed(time.time(), inside=40)}
    open_wall(page, address)
    for hours in (2, -2):
        opened = wall.opened
        page.evaluate(f"(() => {{ const now = Date.now; Date.now = () => now() + {hours} * 3600e3; }})()")
        page.wait_for_timeout(2500)
        expect(page.locator(".light-view .word")).to_have_text("Please enter")
        expect(page.locator(".foot .word")).to_have_text("Live")
        expect(page.locator(".measured")).to_have_text(re.compile(r"· \d+ (s|min) ago ·|just now"))
        assert wall.opened <= opened + 1
        until(page, lambda: wall.connections == 1)
    until(page, lambda: page.locator(".clock").inner_text() == f"{datetime.now(ZoneInfo(ZONE)):%H:%M}")
