"""The gauge alone, in a real browser, before a relay that says what each test tells it to."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.told_relay import ToldRelay, feed, serving

HERO = {
    "feed": "shop",
    "kind": "hero",
    "title": "Shop",
    "subtitle": "",
    "capacity": 100,
    "href": None,
    "timezone": "Europe/Zurich",
}
CARD = HERO | {"feed": "shop/hall", "kind": "card", "title": "Hall", "href": "live?site=shop&zone=hall"}


def wait_until(holds: Callable[[], bool], page: Page | None = None) -> None:
    """Give the browser (whose events arrive only while it is waited for) and the relay time."""
    deadline = time.monotonic() + 20
    while not holds() and time.monotonic() < deadline:
        if page:
            page.wait_for_timeout(50)
        else:
            time.sleep(0.05)
    assert holds()


@pytest.fixture
def relay() -> ToldRelay:
    told = ToldRelay()
    told.items = [HERO]
    told.feeds = {"shop": feed(time.time()), "shop/hall": feed(time.time(), inside=95)}
    return told


@pytest.fixture
def address(relay: ToldRelay) -> Iterator[str]:
    with serving(relay) as url:
        yield url


def test_a_live_value_shows_its_share_its_places_and_its_level(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.locator(".hero .number")).to_have_text("80")
    expect(page.locator(".hero .share")).to_have_text("80 % of 100")
    expect(page.locator(".hero .places")).to_have_text("20 places left")
    expect(page.locator(".hero .level .word")).to_have_text("Filling")
    expect(page.locator(".hero .standing .word")).to_have_text("Live")
    expect(page.locator(".hero .flows")).to_contain_text("Today 300 in · 220 out")


def test_a_change_moves_the_number_and_the_line(page: Page, address: str, relay: ToldRelay) -> None:
    page.goto(address)
    expect(page.locator(".hero .number")).to_have_text("80")
    relay.changes.append({"shop": feed(time.time(), inside=97, points=[[int(time.time()) // 60 * 60, 97]])})
    expect(page.locator(".hero .number")).to_have_text("97")
    expect(page.locator(".hero .level .word")).to_have_text("Full")
    expect(page.locator(".hero .trend svg")).to_have_attribute("aria-label", re.compile("most 97"))


def test_a_quiet_place_is_trusted_when_a_check_confirms_it(
    page: Page, address: str, relay: ToldRelay
) -> None:
    relay.feeds["shop"] = feed(time.time(), measured_at=int(time.time()) - 1200, confirmed_age=12)
    page.goto(address)
    expect(page.locator(".hero .standing .word")).to_have_text("Quiet")
    expect(page.locator(".hero .standing .details")).to_contain_text("unchanged since")
    expect(page.locator(".hero .level .word")).to_have_text("Filling")


@pytest.mark.parametrize(
    ("state", "word"),
    [
        ("late", "Late"),
        ("reconnecting", "Reconnecting"),
        ("offline", "Offline"),
        ("refused", "Refused"),
        ("connecting", "Connecting"),
        ("something new", "something new"),
    ],
)
def test_an_old_number_never_looks_live(
    page: Page, address: str, relay: ToldRelay, state: str, word: str
) -> None:
    relay.feeds["shop"] = feed(
        time.time(), state=state, reason="the key is revoked", request_id="4711", next="asking again"
    )
    page.goto(address)
    expect(page.locator(".hero .standing .word")).to_have_text(word)
    expect(page.locator(".hero .level .word")).to_have_text("Unknown")
    expect(page.locator(".hero")).to_have_attribute("data-trusted", "false")
    expect(page.locator(".hero .number")).to_have_text("80")
    expect(page.locator(".hero .places")).to_have_text("")
    if state != "connecting":
        expect(page.locator(".hero .standing .details")).to_contain_text("the key is revoked")
        expect(page.locator(".hero .standing .details")).to_contain_text("request id 4711")


def test_a_live_value_that_nobody_confirms_is_late(page: Page, address: str, relay: ToldRelay) -> None:
    relay.feeds["shop"] = feed(time.time(), confirmed_age=500)
    page.goto(address)
    expect(page.locator(".hero .standing .word")).to_have_text("Late")
    expect(page.locator(".hero .level .word")).to_have_text("Unknown")


def test_a_relay_that_falls_silent_greys_the_number_and_is_asked_again(
    page: Page, address: str, relay: ToldRelay
) -> None:
    page.clock.install()
    page.goto(address)
    page.clock.run_for(1000)
    expect(page.locator(".hero .standing .word")).to_have_text("Live")
    relay.is_silent = True
    time.sleep(0.3)
    page.clock.run_for(45_000)
    expect(page.locator(".hero .standing .word")).to_have_text("No connection to Headroom")
    expect(page.locator(".hero .standing .details")).to_contain_text("since")
    expect(page.locator(".hero .level .word")).to_have_text("Unknown")
    expect(page.locator(".hero .measured")).to_contain_text("ago")
    relay.is_silent = False
    deadline = time.monotonic() + 20
    while page.locator(".hero .standing .word").inner_text() != "Live" and time.monotonic() < deadline:
        page.clock.run_for(5_000)
        time.sleep(0.1)
    expect(page.locator(".hero .standing .word")).to_have_text("Live")


def test_ages_do_not_depend_on_the_wall_clock_of_the_machine(
    page: Page, address: str, relay: ToldRelay
) -> None:
    page.clock.set_fixed_time("2001-01-01T00:00:00")
    page.goto(address)
    expect(page.locator(".hero .standing .word")).to_have_text("Live")
    expect(page.locator(".hero .measured")).to_have_text(
        re.compile(r"Measured \d\d:\d\d · (just now|\d+ s ago)")
    )


def test_ten_updates_keep_one_connection(page: Page, address: str, relay: ToldRelay) -> None:
    page.goto(address)
    expect(page.locator(".hero .number")).to_have_text("80")
    for turn in range(10):
        page.evaluate(
            "turn => window.view.update(Object.assign({}, window.options, {token: 'again' + turn}))", turn
        )
    expect(page.locator(".hero .number")).to_have_text("80")
    assert (relay.connections, relay.opened) == (1, 1)


def test_other_feeds_open_another_connection_and_leave_the_first(
    page: Page, address: str, relay: ToldRelay
) -> None:
    page.goto(address)
    expect(page.locator(".hero .number")).to_have_text("80")
    page.evaluate("items => window.view.update(Object.assign({}, window.options, {items}))", [HERO, CARD])
    expect(page.locator(".card .number")).to_have_text("95")
    wait_until(lambda: relay.connections == 1)
    assert relay.opened == 2


def test_a_closed_view_leaves_nothing_open(page: Page, address: str, relay: ToldRelay) -> None:
    page.goto(address)
    expect(page.locator(".hero .number")).to_have_text("80")
    page.evaluate("window.view.close(); window.view.close()")
    wait_until(lambda: relay.connections == 0)
    assert page.locator("#root").inner_text() == ""


def test_an_expired_view_reloads_itself_once_and_then_says_so(
    page: Page, address: str, relay: ToldRelay
) -> None:
    relay.refuses = True
    loads: list[str] = []
    page.on("load", lambda loaded: loads.append(loaded.url))
    page.goto(address)
    wait_until(lambda: len(loads) == 2, page)
    expect(page.locator(".hero .standing .word")).to_have_text("This view has expired")
    page.wait_for_timeout(1500)
    assert len(loads) == 2


def test_a_gap_stays_a_gap_and_the_running_minute_is_unfinished(
    page: Page, address: str, relay: ToldRelay
) -> None:
    minute = int(time.time()) // 60 * 60
    points = [[minute - 60 * ago, 50] for ago in range(60, -1, -1) if not 20 < ago < 30]
    relay.feeds["shop"] = feed(time.time(), points=points)
    page.goto(address)
    expect(page.locator(".hero .trend polyline.line:not(.unfinished)")).to_have_count(2)
    expect(page.locator(".hero .trend circle.dot.unfinished")).to_have_count(1)


def test_a_place_without_a_told_capacity_has_no_share(page: Page, address: str, relay: ToldRelay) -> None:
    relay.items = [HERO | {"capacity": None}]
    page.goto(address)
    expect(page.locator(".hero .number")).to_have_text("80")
    expect(page.locator(".hero .share")).to_have_text("Capacity not told")
    expect(page.locator(".hero .dial")).to_have_attribute("role", "img")


def test_a_gauge_is_a_meter_for_who_cannot_see_it(page: Page, address: str) -> None:
    page.goto(address)
    meter = page.get_by_role("meter", name="Shop")
    expect(meter).to_have_attribute("aria-valuenow", "80")
    expect(meter).to_have_attribute("aria-valuemax", "100")
    expect(meter).to_have_attribute("aria-valuetext", "Shop: 80 inside, 80 % of 100, Filling, Live")


def test_a_card_is_a_link_that_the_keyboard_reaches(page: Page, address: str, relay: ToldRelay) -> None:
    relay.items = [HERO, CARD]
    page.goto(address)
    expect(page.locator(".card .number")).to_have_text("95")
    page.keyboard.press("Tab")
    focused: Any = page.evaluate("document.activeElement.getAttribute('href')")
    assert focused == "live?site=shop&zone=hall"


@pytest.mark.parametrize("kind", ["hero", "card"])
def test_a_time_zone_that_the_browser_does_not_know_is_read_as_utc_and_said(
    page: Page, address: str, relay: ToldRelay, kind: str
) -> None:
    """As an old browser has it with a zone of a new name: Intl throws a RangeError."""
    relay.items = [HERO | {"kind": kind, "timezone": "Europe/Kyiv_of_2040"}]
    page.goto(address)
    expect(page.locator(".number")).to_have_text("80")
    expect(page.locator("main, body").first).to_contain_text(
        "times are UTC: this browser does not know Europe/Kyiv_of_2040"
    )


def test_a_locale_that_is_none_is_the_browsers_own(page: Page, address: str, relay: ToldRelay) -> None:
    relay.locale = "not a locale"
    page.goto(address)
    expect(page.locator(".hero .number")).to_have_text("80")


def test_a_number_that_no_place_holds_stays_inside_its_card(
    page: Page, address: str, relay: ToldRelay
) -> None:
    relay.items = [CARD | {"title": "x" * 80, "capacity": 1e300}]
    relay.feeds["shop/hall"] = feed(time.time(), inside=123456789012)
    page.goto(address)
    expect(page.locator(".card .number")).to_have_text("123,456,789,012")
    card = page.locator(".card")
    assert card.evaluate("card => card.scrollWidth <= card.clientWidth")
