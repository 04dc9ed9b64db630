"""What the views of a screen show, in a real browser, before a stream that a test tells what to say."""

from __future__ import annotations

import re
import time
from itertools import cycle
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from screens.definition import Scope
from tests.e2e.scripted_relay import feed
from tests.e2e.scripted_wall import FACTS, ScriptedWall, typical_day, view
from tests.e2e.wall import at_local_hour, at_rest, open_wall, show_on, until

SINCE = re.compile(r"^since \d\d:\d\d$")
SIZES = ((390, 844), (1280, 720), (3840, 2160))
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
CUT_PARTS = """card => {
  const around = card.getBoundingClientRect();
  return [...card.querySelectorAll('.title, .freshness, .details')].filter(node => {
    const own = node.getBoundingClientRect();
    return node.scrollHeight > node.clientHeight + 2 || own.top < around.top || own.bottom > around.bottom;
  }).map(node => node.className);
}"""
SMALLEST_TEXT = """() => Math.min(...[...document.querySelectorAll('#wall *')]
  .filter(node => node.getBoundingClientRect().width && !node.closest('.speech, .card')
    && [...node.childNodes].some(child => child.nodeType === 3))
  .map(node => parseFloat(getComputedStyle(node).fontSize)
    * (node.ownerSVGElement ? node.ownerSVGElement.getScreenCTM().a : 1)))"""


WORDS_AND_TOPS = """node => {
  const text = node.firstChild, range = document.createRange();
  const words = [...text.data.matchAll(/\\S+/g)];
  const tops = words.map(word => {
    range.setStart(text, word.index);
    range.setEnd(text, word.index + 1);
    return range.getBoundingClientRect().top;
  });
  range.selectNodeContents(node);
  const box = range.getBoundingClientRect();
  return [words.map(word => word[0]), tops, box.left, box.right];
}"""


def day_of(now: float) -> dict[str, Any]:
    start = int(now) - 15 * 3600 - 30 * 60 - 20
    today = [[start + 60 * minute, minute / 12] for minute in range(480, 925, 5) if not 600 < minute < 640]
    return {
        "timezone": "Europe/Zurich",
        "day_start": start,
        "until": start + 24 * 3600,
        "typical": typical_day(),
        "quieter_from": round((start + 17 * 3600) / 1800) * 1800,
        "today": today,
        "request_id": "req_1",
        "as_of": now,
    }


def scripted_views(wall: ScriptedWall, kind: str) -> None:
    now = at_local_hour(wall, 15)
    names = ("shop",) if FACTS[kind].scope is Scope.PLACE else PLACES
    wall.views = [view(kind, *names)]
    wall.feeds = {name: feed(now, inside=20 * place + 8) for place, name in enumerate(names)}
    wall.day = day_of(now)


@pytest.mark.parametrize(("kind", "theme"), [*zip(FACTS, cycle(("light", "dark")), strict=False)])
def test_nothing_of_a_view_leaves_the_screen_or_is_too_small_on_any_screen(
    page: Page, address: str, wall: ScriptedWall, kind: str, theme: str
) -> None:
    scripted_views(wall, kind)
    wall.theme = theme
    open_wall(page, address)
    expect(page.locator("html")).to_have_attribute("data-theme", theme)
    expect(page.locator("#wall .number, #wall .light-view .word").first).not_to_have_text("–")
    for width, height in SIZES:
        show_on(page, width, height)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight"), width
        assert (width, page.evaluate(OUT_OF_SIGHT)) == (width, [])
        assert (width, page.evaluate(CUT_SHORT)) == (width, [])
        assert page.evaluate(SMALLEST_TEXT) >= 0.03 * min(width, height), width


def test_a_number_is_told_with_its_places_level_and_age_and_a_change_moves_it_in_place(
    page: Page, address: str, wall: ScriptedWall
) -> None:
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
    expect(page.locator(".measured")).to_contain_text("s ago · Zurich time")
    page.evaluate("window.before = document.querySelector('.number')")
    wall.changes.append({"shop": feed(wall.now(), inside=97)})
    expect(page.locator(".number")).to_have_text("97")
    assert page.evaluate("window.before === document.querySelector('.number')")


def test_a_light_turns_at_its_own_limits_and_says_ones_own_words(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    words = {"free": "Come in!", "filling": "", "full": "Two minutes, please"}
    wall.views = [view("light", words=words, thresholds={"filling": 30, "full": 50})]
    wall.feeds = {"shop": feed(time.time(), inside=29)}
    open_wall(page, address)
    for inside, word, level in ((29, "Come in!", "free"), (30, "Almost full", "filling")):
        wall.changes.append({"shop": feed(time.time(), inside=inside)})
        expect(page.locator(".light-view .word")).to_have_text(word)
        expect(page.locator(".light-view")).to_have_attribute("data-level", level)
        expect(page.locator(".light-view .icon"), "its ring is whole").to_have_css("overflow", "visible")
    wall.changes.append({"shop": feed(time.time(), inside=50)})
    expect(page.locator(".light-view .word")).to_have_text("Two minutes, please")


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ("Closed", "Opens 09:30")),
        ("de", ("Geschlossen", "Öffnet 09:30")),
        ("fr", ("Fermé", "Ouverture 09:30")),
        ("it", ("Chiuso", "Apertura 09:30")),
    ],
)
def test_a_light_invites_nobody_into_a_place_that_is_closed(
    page: Page, address: str, wall: ScriptedWall, language: str, words: tuple[str, str]
) -> None:
    now = at_local_hour(wall, 7)
    wall.views, wall.language, wall.closed = [view("light")], language, [[now - 9 * 3600, now + 2 * 3600]]
    wall.feeds = {"shop": feed(now, inside=2)}
    open_wall(page, address)
    expect(page.locator(".light-view .word")).to_have_text(words[0])
    expect(page.locator(".light-view .places")).to_have_text(words[1])
    expect(page.locator(".light-view")).to_have_attribute("data-level", "closed")
    expect(page.locator(".light-view .count")).to_have_text("")


def test_no_line_ends_within_the_day_on_which_a_closed_place_opens(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    now = at_local_hour(wall, 20)
    wall.views, wall.language, wall.closed = [view("light")], "fr", [[now - 1800, now + (7 * 24 + 13) * 3600]]
    wall.feeds = {"shop": feed(now, inside=2)}
    open_wall(page, address)
    places = page.locator(".light-view .places")
    expect(places).to_contain_text(re.compile(r"Ouverture\s\S+\s\d+\s\S+,\s\d\d:30"))
    for width, height in ((1080, 1920), (800, 800)):
        show_on(page, width, height)
        words, tops, left, right = places.evaluate(WORDS_AND_TOPS)
        assert words[0] == "Ouverture"
        assert tops[1] == tops[2] == tops[3], dict(zip(words, tops, strict=True))
        assert 0 <= left < right <= width


def test_a_light_invites_as_soon_as_its_place_opens(page: Page, address: str, wall: ScriptedWall) -> None:
    now = time.time()
    wall.views, wall.closed = [view("light")], [[now - 3600, now + 4], [now + 50_000, None]]
    wall.feeds = {"shop": feed(now, inside=0)}
    open_wall(page, address)
    expect(page.locator(".light-view .word")).to_have_text("Closed")
    expect(page.locator(".light-view .word")).to_have_text("Please enter", timeout=20_000)


def test_a_light_follows_changed_hours_within_five_minutes_though_a_reading_of_them_fails(
    new_page: Page, address: str, wall: ScriptedWall
) -> None:
    wall.views = [view("light")]
    new_page.clock.install()
    open_wall(new_page, address)
    word = new_page.locator(".light-view .word")
    until(new_page, lambda: wall.hours_asked == 1, step=1)
    expect(word).not_to_have_text("Closed")
    wall.closed, wall.hours_failing = [[time.time() - 3600, time.time() + 3600]], 1
    for _ in range(30):
        new_page.clock.run_for(10_000)
        new_page.wait_for_timeout(50)
        if word.inner_text() == "Closed":
            break
    expect(word).to_have_text("Closed")


def test_a_light_does_not_say_when_a_place_opens_that_is_closed_for_longer_than_it_knows(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    wall.views, wall.closed = [view("light")], [[time.time() - 3600, None]]
    wall.feeds = {"shop": feed(time.time(), inside=0)}
    open_wall(page, address)
    expect(page.locator(".light-view .word")).to_have_text("Closed")
    expect(page.locator(".light-view .places")).to_have_text("")


def test_a_light_of_a_place_that_is_full_says_so_whatever_its_hours_say(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    wall.views, wall.closed = [view("light")], [[time.time() - 3600, time.time() + 3600]]
    wall.feeds = {"shop": feed(time.time(), inside=75)}
    open_wall(page, address)
    expect(page.locator(".light-view .word")).to_have_text("Almost full")
    wall.changes.append({"shop": feed(time.time(), inside=95)})
    expect(page.locator(".light-view .word")).to_have_text("Please wait")
    wall.changes.append({"shop": feed(time.time(), inside=20)})
    expect(page.locator(".light-view .word")).to_have_text("Closed")


def word_of(state: str) -> str:
    """One word for one outage, whether a try is on its way or not."""
    return "Offline" if state == "reconnecting" else state.capitalize()


def test_a_light_is_neutral_when_its_value_is_not_current_and_lit_when_it_is_polled_and_confirmed(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    now = at_local_hour(wall, 15)
    wall.views = [view("light")]
    wall.feeds = {"shop": feed(now, inside=10)}
    open_wall(page, address)
    light = page.locator(".light-view")
    for state in ("late", "reconnecting", "offline", "refused", "connecting"):
        expect(light).to_have_attribute("data-level", "free")
        wall.changes.append({"shop": feed(now, inside=10, state=state, request_id="req_7")})
        expect(light, state).to_have_attribute("data-level", "unknown")
        expect(light.locator(".word"), state).to_have_text("Number not available")
        expect(light.locator(".places"), state).to_have_text("" if state == "connecting" else SINCE)
        expect(page.locator(".foot"), state).to_have_attribute("data-trusted", "false")
        expect(page.locator(".foot .word")).to_have_text(word_of(state))
        wall.changes.append({"shop": feed(now, inside=10, state="polling")})
        expect(page.locator(".foot .word")).to_have_text("Polling")


SILENT = {
    "en": ("Number not available", "No counts", "since {} · usually every minute"),
    "de": ("Zahl nicht verfügbar", "Keine Zählung", "seit {} · sonst jede Minute"),
    "fr": ("Nombre indisponible", "Aucun comptage", "depuis {} · d’habitude chaque minute"),
    "it": ("Numero non disponibile", "Nessun conteggio", "dalle {} · di solito ogni minuto"),
}


UNCERTAIN = {
    "en": ("Checking", "Uncertain", "since {}"),
    "de": ("Wird geprüft", "Ungewiss", "seit {}"),
    "fr": ("Vérification", "Incertain", "depuis {}"),
    "it": ("Verifica", "Incerto", "dalle {}"),
}


LIVE = {
    "en": ("Please enter", "60 places left", "Live"),
    "de": ("Bitte eintreten", "60 Plätze frei", "Live"),
    "fr": ("Entrez", "60 places libres", "En direct"),
    "it": ("Prego, entrare", "60 posti liberi", "In diretta"),
}


@pytest.mark.parametrize("language", LIVE)
def test_a_light_speaks_the_language_of_its_screen_and_lights_nothing_for_counts_that_are_not_current(
    page: Page, address: str, wall: ScriptedWall, language: str
) -> None:
    """Of which past days have not told yet, or that stand still. Since when a number is missing is told once
    that is more than a question of seconds.
    """
    now = at_local_hour(wall, 12)
    old = feed(now, state="uncertain", measured_at=int(now) - 3600, since=int(now) - 3600)
    wall.views, wall.language, wall.feeds = [view("light")], language, {"shop": old}
    light, word, places = (page.locator(name) for name in (".light-view", ".light-view .word", ".places"))
    said, details = page.locator(".foot .word"), page.locator(".foot .details")

    checking, uncertain, since = UNCERTAIN[language]
    open_wall(page, address)
    expect(page.locator("html")).to_have_attribute("lang", language)
    expect(said).to_have_text(checking)
    expect(places).to_have_text("")
    wall.changes.append({"shop": old | {"past_unread": True}})
    expect(said).to_have_text(uncertain)
    expect(places).to_contain_text("11:30")
    expect(details).to_contain_text(since.format("11:30"))
    expect(light).to_have_attribute("data-level", "unknown")
    wall.changes.append({"shop": feed(now, measured_at=int(now) - 3600)})
    expect(light).to_have_attribute("data-level", "filling")

    missing, silent, sentence = SILENT[language]
    wall.changes.append({"shop": feed(now, state="silent", measured_at=int(now) - 3600, usual_gap=60)})
    expect(light).to_have_attribute("data-level", "unknown")
    expect(word).to_have_text(missing)
    expect(said).to_have_text(silent)
    expect(details).to_have_text(sentence.format("11:30"))

    wall.changes.append({"shop": feed(now, inside=40)})
    for place, text in zip((word, places, said), LIVE[language], strict=True):
        expect(place).to_have_text(text)


def test_a_polled_place_without_new_counts_says_since_when(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    now = at_local_hour(wall, 12)
    wall.feeds = {"shop": feed(now, state="polling", measured_at=int(now) - 1800, confirmed_age=3)}
    open_wall(page, address)
    expect(page.locator(".foot .word")).to_have_text("Polling")
    expect(page.locator(".foot .details")).to_contain_text(
        "no new count since 12:00 · confirmed by the service"
    )


def test_a_place_without_capacity_has_a_number_and_no_level(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    for kind in FACTS:
        wall.views = [view(kind)]
        wall.views[0]["feeds"][0]["capacity"] = None
        open_wall(page, address)
        expect(page.locator(".body")).to_contain_text("80")
        expect(page.locator(".body")).not_to_contain_text(re.compile("unknown", re.IGNORECASE))
        expect(page.locator(".level .icon:visible")).to_have_count(0)
    wall.views[0]["kind"] = "light"
    open_wall(page, address)
    expect(page.locator(".light-view .word")).to_have_text("80 inside")
    expect(page.locator(".light-view")).to_have_attribute("data-level", "unknown")


def test_a_tile_that_is_quiet_says_since_when_and_the_footer_whose_time_it_tells(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    now = at_local_hour(wall, 15)
    names = [f"site {number}" for number in range(10)]
    wall.feeds = {name: feed(now) for name in names}
    wall.feeds["site 1"] = feed(now, measured_at=int(now) - 6600, confirmed_age=2)
    for shown, sizes in ((names, ((1920, 1080), (1080, 1920))), (names[:3], ((1080, 1920), (1920, 1080)))):
        wall.views = [view("sites", *shown, title="")]
        at_local_hour(wall, 15)
        open_wall(page, address)
        for size in sizes:
            show_on(page, *size)
            quiet = page.locator(".card .freshness").nth(1)
            expect(quiet).to_be_visible()
            expect(quiet).to_contain_text("since 13:40")
            for cut in (quiet, page.locator(".card").nth(1)):
                assert cut.evaluate("node => node.scrollHeight <= node.clientHeight + 2")
            expect(page.locator(".foot .word")).to_have_text(re.compile(r"^Quiet: 1\sof"))
            expect(page.locator(".measured")).to_contain_text("Oldest count 13:40 · 1 h 50 min ago")


def test_a_closed_shop_at_night_is_quiet_and_dimmed_but_not_stale(
    page: Page, address: str, wall: ScriptedWall
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
    new_page: Page, address: str, wall: ScriptedWall
) -> None:
    new_page.clock.set_fixed_time("2001-01-01T23:00:00")
    now = at_local_hour(wall, 12)
    wall.theme = "clock"
    wall.feeds = {"shop": feed(now)}
    open_wall(new_page, address)
    expect(new_page.locator("html")).to_have_attribute("data-theme", "light")
    expect(new_page.locator("html")).to_have_attribute("data-dim", "false")
    expect(new_page.locator(".clock")).to_have_text("12:30")
    expect(new_page.locator(".measured")).to_contain_text("Measured 12:30")


def test_a_board_warns_of_the_zone_that_is_not_current(page: Page, address: str, wall: ScriptedWall) -> None:
    wall.views = [view("board", "shop", "hall")]
    wall.feeds = {
        "shop": feed(time.time(), inside=20),
        "hall": feed(time.time(), inside=30, state="offline"),
    }
    open_wall(page, address)
    expect(page.locator(".card .level .word")).to_have_text(["Free", "Unknown"])
    expect(page.locator(".card .freshness .word")).to_have_text(["Live", "Offline"])
    expect(page.locator(".foot .word")).to_have_text("Number not available: 1 of 2")
    expect(page.locator(".foot .measured")).to_contain_text("Oldest count")


def test_more_sites_than_are_readable_take_turns(new_page: Page, address: str, wall: ScriptedWall) -> None:
    names = [f"site {number}" for number in range(40)]
    wall.views = [view("sites", *names, title="")]
    wall.feeds = {name: feed(time.time(), inside=20) for name in names}
    new_page.clock.install()
    open_wall(new_page, address)
    new_page.clock.run_for(1000)
    expect(new_page.locator(".heading")).to_have_text("All sites · 1–\u206010 / 40")
    seen: set[str] = set()
    for _ in range(40):
        seen |= set(new_page.locator(".card:visible .title").all_inner_texts())
        new_page.clock.run_for(1000)
    assert seen == {name.capitalize() for name in names}


def test_a_curve_is_compared_with_a_typical_day(page: Page, address: str, wall: ScriptedWall) -> None:
    scripted_views(wall, "curve")
    wall.feeds = {"shop": feed(wall.now(), inside=50)}
    open_wall(page, address)
    expect(page.locator(".comparison")).to_have_text("19 fewer than usual at this time")
    expect(page.locator(".chart polyline.typical")).to_have_count(1)
    edges, axis = page.evaluate("""() => [
      [...document.querySelectorAll('.chart polyline')].map(line => line.getBBox().x),
      document.querySelector('.chart line.grid').x1.baseVal.value]""")
    assert min(edges) >= axis
    expect(page.locator(".chart polyline:not(.typical)")).to_have_count(2)
    expect(page.locator(".note")).to_have_text("Usually quieter from 17:00")


def test_a_curve_says_of_its_grey_part_until_when_it_was_unreliable(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    scripted_views(wall, "curve")
    spoilt = feed(wall.now(), inside=50) | {"spoilt_until": wall.day["day_start"] + 12 * 3600}
    wall.feeds = {"shop": spoilt}
    open_wall(page, address)
    expect(page.locator(".chart polyline.untrusted").first).to_be_visible()
    expect(page.locator(".chart .label", has_text="grey until 12:00: unreliable")).to_be_visible()
    expect(page.locator(".chart line.untrusted")).to_have_count(1)


def test_a_curve_shades_closed_time_as_it_is_now(new_page: Page, address: str, wall: ScriptedWall) -> None:
    """What is said meanwhile of the day comes with its next reading, and the page is not loaded again."""
    scripted_views(wall, "curve")
    start = wall.day["day_start"]
    wall.day |= {"closed": [[start, start + 9 * 3600], [start + 18 * 3600, start + 24 * 3600]]}
    new_page.clock.install()
    open_wall(new_page, address)
    closed = new_page.locator(".chart rect.closed")
    until(new_page, lambda: closed.count() == 3, step=1)  # the third names them
    expect(new_page.locator(".chart .label", has_text="closed")).to_be_visible()
    edges, axis = new_page.evaluate("""() => [
      [...document.querySelectorAll('.chart rect.closed')].slice(1).map(one => one.getBBox())
        .flatMap(box => [box.x, box.x + box.width]),
      [document.querySelector('.chart line.grid').x1.baseVal.value,
       document.querySelector('.chart line.grid').x2.baseVal.value]]""")
    assert edges[0] == pytest.approx(axis[0])
    assert edges[-1] == pytest.approx(axis[1])
    assert edges == sorted(edges)
    wall.day |= {"closed": [], "as_of": wall.day["as_of"] + 300}
    until(new_page, lambda: closed.count() == 0, step=30)
    assert wall.pages == 1


def test_a_curve_waits_for_no_answer_of_when_it_is_quieter_and_asks_again_for_it(
    new_page: Page, address: str, wall: ScriptedWall
) -> None:
    scripted_views(wall, "curve")
    wall.feeds = {"shop": feed(wall.now(), inside=50)}
    told = wall.day["quieter_from"]
    wall.day |= {"quieter_from": None, "is_quieter_read": True}
    new_page.clock.install()
    open_wall(new_page, address)
    expect(new_page.locator(".chart polyline.typical")).to_have_count(1)
    note = new_page.locator(".note")
    expect(note).to_have_text("")
    wall.day |= {"quieter_from": told, "is_quieter_read": False}
    new_page.clock.run_for(16_000)
    expect(note).to_have_text("Usually quieter from 17:00")


def test_what_was_to_be_quieter_by_now_is_not_told(page: Page, address: str, wall: ScriptedWall) -> None:
    scripted_views(wall, "curve")
    wall.day |= {"quieter_from": wall.now() - 60}
    open_wall(page, address)
    expect(page.locator(".chart polyline.typical")).to_have_count(1)
    expect(page.locator(".note")).to_have_text("")


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("de", "Meist ruhiger ab 17:00"),
        ("fr", "D’habitude plus calme dès 17:00"),
        ("it", "Di solito più tranquillo dalle 17:00"),
    ],
)
def test_when_it_is_usually_quieter_is_told_in_the_language_of_the_screen(
    page: Page, address: str, wall: ScriptedWall, language: str, words: str
) -> None:
    scripted_views(wall, "curve")
    wall.language = language
    wall.feeds = {"shop": feed(wall.now(), inside=50)}
    open_wall(page, address)
    expect(page.locator(".note")).to_have_text(words)


def test_a_still_of_a_curve_waits_for_its_chart_and_is_not_dimmed_at_night(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    scripted_views(wall, "curve")
    now = at_local_hour(wall, 23)
    wall.feeds = {"shop": feed(now, inside=8)}
    wall.day = wall.day | {"day_start": now - 23.5 * 3600, "as_of": now}
    wall.is_still, wall.day_takes = True, 4.0
    open_wall(page, address)
    expect(page.locator("html")).to_have_attribute("data-still", "true")
    assert page.locator(".chart polyline.typical").count() == 1
    assert page.locator("html").get_attribute("data-dim") == "false"
    until(page, lambda: wall.connections == 0)


def test_a_curve_that_cannot_be_read_says_so_and_the_number_stays(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    scripted_views(wall, "curve")
    wall.day, wall.day_status = {"error": "There is no curve at the moment."}, 502
    open_wall(page, address)
    expect(page.locator(".note")).to_have_text("The curve could not be loaded")
    expect(page.locator(".curve-view .number")).to_have_text("8")


def test_a_curve_and_what_is_usual_end_with_their_day(
    new_page: Page, address: str, wall: ScriptedWall
) -> None:
    """Also where the next day cannot be read: no Sunday is compared with a Saturday."""
    scripted_views(wall, "curve")
    midnight = wall.now() + 60
    wall.feeds = {"shop": feed(midnight - 60, inside=50)}
    wall.day = wall.day | {"until": midnight}
    new_page.clock.install()
    open_wall(new_page, address)
    chart, comparison, note = (new_page.locator(name) for name in (".chart", ".comparison", ".note"))
    expect(comparison).to_have_text("19 fewer than usual at this time")
    expect(chart).to_be_visible()
    wall.day, wall.day_status = {"error": "There is no curve at the moment."}, 502
    wall.now = lambda: midnight + 5
    wall.feeds = {"shop": feed(midnight, inside=51)}  # also what a link that was lost is told anew
    wall.changes.append(wall.feeds)
    until(new_page, lambda: new_page.locator(".curve-view .number").inner_text() == "51", step=1)
    expect(chart).to_be_hidden()
    expect(comparison).to_have_text("")
    until(new_page, lambda: note.inner_text() == "The curve could not be loaded", step=1)
    wall.day, wall.day_status = day_of(midnight + 5), 200
    until(new_page, chart.is_visible, step=5)
    wall.feeds = {"shop": feed(wall.now(), inside=52)}  # by its clock the last is some minutes old
    wall.changes.append(wall.feeds)
    until(new_page, lambda: new_page.locator(".curve-view .number").inner_text() == "52", step=1)
    expect(comparison).to_contain_text("fewer than usual")
    expect(note).to_have_text("Usually quieter from 17:00")


def test_a_curve_of_a_day_that_has_not_begun_goes_once_the_clock_is_set_right(
    new_page: Page, address: str, wall: ScriptedWall
) -> None:
    scripted_views(wall, "curve")
    today, tomorrow = wall.now(), wall.now() + 86_400
    wall.now, wall.day = lambda: tomorrow, day_of(tomorrow)
    wall.feeds = {"shop": feed(tomorrow, inside=50)}
    new_page.clock.install()
    open_wall(new_page, address)
    chart = new_page.locator(".chart")
    expect(chart).to_be_visible()
    wall.now, wall.day = lambda: today, day_of(today)
    wall.feeds = {"shop": feed(today, inside=51)}
    wall.changes.append(wall.feeds)
    until(new_page, lambda: new_page.locator(".curve-view .number").inner_text() == "51")
    expect(chart).to_be_hidden()
    until(new_page, chart.is_visible, step=5)


def test_a_view_that_fails_says_that_its_number_is_missing_and_the_rotation_goes_on(
    new_page: Page, address: str, wall: ScriptedWall
) -> None:
    wall.views = [
        view(title="First"),
        view(title="", feeds=[], is_missing=True),
        view("hologram", title="New"),
        view("light", title="Broken", feeds=[]),
        view("light", title="Last"),
    ]
    new_page.clock.install()
    open_wall(new_page, address)
    expect(new_page.locator(".heading")).to_have_text("First")
    new_page.clock.run_for(11_000)
    expect(new_page.locator(".failure:visible .word")).to_have_text("Number not available")
    expect(new_page.locator(".foot")).to_have_text("")
    until(new_page, lambda: new_page.locator(".heading").inner_text() == "New", step=1)
    expect(new_page.locator(".failure:visible .word")).to_have_text("This view cannot be shown")
    until(new_page, lambda: new_page.locator(".heading").inner_text() == "Broken", step=1)
    expect(new_page.locator(".failure:visible .word")).to_have_text("This view cannot be shown")
    until(new_page, lambda: new_page.locator(".heading").inner_text() == "Last", step=1)
    expect(new_page.locator(".light-view:visible .word")).to_have_text("Almost full")
    until(new_page, lambda: new_page.locator(".heading").inner_text() == "First", step=1)
    expect(new_page.locator(".number:visible")).to_have_text("80")


def test_a_light_is_out_while_drift_spoils_the_number(page: Page, address: str, wall: ScriptedWall) -> None:
    now = at_local_hour(wall, 15)
    wall.language = "de"
    drift = {"people": 118, "since": now - 4 * 3600, "at": now - 600, "begun": True}
    for kind in ("light", "number"):
        wall.views = [view(kind, "shop")]
        wall.feeds = {"shop": feed(now, inside=3, drift=drift)}
        open_wall(page, address)
        drawn = page.locator(f".{kind}-view")
        expect(drawn).to_have_attribute("data-level", "unknown")
        expect(drawn.locator(".places")).to_have_text("")
        expect(drawn).not_to_contain_text("zuletzt")
        expect(drawn).not_to_contain_text("3")
        expect(drawn).to_contain_text("Zahl nicht verfügbar")
        expect(page.locator(".foot .freshness .word")).to_have_text("Nicht verlässlich")
        expect(page.locator(".foot .details")).to_have_text("118 mehr hinaus als hinein seit 11:30")


def test_a_chart_does_not_draw_what_drift_spoils(page: Page, address: str, wall: ScriptedWall) -> None:
    """The curve of today and the trend tell the number that is kept from passers-by."""
    scripted_views(wall, "curve")
    now = wall.now()
    drift = {"people": 118, "since": now - 4 * 3600, "at": now - 600}
    wall.feeds = {"shop": feed(now, inside=50, drift=drift)}
    open_wall(page, address)
    expect(page.locator(".chart polyline.typical")).to_have_count(1)
    expect(page.locator(".chart polyline:not(.typical)")).to_have_count(0)
    expect(page.locator(".chart circle")).to_have_count(0)
    expect(page.locator(".chart")).not_to_contain_text("today")
    expect(page.locator(".note")).to_have_text("")
    wall.changes.append({"shop": feed(now, inside=50)})
    expect(page.locator(".chart circle")).to_have_count(1)
    expect(page.locator(".note")).to_have_text("Usually quieter from 17:00")
    wall.views = [view("gauge")]
    open_wall(page, address)
    expect(page.locator(".trend")).to_be_hidden()
    expect(page.locator(".foot .word")).to_have_text("Unreliable")
    wall.changes.append({"shop": feed(now, inside=50)})
    expect(page.locator(".trend .line").first).to_be_visible()


@pytest.mark.parametrize("kind", FACTS)
def test_a_number_that_drift_spoilt_does_not_come_back_with_an_outage(
    page: Page, address: str, wall: ScriptedWall, kind: str
) -> None:
    """What is told then is the outage, and that the last number was unreliable; one that was not stays."""
    scripted_views(wall, kind)
    wall.language, now = "de", wall.now()
    minute, body, foot = int(now) // 60 * 60, page.locator(".body"), page.locator(".foot .freshness")
    drift = {"people": 118, "since": now - 4 * 3600, "at": now - 600}
    fine = {"inside": 77, "points": [[minute, 77]]}
    spoilt, offline = fine | {"drift": drift}, {"state": "offline", "since": minute - 1200}
    silent = {"state": "silent", "measured_at": minute - 3600}

    def tell(**changes: Any) -> None:
        wall.changes.append({name: feed(now, **changes) for name in wall.feeds})

    open_wall(page, address)
    expect(foot.locator(".word")).to_have_text("Live")
    for changes, word, said in (
        (spoilt, "Nicht verlässlich", "118\xa0mehr hinaus als hinein seit 11:30"),
        (spoilt | offline, "Offline", "seit 15:10"),
        (spoilt | silent, "Keine Zählung", "seit 14:30"),
        (fine, "", ""),
        (fine | offline, "Offline", "seit 15:10"),
        (spoilt | offline, "Offline", "seit 15:10"),
    ):
        tell(**changes)
        state = foot if len(wall.feeds) == 1 else body.locator(".card .freshness").first
        expect(state).to_contain_text(word)
        expect(state).to_contain_text(said)
        if "drift" in changes:
            expect(body).not_to_contain_text(re.compile("77|zuletzt"))
            expect(body.locator("[data-level]:not([data-level=unknown])")).to_have_count(0)
            expect(body.locator(".dial .fill:visible, .trend:visible, .chart circle")).to_have_count(0)
        else:
            expect(body).to_contain_text("77")
    if len(wall.feeds) == 1:
        expect(foot.locator(".details")).to_have_text("seit 15:10 · letzte Zahl nicht verlässlich")


@pytest.mark.parametrize(("count", "languages"), [(3, ("fr", "it")), (6, tuple(SILENT)), (8, ("fr", "it"))])
def test_why_a_number_is_unreliable_is_whole_on_a_square_screen_in_every_language(
    page: Page, address: str, wall: ScriptedWall, count: int, languages: tuple[str, ...]
) -> None:
    """The longest of them also where there are fewer and more cards."""
    now = at_local_hour(wall, 15)
    names = [f"Site {number}" for number in range(count)]
    wall.views = [view("sites", *names)]
    drift = {"people": 1145, "since": now - 11 * 3600, "at": now - 600}
    wall.feeds = {name: feed(now, drift=drift if name == "Site 1" else None) for name in names}
    card = page.locator(".flat .card[data-trusted=false]")
    page.set_viewport_size({"width": 1000, "height": 1000})
    for wall.language in languages:
        open_wall(page, address)
        expect(card.locator(".details")).to_contain_text("04:30")
        # Letters follow the room that the words below leave, from one drawing to the next.
        until(page, lambda: card.evaluate(CUT_PARTS) == [])


def test_a_curve_that_was_drawn_before_its_drift_was_known_is_drawn_anew(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    scripted_views(wall, "curve")
    now = wall.now()
    wall.now = lambda: now  # or it would be drawn anew with the time
    wall.feeds = {"shop": feed(now, state="connecting", inside=None, points=[], confirmed_age=None)}
    open_wall(page, address)
    expect(page.locator(".chart polyline:not(.typical)")).to_have_count(2)
    drift = {"people": 118, "since": now - 4 * 3600, "at": now - 600}
    wall.changes.append({"shop": feed(now, inside=50, drift=drift)})
    expect(page.locator(".chart polyline:not(.typical)")).to_have_count(0)
    expect(page.locator(".chart polyline.typical")).to_have_count(1)


def test_all_times_of_one_view_are_of_one_zone(page: Page, address: str, wall: ScriptedWall) -> None:
    """However many zones its sites lie in: a wall has one clock."""
    now = at_local_hour(wall, 15)
    wall.views = [view("sites", "shop", "tokyo")]
    wall.views[0]["feeds"][1]["timezone"] = "Asia/Tokyo"
    wall.feeds = {"shop": feed(now), "tokyo": feed(now, measured_at=int(now) - 60)}
    open_wall(page, address)
    expect(page.locator(".measured")).to_contain_text("Oldest count 15:29")
    expect(page.locator(".measured")).to_contain_text("Zurich time")
    wall.changes.append({"tokyo": feed(now, state="offline", since=int(now) - 3600)})
    expect(page.locator(".card .details").nth(1)).to_have_text("since 14:30")


def test_an_outage_is_as_old_as_its_first_trouble(page: Page, address: str, wall: ScriptedWall) -> None:
    now = at_local_hour(wall, 15)
    wall.feeds = {"shop": feed(now, state="silent", measured_at=int(now) - 3600, usual_gap=60)}
    open_wall(page, address)
    missing = page.locator(".missing")
    expect(missing).to_have_text("Number not available, since 14:30")
    for state in ("reconnecting", "offline", "connecting"):
        wall.changes.append({"shop": feed(now, state=state, since=int(now) - 60)})
        expect(page.locator(".foot .word")).to_have_text(word_of(state))
        expect(missing).to_have_text("Number not available, since 14:30")
    wall.ended.set()  # the dashboard goes, too
    expect(page.locator(".foot .word")).to_have_text("No connection")
    expect(missing).to_have_text("Number not available, since 14:30")


def test_a_place_that_never_counted_has_no_number_and_no_time(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    """The dashboard does not know since when; it only knows when it first asked."""
    wall.feeds = {"shop": feed(time.time(), inside=None, measured_at=None, points=[])}
    open_wall(page, address)
    expect(page.locator(".missing")).to_have_text("Number not available")
    expect(page.locator(".unit")).to_have_text("")
    expect(page.locator(".foot .freshness")).to_have_text("Waiting for a first count")


def test_a_name_of_a_threshold_stands_beside_its_own_line(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    wall.views = [view("gauge")]
    wall.feeds = {"shop": feed(time.time(), inside=133)}
    wall.feeds["shop"]["points"] = [[point[0], 133] for point in wall.feeds["shop"]["points"]]
    open_wall(page, address)
    expect(page.locator(".trend .mark")).to_have_count(3)
    expect(page.locator(".trend .label", has_text="90 %")).to_have_count(1)
    # In one look: each second the trend is drawn anew, and may change its height with the words below it.
    labels, lines = page.evaluate("""() => [
      Object.fromEntries([...document.querySelectorAll('.trend .label')]
        .filter(label => label.textContent.includes('%'))
        .map(label => [label.textContent, label.y.baseVal[0].value - 4])),
      [...document.querySelectorAll('.trend .mark')].map(line => line.y1.baseVal.value)]""")
    assert labels
    for name, line in zip(("90 %", "70 %", "100 %"), lines, strict=True):
        assert labels.get(name, line) == pytest.approx(line)


@pytest.mark.parametrize("word", ["Donaudampfschifffahrtsge", "W" * 24, "Almost full"])
def test_a_word_on_a_light_stays_in_its_middle(
    page: Page, address: str, wall: ScriptedWall, word: str
) -> None:
    wall.views = [view("light", words={"free": "", "filling": word, "full": ""})]
    open_wall(page, address)
    expect(page.locator(".light-view .word")).not_to_have_text("–")
    for width, height in ((390, 844), (1080, 1920), (800, 480), (1920, 1080)):
        show_on(page, width, height)
        left, right = page.locator(".light-view .word").evaluate("""node => {
          const range = document.createRange();
          range.selectNodeContents(node);
          const [text, view] = [range, node.closest('.view')].map(one => one.getBoundingClientRect());
          return [text.left - view.left, view.right - text.right];
        }""")
        assert min(left, right) >= 0
        assert left == pytest.approx(right, abs=0.02 * width)


def test_a_title_of_very_many_words_is_cut_after_few_attempts(
    new_page: Page, address: str, wall: ScriptedWall
) -> None:
    """Each attempt measures every word that it keeps: the page stands still meanwhile."""
    new_page.add_init_script(
        "window.measured = 0; const paper = CanvasRenderingContext2D.prototype;"
        "const own = paper.measureText;"
        "paper.measureText = function (text) { window.measured += 1; return own.call(this, text); };"
    )
    long = " ".join(f"{'abcdefgh'[number * 3 % 8]}{number % 7}" for number in range(166))
    wall.feeds = {name: feed(time.time()) for name in PLACES[:3]}
    wall.views = [view("sites", *PLACES[:3])]
    wall.views[0]["feeds"][0]["title"] = long
    new_page.set_viewport_size({"width": 1080, "height": 1920})
    open_wall(new_page, address)
    expect(new_page.locator(".card .title").first).to_have_text(re.compile(f"… .*{long[-2:]}$"))
    assert new_page.evaluate("window.measured") < 100_000


def test_long_names_of_a_board_stay_whole_where_a_grid_has_room_for_them(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    begun = "Kaufhaus Donaudampfschifffahrtsgesellschaft Hauptbahnhof Filiale "
    short = [f"Site {number}" for number in range(7)]
    wall.feeds = {f"f{place}": feed(time.time()) for place in range(10)}
    for titles in ([begun + letter for letter in "ABWZ"], [begun + letter for letter in "ABW"] + short):
        wall.views = [view("sites", *list(wall.feeds)[: len(titles)])]
        for told, title in zip(wall.views[0]["feeds"], titles, strict=True):
            told["title"] = title
        open_wall(page, address)
        for width, height in ((1080, 1920), (1920, 1080)):
            show_on(page, width, height)
            shown = page.locator(".card .title:visible")
            expect(shown).to_have_count(len(titles))
            expect(shown.nth(0)).to_have_text(re.compile("^Kaufhaus.* A$"))
            if len(titles) == 4:
                expect(shown).to_have_text(titles)
                at_rest(page)
                lefts = shown.evaluate_all("all => all.map(one => one.getBoundingClientRect().x)")
                assert len(set(lefts)) == (2 if width > height else 1)


def test_titles_that_are_cut_stay_apart_where_they_differ_in_their_middle(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    titles = [f"Zone {number} with a long name with a long name" for number in range(20, 50)]
    wall.feeds = {f"f{place}": feed(time.time()) for place in range(len(titles))}
    wall.views = [view("sites", *wall.feeds)]
    for told, title in zip(wall.views[0]["feeds"], titles, strict=True):
        told["title"] = title
    open_wall(page, address)
    for width, height in ((1920, 1080), (390, 844)):
        show_on(page, width, height)
        shown = page.locator(".card .title").all_text_contents()
        assert len(set(shown)) == len(titles)
        assert all(short.startswith(f"Zone {number}") for number, short in enumerate(shown, 20))


def test_titles_of_tiles_are_cut_between_words_if_at_all(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    whole = ["Lindenhof department store", "Corner shop"]
    ends = ["Warenannahme und Haushaltwarenabteilung " * 5 + f"Süd {number}" for number in range(2)]
    wall.feeds = {name: feed(time.time()) for name in PLACES[:3]}
    page.set_viewport_size({"width": 1920, "height": 1080})
    for titles in ([*whole, "Station"], [*ends, "Station"]):
        wall.views = [view("sites", *PLACES[:3])]
        for told, title in zip(wall.views[0]["feeds"], titles, strict=True):
            told["title"] = title
        open_wall(page, address)
        shown = page.locator(".card .title")
        expect(shown.nth(2)).to_have_text("Station")
        if titles[0] == whole[0]:
            expect(shown).to_have_text([whole[0], "Corner shop", "Station"])
        else:
            expect(shown.nth(0)).to_have_text(re.compile("… Süd 0$"))
            expect(shown.nth(1)).to_have_text(re.compile("… Süd 1$"))
        at_rest(page)
        assert shown.evaluate_all(
            "titles => titles.every(title => title.scrollHeight <= title.clientHeight + 2)"
        )
