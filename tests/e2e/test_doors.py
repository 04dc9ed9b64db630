"""Somebody at a door with a phone: nothing that was tapped is lost, whatever happens to page and network."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import Final
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from tests.e2e.conftest import PATIENCE, Stage, forget
from tests.e2e.whole_pages import is_left_on, rest
from tests.running_dashboard import RunningDashboard, start_dashboard
from tests.small_site import count

KEPT = "headroom-door-check"
EARLIER = """() => {
  const count = JSON.parse(localStorage.getItem("headroom-door-check"));
  count.began -= 240000;
  count.taps.forEach((tap) => (tap[0] -= 120000));
  localStorage.setItem("headroom-door-check", JSON.stringify(count));
}"""
"""As if it had begun four minutes earlier, and all had passed two minutes earlier."""


PHONE: Final[ViewportSize] = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def phone_of_module(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(has_touch=True, locale="en-GB", timezone_id="Europe/Zurich")
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()


@pytest.fixture
def phone(phone_of_module: Page) -> Page:
    """One for all tests, which keeps nothing of the one before."""
    forget(phone_of_module)
    phone_of_module.set_viewport_size(PHONE)
    return phone_of_module


@contextmanager
def closing_dashboard(dashboard: RunningDashboard) -> Iterator[None]:
    try:
        yield
    finally:
        dashboard.kill()


def shows(phone: Page, came: int, went: int) -> None:
    expect(phone.locator(".tap.in .number")).to_have_text(str(came))
    expect(phone.locator(".tap.out .number")).to_have_text(str(went))


def touch(phone: Page, button: Locator) -> None:
    """With a finger, wherever it lands: Playwright's own look for what is inert knows no modal dialogs."""
    expect(button).to_be_visible()
    box = button.bounding_box()
    assert box
    phone.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def twice(phone: Page, button: Locator) -> None:
    """At the same place, whatever stands there by then."""
    expect(button).to_be_visible()
    box = button.bounding_box()
    assert box
    for _ in range(2):
        phone.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def tap(phone: Page, way: str, times: int = 1) -> None:
    for _ in range(times):
        touch(phone, phone.locator(f".tap.{way}"))


def post(stage: Stage, ago: int, forward: int, backward: int, door: str = "entrance") -> None:
    minute = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(minutes=ago)
    httpx.post(
        f"{stage.service.base_url}/ingest/counts",
        json=[count(minute, forward, backward, door)],
        headers=stage.site.ingest_headers,
        timeout=PATIENCE / 1000,
    ).raise_for_status()


def test_a_count_of_another_door_is_led_back_to_and_discarded_by_a_second_press(
    phone: Page, shared_stage: Stage
) -> None:
    """A second press of the same moment counts nobody who lies below it, and discards nothing."""
    phone.goto(shared_stage.url("/doors?site=corner-shop&door=entrance"))
    twice(phone, phone.get_by_role("button", name="Start counting"))
    tap(phone, "in")
    phone.goto(shared_stage.url("/doors?site=corner-shop&door=terrace"))
    expect(phone.get_by_text("In this browser a count at Entrance is not finished (1 tap).")).to_be_visible()
    phone.get_by_role("link", name="Go on there").tap()
    shows(phone, 1, 0)
    phone.goto(shared_stage.url("/doors?site=corner-shop&door=terrace"))
    twice(phone, phone.get_by_role("button", name="Discard"))
    phone.get_by_role("button", name="Really discard 1 tap?").press("Enter")
    expect(phone.get_by_role("button", name="Start counting")).to_be_visible()


def at_entrance(phone: Page, stage: Stage) -> None:
    """Where the test before has left it, if it has: the page sees that no count is kept any more."""
    if not is_left_on(phone, stage.url("/doors?site=corner-shop&door=entrance")):
        phone.goto(stage.url("/doors?site=corner-shop&door=entrance"))
    expect(phone.get_by_role("button", name="Start counting")).to_be_visible()


def test_who_stops_too_soon_is_told_and_can_go_on(phone: Page, shared_stage: Stage) -> None:
    at_entrance(phone, shared_stage)
    phone.get_by_role("button", name="Start counting").tap()
    tap(phone, "in")
    # Two seconds, however near to a minute's end.
    phone.evaluate(
        """() => {
          const count = JSON.parse(localStorage.getItem("headroom-door-check"));
          const minute = 60000 * Math.ceil((count.began + count.ahead) / 60000) - count.ahead;
          count.began = minute - 58000;
          count.ended = minute - 56000;
          localStorage.setItem("headroom-door-check", JSON.stringify(count));
        }"""
    )
    expect(phone.get_by_text("until one is over there is nothing to compare. The first")).to_be_visible()
    phone.get_by_role("button", name="Compare with the counter").tap()
    expect(phone.get_by_text("You stood there for no whole minute of the clock")).to_be_visible()
    phone.get_by_role("button", name="Go on counting").tap()
    shows(phone, 1, 0)


def focused(phone: Page) -> Locator:
    return phone.locator(".door-taps :focus")


def keep(phone: Page, change: str) -> None:
    """As if the phone had counted for four minutes until now; `change` alters that count."""
    phone.evaluate(
        """([name, change]) => {
          const now = Date.now();
          const count = {
            id: "abcd-1234", site: "corner-shop", door: "entrance", label: "Entrance", began: now - 241000,
            ended: now - 1000, ahead: 0, taps: [[now - 120000, 1], [now - 110000, 1], [now - 100000, -1]],
          };
          localStorage.setItem(name, JSON.stringify(new Function("count", change)(count)));
        }""",
        [KEPT, change],
    )


def discard(phone: Page) -> None:
    """The question stands for seconds: on a busy machine it may be over before it is answered."""
    for _ in range(10):
        phone.get_by_role("button", name="Discard").tap()
        with suppress(PlaywrightTimeout):
            phone.get_by_role("button", name=re.compile("^Really discard")).press("Enter", timeout=3_000)
            return


NOT_TO_BE_COMPARED: Final = (
    (
        "count.taps = Array(20001).fill(count.taps[0]); return count",
        "cannot be read. It is still in the browser",
    ),
    ("count.ahead = -9e12; return count", "The clock of this device is known to"),
    ("count.ahead = 60000; return count", "The clock of this device was changed by about 60 s"),
    ("count.ahead = -600000; return count", "The clock of this device is known to 300 s only"),
)
"""Too many taps, a clock of another age, one set forward, one set back; and what is said of it."""


def test_a_count_that_cannot_be_compared_says_why_and_stays(phone: Page, shared_stage: Stage) -> None:
    """Each time the page is as it was opened, once the count before is discarded."""
    at_entrance(phone, shared_stage)
    for change, said in NOT_TO_BE_COMPARED:
        expect(phone.get_by_role("button", name="Start counting")).to_be_visible()
        keep(phone, change)
        phone.get_by_role("button", name="Compare with the counter").tap()
        expect(phone.get_by_role("status").filter(has_text=said)).to_be_visible()
        expect(phone.get_by_text("The dashboard does not answer")).to_have_count(0)
        expect(phone.get_by_role("button", name="Compare with the counter")).to_be_enabled()
        assert phone.evaluate("key => localStorage.getItem(key)", KEPT)
        discard(phone)


DAMAGED: Final = (
    ("count.taps.push(null); return count", 2, 1),
    ("count.taps.push(['x', 1]); return count", 2, 1),
    ("return {taps: [null]}", 0, 0),
    ("return {taps: []}", 0, 0),
    ("delete count.label; return count", 2, 1),
    ("count.began = 'yesterday'; return count", 2, 1),
    ("count.id = '../X'; return count", 2, 1),
    ("return [5]", 0, 0),
    ("return null", 0, 0),
)
"""How, and how many in and out can be read of it."""


def test_a_damaged_count_is_told_with_what_can_be_read_of_it_and_discarded(
    phone: Page, shared_stage: Stage
) -> None:
    """Each time the page is as it was opened, once the count before is discarded."""
    errors: list[str] = []
    phone.on("pageerror", lambda error: errors.append(str(error)))
    at_entrance(phone, shared_stage)
    for change, came, went in DAMAGED:
        expect(phone.get_by_role("button", name="Start counting")).to_be_visible()
        keep(phone, change)
        expect(phone.get_by_text("The count that this browser keeps is damaged")).to_be_visible()
        expect(phone.get_by_text(f"Of its taps {came} in and {went} out can be read")).to_be_visible()
        expect(phone.get_by_role("button", name="Start counting")).to_be_hidden()
        discard(phone)
        expect(phone.get_by_role("button", name="Start counting")).to_be_visible()
        assert phone.evaluate("key => localStorage.getItem(key)", KEPT) is None
    assert errors == []


def test_the_keyboard_goes_on_in_what_takes_the_place_of_what_was_pressed(
    phone: Page, shared_stage: Stage
) -> None:
    """After those in which nothing is kept of this count."""
    stage = shared_stage
    at_entrance(phone, stage)
    phone.get_by_role("button", name="Start counting").press("Enter")
    expect(phone.get_by_text("The first whole minute of the clock is over in")).to_be_visible()
    phone.locator(".tap.in").press("Enter")
    shows(phone, 1, 0)
    phone.get_by_role("button", name="Undo: In").press("Enter")
    expect(focused(phone)).to_have_text("Entrance")
    phone.locator(".tap.out").press("Enter")
    phone.get_by_role("button", name="Stop").press("Enter")
    expect(focused(phone)).to_contain_text("You counted 0 in and 1 out in")
    phone.get_by_role("button", name="Go on counting").press("Enter")
    expect(focused(phone)).to_be_visible()
    phone.get_by_role("button", name="Stop").press("Enter")
    keep(phone, "return count")
    for ago in range(1, 8):
        post(stage, ago, *((2, 1) if ago == 2 else (0, 0)))
    phone.get_by_role("button", name="Compare with the counter").press("Enter")
    expect(phone.get_by_text("The last count is compared and kept")).to_be_visible()
    expect(focused(phone)).to_contain_text("Stand at this door")
    phone.get_by_role("button", name="Start counting").press("Enter")
    phone.get_by_role("button", name="Stop").press("Enter")
    phone.get_by_role("button", name="Discard").press("Enter")
    phone.wait_for_timeout(700)  # longer than two presses of one hand are apart
    phone.get_by_role("button", name="Really discard 0 taps?").press("Enter")
    expect(focused(phone)).to_contain_text("Stand at this door")


def test_taps_outlive_a_reload_and_an_outage_and_are_compared_once(phone: Page, shared_stage: Stage) -> None:
    """The last: it ends what all share. At a door at which no test before has counted."""
    stage = shared_stage
    phone.goto(stage.url("/doors?site=corner-shop&door=archway"))
    phone.get_by_role("button", name="Start counting").tap()
    expect(phone.get_by_role("dialog", name="Counting at Archway")).to_be_visible()
    tap(phone, "in", 3)
    tap(phone, "out", 2)
    shows(phone, 3, 2)
    phone.get_by_role("button", name="Undo: Out").tap()
    shows(phone, 3, 1)
    phone.reload()
    shows(phone, 3, 1)
    rest(phone)
    phone.keyboard.press("Escape")
    phone.locator(".tap.in").press("Enter")
    shows(phone, 4, 1)
    stage.dashboard.kill()
    expect(phone.get_by_text("Connection error")).to_be_attached()  # Streamlit's, over its whole page
    tap(phone, "in", 2)
    shows(phone, 6, 1)
    touch(phone, phone.get_by_role("button", name="Stop", include_hidden=True))
    phone.get_by_role("button", name="Compare with the counter").tap()
    expect(
        phone.get_by_text("The dashboard does not answer. The count stays in this browser")
    ).to_be_visible()
    configured = {"HEADROOM_BASE_URL": stage.service.base_url, "HEADROOM_API_KEY": stage.site.read_key}
    port = urlsplit(stage.dashboard.base_url).port
    with closing_dashboard(
        start_dashboard(stage.dashboard.log_file.parent, environment=configured, port=port)
    ):
        phone.evaluate(EARLIER)
        for ago in range(1, 8):
            post(stage, ago, *((5, 1) if ago == 2 else (0, 0)), "archway")
        phone.reload()
        phone.get_by_role("button", name="Compare with the counter").tap()
        expect(phone.get_by_role("heading", name="The last check")).to_be_visible()
        expect(phone.get_by_text("Counted 5 of 6 in")).to_be_visible()
        expect(phone.get_by_role("button", name="Start counting")).to_be_visible()
        assert phone.evaluate("key => localStorage.getItem(key)", KEPT) is None
        assert phone.evaluate("document.documentElement.scrollWidth") <= 390
