"""The gauge alone, in a real browser, before a relay that says what each test tells it to."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.scripted_relay import ScriptedRelay, feed, serving
from tests.e2e.wall import PATIENCE
from tests.written_days import MAYBE_A_DAY
from tests.zone_at_noon import zone_at_noon

HERO = {
    "feed": "shop",
    "kind": "hero",
    "title": "Shop",
    "subtitle": "",
    "capacity": 100,
    "href": None,
    "timezone": "Europe/Zurich",
}
NOON = zone_at_noon()
TODAY: dict[str, Any] = {"compares": True, "tells_today": True, "leads": [], "timezone": NOON}
CARD = HERO | {"feed": "shop/hall", "kind": "card", "title": "Hall", "href": "live?site=shop&zone=hall"}


LOOKED_AT = """state => {
    Object.defineProperty(document, "visibilityState", {value: state, configurable: true});
    Object.defineProperty(document, "hidden", {value: state === "hidden", configurable: true});
    document.dispatchEvent(new Event("visibilitychange"));
}"""
"""A browser without a window never hides a tab by itself."""


def wait_until(holds: Callable[[], bool], page: Page | None = None) -> None:
    """Give the browser (whose events arrive only while it is waited for) and the relay time."""
    deadline = time.monotonic() + PATIENCE
    while not holds() and time.monotonic() < deadline:
        if page:
            page.wait_for_timeout(50)
        else:
            time.sleep(0.05)
    assert holds()


@pytest.fixture
def relay() -> ScriptedRelay:
    scripted = ScriptedRelay()
    scripted.items = [HERO]
    scripted.feeds = {"shop": feed(time.time()), "shop/hall": feed(time.time(), inside=95)}
    return scripted


@pytest.fixture
def address(relay: ScriptedRelay) -> Iterator[str]:
    with serving(relay) as url:
        yield url


def test_a_live_value_shows_its_share_its_places_and_its_level(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.locator(".hero .number")).to_have_text("80")
    expect(page.locator(".hero .share")).to_have_text("80 % of 100")
    expect(page.locator(".hero .places")).to_have_text("20 places left")
    expect(page.locator(".hero .level .word")).to_have_text("Filling")
    expect(page.locator(".hero .freshness .word")).to_have_text("Live")
    expect(page.locator(".hero .flows")).to_contain_text("Today 300 in · 220 out")


def test_a_closed_place_says_so_and_when_it_opens_and_keeps_its_number(
    page: Page, address: str, relay: ScriptedRelay
) -> None:
    now = time.time()
    relay.items = [HERO, CARD]
    relay.closed_sites = {"shop": [[now - 3600, now + 3600], [now + 20 * 3600, None]]}
    relay.feeds["shop"] = feed(now, inside=12)
    page.goto(address)
    expect(page.locator(".hero .level .word")).to_have_text("Closed")
    expect(page.locator(".hero .places")).to_have_text(re.compile(r"^Opens .*\d\d:\d\d$"))
    expect(page.locator(".hero .number")).to_have_text("12")
    expect(page.locator(".hero .icon").first).to_have_attribute("data-icon", "wait")
    expect(page.locator(".card .level .word")).to_have_text("Full")  # as many are inside


def test_a_place_is_shown_whatever_its_id(page: Page, address: str, relay: ScriptedRelay) -> None:
    relay.items = [HERO | {"feed": "constructor"}]
    relay.feeds["constructor"] = feed(time.time(), inside=12)
    page.goto(address)
    expect(page.locator(".hero .number")).to_have_text("12")


def test_a_tab_that_nobody_looks_at_keeps_no_connection_and_is_live_when_it_is_looked_at(
    page: Page, address: str, relay: ScriptedRelay
) -> None:
    """A browser has six connections to a server: the seventh tab would wait for ever."""
    page.goto(address)
    expect(page.locator(".hero .freshness .word")).to_have_text("Live")
    page.evaluate(LOOKED_AT, "hidden")
    wait_until(lambda: relay.connections == 0, page)
    expect(page.locator(".hero .number")).to_have_text("80")
    relay.feeds["shop"] = feed(time.time(), inside=97)
    seen = """() => {
        const hero = document.querySelector(".hero");
        return [hero.querySelector(".freshness .word").textContent, hero.dataset.trusted];
    }"""
    at_once = page.evaluate(f"() => {{ ({LOOKED_AT})('visible'); return ({seen})(); }}")
    assert at_once == ["Connecting", "false"]
    expect(page.locator(".hero .number")).to_have_text("97")
    expect(page.locator(".hero .freshness .word")).to_have_text("Live")
    assert relay.connections == 1


def test_a_tab_that_is_looked_away_from_for_a_moment_keeps_its_connection(
    page: Page, address: str, relay: ScriptedRelay
) -> None:
    page.goto(address)
    expect(page.locator(".hero .freshness .word")).to_have_text("Live")
    page.evaluate(LOOKED_AT, "hidden")
    page.wait_for_timeout(3000)
    page.evaluate(LOOKED_AT, "visible")
    expect(page.locator(".hero .freshness .word")).to_have_text("Live")
    assert relay.opened == 1


def test_a_change_moves_the_number_and_the_line(page: Page, address: str, relay: ScriptedRelay) -> None:
    page.goto(address)
    expect(page.locator(".hero .number")).to_have_text("80")
    relay.changes.append({"shop": feed(time.time(), inside=97, points=[[int(time.time()) // 60 * 60, 97]])})
    expect(page.locator(".hero .number")).to_have_text("97")
    expect(page.locator(".hero .level .word")).to_have_text("Full")
    expect(page.locator(".hero .trend svg")).to_have_attribute("aria-label", re.compile("most 97"))


def test_a_quiet_place_is_trusted_when_a_check_confirms_it(
    page: Page, address: str, relay: ScriptedRelay
) -> None:
    relay.feeds["shop"] = feed(time.time(), measured_at=int(time.time()) - 1200, confirmed_age=12)
    page.goto(address)
    expect(page.locator(".hero .freshness .word")).to_have_text("Quiet")
    expect(page.locator(".hero .freshness .details")).to_contain_text(
        re.compile(r"no new count since .* · confirmed by the service 1\d s ago")
    )
    expect(page.locator(".hero .level .word")).to_have_text("Filling")


def test_an_old_number_never_looks_live(page: Page, address: str, relay: ScriptedRelay) -> None:
    page.goto(address)
    hero = page.locator(".hero")
    for state, word in (
        ("late", "Late"),
        ("reconnecting", "Reconnecting"),
        ("offline", "Offline"),
        ("refused", "Refused"),
        ("something new", "something new"),
        ("connecting", "Connecting"),
    ):
        relay.changes.append({"shop": feed(time.time())})
        expect(hero.locator(".freshness .word")).to_have_text("Live")
        old = feed(
            time.time(), state=state, reason="the key is revoked", is_summary=True, next="asking again"
        )
        relay.changes.append({"shop": old})
        expect(hero.locator(".freshness .word")).to_have_text(word)
        expect(hero.locator(".level .word"), state).to_have_text("Unknown")
        expect(hero, state).to_have_attribute("data-trusted", "false")
        expect(hero.locator(".number"), state).to_have_text("80")
        expect(hero.locator(".places"), state).to_have_text("")
        if state != "connecting":
            expect(hero.locator(".freshness .details"), state).to_contain_text("the key is revoked")
            expect(hero.locator(".freshness .details"), state).to_contain_text("more on the Connection page")


def test_a_silent_counter_looks_silent_however_well_its_service_answers(
    page: Page, address: str, relay: ScriptedRelay
) -> None:
    relay.items = [HERO, CARD]
    page.goto(address)
    for gap, usual in (
        (60, " · usually every minute"),
        (600, " · usually about every 10 minutes"),
        (None, ""),
    ):
        relay.changes.append({name: feed(time.time()) for name in ("shop", "shop/hall")})
        expect(page.locator(".freshness .word")).to_have_text(["Live", "Live"])
        silent = {"state": "silent", "measured_at": int(time.time()) - 3600, "confirmed_age": 3}
        changes = {name: feed(time.time(), **silent, usual_gap=gap) for name in ("shop", "shop/hall")}
        relay.changes.append(changes)
        for kind in (".hero", ".card"):
            expect(page.locator(f"{kind} .freshness .word")).to_have_text("No counts")
            expect(page.locator(f"{kind} .details")).to_have_text(
                re.compile(rf"^since {MAYBE_A_DAY}\d\d:\d\d{usual}$")
            )
            expect(page.locator(f"{kind} .level .word")).to_have_text("Unknown")
            expect(page.locator(f"{kind} .places")).to_have_text("")
            expect(page.locator(kind)).to_have_attribute("data-trusted", "false")


def test_a_live_value_that_nobody_confirms_is_late(page: Page, address: str, relay: ScriptedRelay) -> None:
    relay.feeds["shop"] = feed(time.time(), confirmed_age=500)
    page.goto(address)
    expect(page.locator(".hero .freshness .word")).to_have_text("Late")
    expect(page.locator(".hero .level .word")).to_have_text("Unknown")


def test_a_relay_that_falls_silent_greys_the_number_and_is_asked_again(
    new_page: Page, address: str, relay: ScriptedRelay
) -> None:
    new_page.clock.install()
    new_page.goto(address)
    new_page.clock.run_for(1000)
    expect(new_page.locator(".hero .freshness .word")).to_have_text("Live")
    relay.is_silent = True
    time.sleep(0.3)
    new_page.clock.run_for(45_000)
    expect(new_page.locator(".hero .freshness .word")).to_have_text("No connection to Headroom")
    expect(new_page.locator(".hero .freshness .details")).to_contain_text("since")
    expect(new_page.locator(".hero .level .word")).to_have_text("Unknown")
    expect(new_page.locator(".hero .measured")).to_contain_text("ago")
    relay.is_silent = False
    deadline = time.monotonic() + PATIENCE
    while new_page.locator(".hero .freshness .word").inner_text() != "Live" and time.monotonic() < deadline:
        new_page.clock.run_for(5_000)
        time.sleep(0.1)
    expect(new_page.locator(".hero .freshness .word")).to_have_text("Live")


def test_ages_do_not_depend_on_the_wall_clock_of_the_machine(
    new_page: Page, address: str, relay: ScriptedRelay
) -> None:
    new_page.clock.set_fixed_time("2001-01-01T00:00:00")
    new_page.goto(address)
    expect(new_page.locator(".hero .freshness .word")).to_have_text("Live")
    expect(new_page.locator(".hero .measured")).to_have_text(
        re.compile(r"Measured \d\d:\d\d · (just now|\d+ s ago)")
    )


def test_ten_updates_keep_one_connection(page: Page, address: str, relay: ScriptedRelay) -> None:
    page.goto(address)
    expect(page.locator(".hero .number")).to_have_text("80")
    for turn in range(10):
        page.evaluate(
            "turn => window.view.update(Object.assign({}, window.options, {token: 'again' + turn}))", turn
        )
    expect(page.locator(".hero .number")).to_have_text("80")
    assert (relay.connections, relay.opened) == (1, 1)


def test_other_feeds_open_another_connection_and_leave_the_first(
    page: Page, address: str, relay: ScriptedRelay
) -> None:
    page.goto(address)
    expect(page.locator(".hero .number")).to_have_text("80")
    page.evaluate("items => window.view.update(Object.assign({}, window.options, {items}))", [HERO, CARD])
    expect(page.locator(".card .number")).to_have_text("95")
    wait_until(lambda: relay.connections == 1)
    assert relay.opened == 2


def test_a_closed_view_leaves_nothing_open(page: Page, address: str, relay: ScriptedRelay) -> None:
    page.goto(address)
    expect(page.locator(".hero .number")).to_have_text("80")
    page.evaluate("window.view.close(); window.view.close()")
    wait_until(lambda: relay.connections == 0)
    assert page.locator("#root").inner_text() == ""


def test_an_expired_view_says_so_and_reloads_itself_but_not_just_after_it_was_opened(
    new_page: Page, address: str, relay: ScriptedRelay
) -> None:
    relay.refuses = True
    loads: list[str] = []
    new_page.on("load", lambda loaded: loads.append(loaded.url))
    new_page.clock.install()
    new_page.goto(address)
    expect(new_page.locator(".hero .freshness .word")).to_have_text("This view has expired")
    new_page.clock.fast_forward("05:01")
    wait_until(lambda: len(loads) == 2, new_page)
    expect(new_page.locator(".hero .freshness .word")).to_have_text("This view has expired")
    new_page.wait_for_timeout(1500)
    assert len(loads) == 2


def test_a_browser_that_keeps_nothing_shows_every_number_and_reloads_nothing_in_a_loop(
    new_page: Page, address: str, relay: ScriptedRelay
) -> None:
    new_page.add_init_script(
        "Object.defineProperty(window, 'sessionStorage', {get() { throw new Error('refused'); }});"
    )
    errors: list[str] = []
    new_page.on("pageerror", lambda error: errors.append(str(error)))
    relay.items = [HERO, CARD]
    new_page.goto(address)
    expect(new_page.locator(".hero .number")).to_have_text("80")
    new_page.locator(".card", has_text="Hall").click()
    expect(new_page).to_have_url(re.compile("zone=hall$"))
    new_page.go_back()
    expect(new_page.locator(".card .number")).to_have_text("95")
    relay.refuses = True
    loads: list[str] = []
    new_page.on("load", lambda loaded: loads.append(loaded.url))
    new_page.reload()
    expect(new_page.locator(".hero .freshness .word")).to_have_text("This view has expired")
    new_page.wait_for_timeout(1500)
    assert (len(loads), errors) == (1, [])


def test_a_gap_stays_a_gap_and_the_running_minute_is_unfinished(
    page: Page, address: str, relay: ScriptedRelay
) -> None:
    ahead = 60 - time.time() % 60
    relay.now = lambda: time.time() + ahead  # a minute begins, and still runs when it is drawn
    minute = round(relay.now())
    points = [[minute - 60 * ago, 50] for ago in range(60, -1, -1) if not 20 < ago < 30]
    relay.feeds["shop"] = feed(minute, points=points)
    page.goto(address)
    expect(page.locator(".hero .trend polyline.line:not(.unfinished)")).to_have_count(2)
    expect(page.locator(".hero .trend circle.dot.unfinished")).to_have_count(1)


def test_a_place_without_a_told_capacity_has_no_share(page: Page, address: str, relay: ScriptedRelay) -> None:
    relay.items = [HERO | {"capacity": None}]
    page.goto(address)
    expect(page.locator(".hero .number")).to_have_text("80")
    expect(page.locator(".hero .share")).to_have_text("Capacity unknown")
    expect(page.locator(".hero .dial")).to_have_attribute("role", "img")


def test_a_gauge_is_a_meter_for_who_cannot_see_it(page: Page, address: str) -> None:
    page.goto(address)
    meter = page.get_by_role("meter", name="Shop")
    expect(meter).to_have_attribute("aria-valuenow", "80")
    expect(meter).to_have_attribute("aria-valuemax", "100")
    expect(meter).to_have_attribute("aria-valuetext", "Shop: 80 inside, 80 % of 100, Filling, Live")


def test_a_state_is_read_aloud_once_it_stands_and_no_number_that_only_changes(
    page: Page, address: str, relay: ScriptedRelay
) -> None:
    page.goto(address)
    speech = page.locator(".hero [aria-live=polite]")
    expect(speech).to_have_text("Shop: 80 inside, 80 % of 100, Filling, Live")
    speech.evaluate(
        "node => new MutationObserver(() => (window.read = (window.read || []).concat(node.textContent)))"
        ".observe(node, {childList: true, characterData: true, subtree: true})"
    )
    relay.changes.append({"shop": feed(time.time(), inside=81)})
    expect(page.locator(".hero .number")).to_have_text("81")
    relay.changes.append({"shop": feed(time.time(), inside=95)})
    expect(speech).to_have_text("Shop: 95 inside, 95 % of 100, Full, Live")
    silent = feed(time.time(), inside=95, state="silent", measured_at=int(time.time()) - 3600)
    relay.changes.append({"shop": silent})
    expect(speech).to_have_text(re.compile("^Shop: .*No counts$"))
    assert len(page.evaluate("window.read")) == 2


def test_the_line_of_a_card_says_how_high_it_reaches(page: Page, address: str, relay: ScriptedRelay) -> None:
    minute = int(time.time()) // 60 * 60
    points = [[minute - 7200, 900], [minute - 1800, 1234], [minute - 1740, None], [minute, 95]]
    relay.items = [CARD]
    relay.feeds["shop/hall"] = feed(time.time(), inside=95, points=points)
    page.goto(address)
    expect(page.locator(".card .spark-scale")).to_have_text("Last hour, at most 1,234")


def test_a_card_is_a_link_that_the_keyboard_reaches(page: Page, address: str, relay: ScriptedRelay) -> None:
    relay.items = [HERO, CARD]
    page.goto(address)
    expect(page.locator(".card .number")).to_have_text("95")
    page.keyboard.press("Tab")
    focused: Any = page.evaluate("document.activeElement.getAttribute('href')")
    assert focused == "live?site=shop&zone=hall"


@pytest.mark.parametrize("kind", ["hero", "card"])
def test_a_time_zone_that_the_browser_does_not_know_is_read_as_utc_and_said(
    page: Page, address: str, relay: ScriptedRelay, kind: str
) -> None:
    """As an old browser has it with a zone of a new name: Intl throws a RangeError."""
    relay.items = [HERO | {"kind": kind, "timezone": "Europe/Kyiv_of_2040"}]
    page.goto(address)
    expect(page.locator(".number")).to_have_text("80")
    expect(page.locator("main, body").first).to_contain_text(
        "times are UTC: this browser does not know Europe/Kyiv_of_2040"
    )


def test_a_locale_that_is_none_is_the_browsers_own(page: Page, address: str, relay: ScriptedRelay) -> None:
    relay.locale = "not a locale"
    page.goto(address)
    expect(page.locator(".hero .number")).to_have_text("80")


def test_a_number_that_no_place_holds_stays_inside_its_card(
    page: Page, address: str, relay: ScriptedRelay
) -> None:
    relay.items = [CARD | {"title": "x" * 80, "capacity": 1e300}]
    relay.feeds["shop/hall"] = feed(time.time(), inside=123456789012)
    page.goto(address)
    expect(page.locator(".card .number")).to_have_text("123,456,789,012")
    card = page.locator(".card")
    assert card.evaluate("card => card.scrollWidth <= card.clientWidth")


def usual_day(**changes: Any) -> dict[str, Any]:
    """65 people at any time of a Saturday, which is half over."""
    quarters = [[minute + 7.5, 65] for minute in range(-15, 1441, 15)]
    midnight = datetime.now(ZoneInfo(NOON)).replace(hour=0, minute=0, second=0, microsecond=0).timestamp()
    told = {
        "timezone": NOON,
        "until": midnight + 24 * 3600,
        "day_start": midnight,
        "weekday": "Saturday",
        "typical": quarters,
        "typical_days": 6,
        "spoilt_days": 0,
    }
    return {"feeds": {"shop": told | changes}, "missing": 0}


def test_a_number_is_compared_with_what_is_usual_and_follows_without_asking_again(
    page: Page, address: str, relay: ScriptedRelay
) -> None:
    relay.items = [HERO | TODAY, CARD]
    relay.usual = usual_day()
    page.goto(address)
    usual = page.locator(".hero p.usual")
    expect(usual).to_have_text("15 more than usual at this hour on a Saturday")
    expect(page.locator(".hero .caption").first).to_contain_text("dashed: a typical Saturday")
    expect(page.locator(".hero polyline.usual")).not_to_have_count(0)
    relay.changes.append({"shop": feed(time.time(), inside=45)})
    expect(usual).to_have_text("20 fewer than usual at this hour on a Saturday")
    relay.changes.append({"shop": feed(time.time(), inside=66)})
    expect(usual).to_have_text("As many as usual at this hour on a Saturday")
    relay.changes.append({"shop": feed(time.time(), inside=45, state="offline")})
    expect(usual).to_have_text("")
    expect(page.locator(".card p.usual")).to_have_text("")
    assert relay.usual_asked == [{"feed": ["shop"], "today": ["shop"]}]


def test_a_day_shows_when_it_is_closed_and_lists_its_notes_as_they_were_written(
    page: Page, address: str, relay: ScriptedRelay
) -> None:
    relay.items = [HERO | TODAY]
    day = usual_day(today=[[time.time() - 900, 80]], as_of=time.time())
    start = day["feeds"]["shop"]["day_start"]
    day["feeds"]["shop"] |= {
        "closed": [[start, start + 6 * 3600]],
        "notes": [
            [start + 11.5 * 3600, "<b>Sale</b>"],
            [start + 12 * 3600, "Sensor moved"],
            [start + 18 * 3600, "set to 12 by hand: we counted", "by hand"],
        ],
    }
    relay.usual = day
    page.goto(address)
    figure = page.locator("figure.day")
    expect(figure.locator("rect.closed")).to_have_count(2)  # one of them names it
    expect(figure.locator(".note-mark")).to_have_count(3)
    expect(figure.locator("text", has_text="by hand")).to_have_count(1)
    expect(figure.get_by_role("list", name="Notes of today").get_by_role("listitem")).to_have_text(
        ["11:30: <b>Sale</b>", "12:00: Sensor moved", "18:00: set to 12 by hand: we counted"]
    )
    expect(figure.locator("b")).to_have_count(0)


@pytest.mark.parametrize("look", [{}, {"forced_colors": "active"}])
def test_a_typical_day_is_drawn_in_dashes_and_where_a_level_begins_in_dots(
    browser: Browser, address: str, relay: ScriptedRelay, look: dict[str, Any]
) -> None:
    relay.items = [HERO | TODAY]
    relay.usual = usual_day(today=[[time.time() - 900, 80]], as_of=time.time())
    context = browser.new_context(**look)
    context.set_default_timeout(PATIENCE * 1000)
    page = context.new_page()
    page.goto(address)
    for medium in ("screen", "print"):
        page.emulate_media(media=medium)
        for kind in ("usual", "typical"):
            typical = strokes(page, f"polyline.{kind}")
            limits = strokes(page, f".trend:has(polyline.{kind}) .mark:not(.capacity)")
            assert limits <= {(2, 4)}, "short dots"
            assert all(dash >= 1.5 * gap for dash, gap in typical), "long dashes"
    context.close()


def strokes(page: Page, selector: str) -> set[tuple[float, ...]]:
    """Of each line, how long its dashes and its gaps are, once there are lines and styles for them."""
    dashes: list[str] = page.wait_for_function(
        """selector => {
          const lines = [...document.querySelectorAll(selector)];
          const dashes = lines.map(line => getComputedStyle(line).strokeDasharray);
          return dashes.length && dashes.every(dash => parseFloat(dash)) && dashes;
        }""",
        arg=selector,
    ).json_value()
    return {tuple(float(part.removesuffix("px")) for part in dash.split(", ")) for dash in dashes}


def test_today_is_told_beside_a_number_until_drift_spoils_it(
    page: Page, address: str, relay: ScriptedRelay
) -> None:
    now = time.time()
    relay.items = [HERO | TODAY]
    relay.usual = usual_day(today=[[now - 900, 80]], as_of=now, time_inside=1510.0)
    relay.feeds = {"shop": feed(now, fullest_today={"inside": 95, "at": now, "since": None})}
    page.goto(address)
    fullest, stay = page.locator(".hero .fullest"), page.locator(".hero .time-inside")
    expect(fullest).to_have_text(re.compile(r"^Fullest today: 95 \(95\s%\) at \d\d:\d\d$"))
    expect(stay).to_have_text("Mean time inside today: 25 min")
    expect(page.locator(".trend.day .caption")).to_contain_text("6 past Saturdays")
    expect(page.locator(".hero .no-usual")).to_have_text("")
    later = {"inside": 97, "at": now, "since": now - 60}
    relay.changes.append({"shop": feed(now, inside=97, fullest_today=later)})
    expect(fullest).to_contain_text(re.compile("^Fullest since .+, when the count began anew: 97 "))
    left = page.locator(".hero .left-over")
    expect(left).to_have_text("")
    relay.changes.append({"shop": feed(now, left_over={"people": 1084, "at": now - 60})})
    expect(left).to_have_text(re.compile(r"^1,084 people were still counted inside when the count began"))
    drift = {"people": 1118, "since": now - 4 * 3600, "at": now - 600}
    spoilt = feed(now, drift=drift, fullest_today=later, left_over={"people": 1084, "at": now - 60})
    relay.changes.append({"shop": spoilt})
    expect(fullest).to_have_text("")
    expect(stay).to_have_text("")
    expect(left).to_have_text("")


def test_what_was_told_of_a_day_is_not_called_todays_once_it_is_over_whatever_comes_meanwhile(
    page: Page, address: str, relay: ScriptedRelay
) -> None:
    """In an outage over midnight nothing comes."""
    now = time.time()
    known = {"state": "offline", "counted_today": [50, 60]}
    relay.items = [HERO | TODAY]
    relay.feeds = {"shop": feed(now, **known)}
    page.goto(address)
    of_today = [page.locator(f".hero .{kind}") for kind in ("flows", "fullest", "counted")]
    for told in of_today:
        expect(told).to_contain_text("oday ")
    relay.changes.append({"shop": feed(now, **known, today_until=time.time() + 1)})
    for told in of_today:
        expect(told).to_have_text("")
    expect(page.locator(".hero .number")).to_have_text("80")


def test_a_card_says_it_in_a_word_and_aloud(page: Page, address: str, relay: ScriptedRelay) -> None:
    relay.items = [CARD | {"feed": "shop", "compares": True}]
    relay.usual = usual_day()
    page.goto(address)
    expect(page.locator(".card p.usual")).to_have_text("15 more than usual")
    # Read aloud as it is written: whoever says what they see reaches it.
    read = re.compile("^Hall .*80 inside .*15 more than usual")
    expect(page.get_by_role("link", name=read)).to_be_visible()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"typical": [], "typical_days": 2}, "No usual Saturday is known yet"),
        (
            {"typical": [], "typical_days": 1, "spoilt_days": 5},
            "No usual Saturday is known: on 5 of the last 6, who came and who left did not add up",
        ),
        ({"typical": [[1500, 65]]}, ""),
        ({"until": 0}, ""),
    ],
    ids=["too few days", "drift", "not at this hour", "of another day"],
)
def test_without_a_typical_day_nothing_is_compared(
    page: Page, address: str, relay: ScriptedRelay, changes: dict[str, Any], said: str
) -> None:
    relay.items = [HERO | TODAY]
    relay.usual = usual_day(**changes)
    page.goto(address)
    expect(page.locator(".hero .number")).to_have_text("80")
    wait_until(lambda: bool(relay.usual_asked), page)
    expect(page.locator(".hero .no-usual")).to_have_text(said)
    expect(page.locator(".hero p.usual")).to_have_text("")
    expect(page.locator(".hero polyline.usual")).to_have_count(0)


def test_a_typical_day_that_is_still_being_read_is_asked_for_again(
    page: Page, address: str, relay: ScriptedRelay
) -> None:
    relay.items = [HERO | TODAY]
    relay.usual = {"feeds": {}, "missing": 1}
    page.goto(address)
    wait_until(lambda: bool(relay.usual_asked), page)
    expect(page.locator(".hero p.usual")).to_have_text("")
    relay.usual = usual_day()
    expect(page.locator(".hero p.usual")).to_contain_text("15 more than usual")


def test_a_number_that_drift_spoils_asserts_nothing(page: Page, address: str, relay: ScriptedRelay) -> None:
    """The count is current, so that it is not called an old one; a zone beside it is judged by itself."""
    now = time.time()
    relay.items = [HERO, CARD, CARD | {"feed": "shop/cafe", "title": "Café"}]
    drift = {"people": 1118, "since": now - 4 * 3600, "begun": True, "at": now - 600}
    relay.feeds = {
        "shop": feed(now, inside=3, drift=drift),
        "shop/hall": feed(now, inside=3, drift=drift),
        "shop/cafe": feed(now, inside=95),
    }
    page.goto(address)
    expect(page.locator(".hero .freshness .word")).to_have_text("Unreliable")
    expect(page.locator(".hero .freshness .details")).to_have_text(
        re.compile(r"by .+, 1,118 more people had left than come since the count began at .+")
    )
    expect(page.locator(".hero .level .word")).to_have_text("Unknown")
    expect(page.locator(".hero .unit")).to_have_text("inside")
    expect(page.locator(".hero .share")).to_have_text("of 100")
    expect(page.locator(".hero .places")).to_have_text("")
    expect(page.locator(".hero .flows")).to_contain_text("Today 300 in · 220 out")
    cards = page.locator(".card")
    spoilt, fine = cards.filter(has_text="Hall"), cards.filter(has_text="Café")
    expect(spoilt.locator(".freshness .word")).to_have_text("Unreliable")
    expect(spoilt.locator(".freshness .details")).to_have_attribute("title", re.compile("1,118 more people"))
    expect(fine.locator(".level .word")).to_have_text("Full")
    relay.changes.append({"shop": feed(time.time(), inside=3, drift=drift | {"begun": False})})
    expect(page.locator(".hero .freshness .details")).to_have_text(
        re.compile(r"than come since (?!the count)")
    )
    relay.changes.append({"shop": feed(time.time(), inside=80)})
    expect(page.locator(".hero .level .word")).to_have_text("Filling")
    expect(page.locator(".hero .freshness .word")).to_have_text("Live")


def test_a_number_that_drift_spoilt_does_not_come_back_with_an_outage(
    page: Page, address: str, relay: ScriptedRelay
) -> None:
    now = time.time()
    drift = {"people": 1118, "since": now - 4 * 3600, "begun": True, "at": now - 600}
    relay.items = [HERO | TODAY, CARD]
    relay.usual = usual_day(today=[[now - 900, 80]], as_of=now, time_inside=1510.0)
    relay.feeds = {name: feed(now, inside=3, drift=drift) for name in ("shop", "shop/hall")}
    page.goto(address)
    expect(page.locator(".freshness .word")).to_have_text(["Unreliable"] * 2)
    expect(page.locator(".number")).to_have_text(["3", "3"])
    away = {"state": "offline", "reason": "the service cannot be reached", "since": now - 60}
    relay.changes.append({name: feed(now, inside=3, drift=drift, **away) for name in relay.feeds})
    expect(page.locator(".freshness .word")).to_have_text(["Offline"] * 2)
    expect(page.locator(".number")).to_have_text(["–", "–"])
    expect(page.locator(".share")).to_have_text(["of 100", "of 100"])
    expect(page.locator(".dial .fill:visible")).to_have_count(0)
    expect(page.locator(".hero .fullest, .hero .time-inside")).to_have_text(["", ""])
    expect(page.locator(".hero .details")).to_have_text(
        re.compile(
            "^since .+ · the service cannot be reached · the last number was unreliable · by .+, 1,118 "
        )
    )
    card = page.locator(".card .details")
    expect(card).to_have_text(re.compile(r"^since [^·]+ · the service cannot be reached$"))
    expect(card).to_have_attribute("title", re.compile("the last number was unreliable"))
    relay.changes.append({name: feed(now, inside=3, **away) for name in relay.feeds})
    expect(page.locator(".number")).to_have_text(["3", "3"])
    expect(page.locator(".share")).to_have_text(["was 3 % of 100"] * 2)


def test_titles_that_begin_alike_are_told_apart_and_cards_come_fullest_first(
    page: Page, address: str, relay: ScriptedRelay
) -> None:
    begin = "Department store Bahnhofstrasse, second floor, "
    cards = [
        CARD | {"feed": f"shop/{end}", "title": begin + end, "href": f"live?zone={end}"}
        for end in ("north", "south", "unknown")
    ]
    relay.items = [HERO, *cards]
    now = time.time()
    relay.feeds |= {
        "shop/north": feed(now, inside=20),
        "shop/south": feed(now, inside=70),
        "shop/unknown": feed(now, inside=99, state="offline"),
    }
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(address)
    expect(page.locator(".card .title")).to_have_text([begin + end for end in ("south", "north", "unknown")])
    expect(page.locator(".card .own")).to_have_text(["south", "north", "unknown"])
    for part, is_cut in (("own", False), ("shared", True)):
        node = page.locator(f".card .{part}").first
        assert node.evaluate("(part) => part.scrollWidth > part.clientWidth") == is_cut
    # Not at each count: a list that moves cannot be read.
    relay.changes.append({"shop/north": feed(now, inside=90)})
    expect(page.locator(".card").nth(1).locator(".number")).to_have_text("90")
    expect(page.locator(".card .own")).to_have_text(["south", "north", "unknown"])


def test_another_order_of_cards_keeps_the_focus_where_it_was(
    page: Page, address: str, relay: ScriptedRelay
) -> None:
    relay.items = [CARD, CARD | {"feed": "shop", "title": "Shop", "href": "live?site=shop"}]
    page.goto(address)
    page.locator(".card").first.focus()
    page.evaluate(
        "view.update(Object.assign({}, options, { items: options.items.slice().reverse(), token: 'next' }))"
    )
    expect(page.locator(".card .title")).to_have_text(["Shop", "Hall"])
    expect(page.locator(".card").nth(1)).to_be_focused()


def test_the_day_so_far_is_drawn_beside_a_typical_one_and_goes_on_with_the_stream(
    page: Page, address: str, relay: ScriptedRelay
) -> None:
    minute = int(time.time()) // 60 * 60
    relay.items = [HERO | TODAY, CARD | {"compares": True}]
    relay.usual = usual_day(today=[[minute - 600, 60], [minute - 300, 62]], as_of=minute)
    page.goto(address)
    day = page.locator(".hero .day")
    expect(day.locator(".caption")).to_have_text(
        f"Today, {NOON.removeprefix('Etc/')} · typical: the middle of 6 past Saturdays, holidays included"
    )
    expect(day.locator("text", has_text="typical Saturday")).to_be_visible()
    expect(day.locator("text", has_text="90 %")).to_be_visible()
    expect(day.locator("polyline.typical")).to_have_count(1)
    before = day.locator("polyline:not(.typical)").last.get_attribute("points")
    relay.changes.append({"shop": feed(time.time(), inside=99, points=[[minute, 99]])})
    expect(day.locator("polyline:not(.typical)").last).not_to_have_attribute("points", before or "")
    expect(day.locator("svg")).to_have_attribute(
        "aria-label", re.compile("Fullest today: 95 .*34 more than usual")
    )
    other = "{ locale: 'en-US', items: options.items.slice(0, 1) }"
    page.evaluate(f"view.update(Object.assign({{}}, options, {other}))")
    labels = day.locator("svg text", has_text=re.compile(r"\d\s(AM|PM)$"))
    expect(labels.first).to_be_attached()
    # At one go, with the search for them: the chart is drawn anew every ten seconds.
    are_whole = page.evaluate(
        r"""() => Array.from(document.querySelectorAll(".hero .day svg text"))
            .filter(label => /\d\s(AM|PM)$/.test(label.textContent))
            .map(label => {
                const [own, around] = [label, label.ownerSVGElement].map(one => one.getBoundingClientRect());
                return own.left >= around.left && own.right <= around.right;
            })"""
    )
    assert are_whole
    assert all(are_whole)


def test_without_a_day_to_draw_there_is_no_empty_chart(
    page: Page, address: str, relay: ScriptedRelay
) -> None:
    relay.items = [HERO | TODAY]
    relay.usual = {"feeds": {}, "missing": 1}
    page.goto(address)
    wait_until(lambda: bool(relay.usual_asked), page)
    expect(page.locator(".hero .number")).to_have_text("80")
    expect(page.locator(".hero .day")).to_be_hidden()


def test_while_it_is_connecting_nothing_is_said_about_what_was_counted(
    page: Page, address: str, relay: ScriptedRelay
) -> None:
    relay.feeds = {"shop": feed(time.time(), state="connecting", inside=None, points=[], confirmed_age=None)}
    page.goto(address)
    expect(page.locator(".hero .freshness .word")).to_have_text("Connecting")
    trend = page.locator(".hero .trend")
    expect(trend.locator("svg")).to_have_attribute("aria-label", "Connecting")
    expect(trend.locator(".empty")).to_have_text("")
    relay.changes.append({"shop": feed(time.time(), inside=None, points=[], measured_at=None)})
    expect(trend.locator(".empty")).to_have_text("No count was published in the last two hours.")
    # Who never counted has no level that could be unknown.
    never = page.locator(".hero .freshness .word").inner_text()
    expect(page.locator(".hero .level .word")).to_have_text(never)
