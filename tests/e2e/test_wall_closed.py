"""What walls say of a place that its hours call closed, in a real browser: none invites anybody into it."""

from __future__ import annotations

import re
import time
from itertools import cycle

import pytest
from playwright.sync_api import Page, expect

from screens.definition import Scope
from tests.e2e.scripted_relay import feed
from tests.e2e.scripted_wall import FACTS, ScriptedWall, view
from tests.e2e.test_wall_flow import crossings, flow
from tests.e2e.test_wall_shapes import LONG_NAMES, day_until, tell_closed
from tests.e2e.wall import at_local_hour, at_rest, open_wall, show_on, until
from tests.e2e.wall_geometry import faults_of
from tests.small_site import SITE

SHAPES = ((1920, 1080), (1080, 1920), (800, 800), (1920, 360))
INVITES = re.compile("Free|Frei|places? left|Plätze frei|Platz frei|enter|eintreten|Quieter", re.IGNORECASE)
WORDS = {"en": ("Closed", "Opens 09:30"), "de": ("Geschlossen", "Öffnet 09:30")}
WITH_A_LEVEL = [kind for kind in FACTS if FACTS[kind].drawing != "curveDrawing"]


def tell(wall: ScriptedWall, kind: str, hour: int, *, opens_in: float, inside: int = 12) -> float:
    """Closed since an hour before that local hour, for so many hours from then on."""
    now = at_local_hour(wall, hour)
    names = ("shop",) if FACTS[kind].scope is Scope.PLACE else ("shop", "hall")
    wall.views = [view(kind, *names)]
    wall.feeds = {name: feed(now, inside=inside) for name in names}
    wall.day = day_until(now, hour, inside) | {"until": now + 3600, "quieter_from": now + 7200}
    wall.closed = [[now - 3600, now + opens_in * 3600]]
    return now


@pytest.mark.parametrize(("kind", "language"), [*zip(FACTS, cycle(WORDS), strict=False)])
def test_no_view_invites_anybody_into_a_place_that_is_closed(
    page: Page, address: str, wall: ScriptedWall, kind: str, language: str
) -> None:
    wall.language, (closed, opens) = language, WORDS[language]
    tell(wall, kind, 7, opens_in=2)
    open_wall(page, address)
    body = page.locator("#wall .body")
    expect(body).to_contain_text(closed)
    expect(body).to_contain_text(opens)
    expect(body).not_to_contain_text(INVITES)
    expect(body.locator("[data-level=free], [data-level=filling]")).to_have_count(0)
    if FACTS[kind].drawing != "lightDrawing":
        expect(body).to_contain_text("12")
    if kind in WITH_A_LEVEL:
        expect(body.locator("[data-level=closed] .icon[data-icon=wait]:visible").first).to_be_visible()


@pytest.mark.parametrize("kind", FACTS)
def test_a_place_whose_hours_nobody_keeps_is_shown_as_ever(
    page: Page, address: str, wall: ScriptedWall, kind: str
) -> None:
    tell(wall, kind, 7, opens_in=2)
    wall.without_hours = set(wall.feeds)
    open_wall(page, address)
    until(page, lambda: wall.hours_asked > 0)
    at_rest(page)
    expect(page.locator("#wall [data-level=closed]")).to_have_count(0)
    if kind in WITH_A_LEVEL:
        expect(page.locator("#wall .body")).to_contain_text(INVITES)


def test_the_number_of_a_closed_place_stays_below_the_words(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    tell(wall, "number", 20, opens_in=13)
    open_wall(page, address)
    expect(page.locator(".number-view .places")).to_have_text(re.compile(r"^Opens \w{3}\s09:30$"))
    expect(page.locator(".number-view .unit")).to_have_text("inside")
    heights = page.locator(".number-view .number, .number-view .level").evaluate_all(
        "all => all.map(one => [one.getBoundingClientRect().top, parseFloat(getComputedStyle(one).fontSize)])"
    )
    (number_top, number_size), (word_top, word_size) = heights
    assert word_top < number_top
    assert word_size > number_size


@pytest.mark.parametrize("kind", ["number", "gauge", "board", "sites"])
def test_where_as_many_are_inside_as_fill_it_a_place_is_open_whatever_its_hours_say(
    page: Page, address: str, wall: ScriptedWall, kind: str
) -> None:
    tell(wall, kind, 7, opens_in=2, inside=75)
    open_wall(page, address)
    word = page.locator(".level .word").first
    expect(word).to_have_text("Filling")
    for inside, said in ((95, "Full"), (20, "Closed")):
        wall.changes.append({"shop": feed(wall.now(), inside=inside)})
        expect(word).to_have_text(said)


@pytest.mark.parametrize("kind", ["number", "gauge", "board", "sites", "curve"])
def test_a_counter_that_sleeps_makes_no_closed_place_unavailable(
    page: Page, address: str, wall: ScriptedWall, kind: str
) -> None:
    now = tell(wall, kind, 7, opens_in=2)
    asleep = feed(now, state="silent", inside=3, measured_at=int(now) - 5 * 3600)
    wall.feeds = dict.fromkeys(wall.feeds, asleep)
    open_wall(page, address)
    body = page.locator("#wall .body")
    expect(body).to_contain_text("Closed")
    expect(body).to_contain_text("Opens 09:30")
    expect(body).not_to_contain_text("not available")
    expect(body.locator("[data-trusted=false] .number").first).to_have_text("3")
    expect(page.locator(".foot")).to_have_attribute("data-trusted", "false")


@pytest.mark.parametrize("kind", ["number", "gauge"])
def test_a_closed_place_without_capacity_says_so_and_its_number_alone_when_it_opens(
    page: Page, address: str, wall: ScriptedWall, kind: str
) -> None:
    now = time.time()
    tell(wall, kind, 7, opens_in=2)
    wall.now, wall.closed = time.time, [[now - 3600, now + 6]]
    wall.feeds = {"shop": feed(now, inside=12)}
    wall.views[0]["feeds"][0]["capacity"] = None
    open_wall(page, address)
    expect(page.locator(".level .word")).to_have_text("Closed")
    expect(page.locator(".level .word")).not_to_have_text("Closed", timeout=20_000)
    expect(page.locator(".level")).to_be_hidden()


def test_each_site_of_a_wall_of_all_is_closed_by_its_own_hours_and_stands_where_it_stood(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    tell(wall, "sites", 7, opens_in=2)
    wall.without_hours = {"hall"}
    open_wall(page, address)
    expect(page.locator(".card .level .word")).to_have_text(["Closed", "Free"])
    expect(page.locator(".card .places")).to_have_text(["Opens 09:30", "88 places left"])
    expect(page.locator(".card .title")).to_have_text(["Shop", "Hall"])


def test_a_site_of_which_nothing_can_be_told_now_is_closed_by_what_was_told_before(
    new_page: Page, address: str, wall: ScriptedWall
) -> None:
    tell(wall, "sites", 7, opens_in=2)
    new_page.clock.install()
    open_wall(new_page, address)
    words = new_page.locator(".card .level .word")
    expect(words).to_have_text(["Closed", "Closed"])
    wall.without_answer, wall.without_hours = {"shop"}, {"hall"}
    for _ in range(30):
        new_page.clock.run_for(10_000)
        new_page.wait_for_timeout(50)
        if words.last.inner_text() != "Closed":
            break
    expect(words.last).not_to_have_text("Closed")
    expect(words.first).to_have_text("Closed")


def test_a_zone_is_closed_by_the_hours_of_its_site_on_its_drawing_too(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    now = at_local_hour(wall, 7)
    wall.views, wall.closed = [flow(SITE, ("shop",))], [[now - 3600, now + 2 * 3600]]
    wall.feeds = {one["feed"]: feed(now, inside=0) for one in wall.views[0]["feeds"]} | crossings(SITE)
    open_wall(page, address)
    expect(page.locator(".graph .zone .word")).to_have_text(["Closed"] * len(wall.views[0]["feeds"]))
    expect(page.locator(".note")).to_have_text("Closed · Opens 09:30")
    expect(page.locator(".graph .zone .icon[data-icon=wait]")).to_have_count(2)


@pytest.mark.parametrize(("hour", "word"), [(12, "Free"), (23, "Closed")])
def test_what_is_closed_follows_the_clock_of_the_service_and_not_that_of_the_television(
    new_page: Page, address: str, wall: ScriptedWall, hour: int, word: str
) -> None:
    new_page.clock.set_fixed_time(f"2001-01-01T{(hour + 11) % 24}:00:00")
    tell(wall, "number", hour, opens_in=10)
    evening = wall.now() + (18 - hour) * 3600
    wall.closed = [[evening - 24 * 3600, evening - 10 * 3600], [evening, evening + 14 * 3600]]
    open_wall(new_page, address)
    until(new_page, lambda: wall.hours_asked > 0)
    expect(new_page.locator(".level .word")).to_have_text(word)


def test_a_screen_of_several_views_asks_for_its_hours_once(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    tell(wall, "number", 7, opens_in=2)
    wall.views = [view(kind, seconds=5) for kind in ("number", "gauge", "light")]
    open_wall(page, address)
    for kind in ("number-view", "hero", "light-view"):
        expect(page.locator(f".{kind}")).to_be_visible()
        expect(page.locator(f".{kind} .word").first).to_have_text("Closed")
    assert wall.hours_asked == 1


@pytest.mark.parametrize("kind", FACTS)
def test_nothing_lies_on_anything_at_a_closed_place(
    page: Page, address: str, wall: ScriptedWall, kind: str
) -> None:
    tell_closed(wall, kind)
    open_wall(page, address)
    found = []
    for width, height in SHAPES:
        page.set_viewport_size({"width": width, "height": height})
        found += [f"{width}x{height}: {fault}" for fault in faults_of(page)]
    assert found == []


@pytest.mark.parametrize("count", [3, 10])
def test_when_it_opens_is_left_out_of_a_tile_that_has_no_room_for_it(
    page: Page, address: str, wall: ScriptedWall, count: int
) -> None:
    tell_closed(wall, "sites")
    wall.language = "fr" if count > 3 else "de"
    titles = LONG_NAMES * 3 if count > 3 else ("Linden department store", "Zürich Hardbrücke", "SDU rooms")
    wall.views = [view("sites", *list(wall.feeds)[:count], title="")]
    for told, title in zip(wall.views[0]["feeds"], titles, strict=False):
        told["title"] = title
    open_wall(page, address)
    for size in (*SHAPES, (1280, 720)):
        show_on(page, *size)
        expect(page.locator(".card:visible .level .word").first).to_have_text(re.compile("Fermé|Geschlossen"))
        at_rest(page)
        cut = page.locator(".card:visible").evaluate_all(
            """cards => cards.flatMap(card => {
              const around = card.getBoundingClientRect();
              const parts = [...card.querySelectorAll('.title, .level, .places, .freshness .word, .details')];
              return parts.filter(node => {
                const own = node.getBoundingClientRect();
                return own.height && (own.top < around.top || own.bottom > around.bottom
                  || own.left < around.left || own.right > around.right);
              }).map(node => node.className + ": " + node.textContent);
            })"""
        )
        assert cut == [], size
