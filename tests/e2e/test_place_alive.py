"""The drawing of a place before a real service: who crosses is seen on the way, and nothing else moves."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.e2e.conftest import Stage
from tests.e2e.whole_pages import is_left_on, rest

WATCH = """() => {
  const frames = [...document.querySelectorAll("*")].map((host) => host.shadowRoot).filter(Boolean);
  const layer = frames.map((root) => root.querySelector(".people")).find(Boolean);
  const isWatched = Boolean(window.sent);
  window.sent = [];
  window.places = new Set();
  window.framesAsked = 0;
  if (isWatched) return;
  new MutationObserver((changes) => changes.forEach((change) => change.addedNodes.forEach((node) => {
    window.sent.push([node.getAttribute("class"), Number(node.getAttribute("r"))]);
  }))).observe(layer, { childList: true });
  new MutationObserver((changes) => changes.forEach((change) => {
    const node = change.target;
    if (node.hasAttribute("cx")) window.places.add(node.getAttribute("cx") + " " + node.getAttribute("cy"));
  })).observe(layer, { attributes: true, subtree: true, attributeFilter: ["cx", "cy"] });
  const ask = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (step) => { window.framesAsked += 1; return ask(step); };
}"""
"""Notes each dot that sets out, and where each was; and how often a frame is asked for. Anew, if it is
evaluated again.
"""

NODES = """() => [...document.querySelectorAll("*")].map((host) => host.shadowRoot).filter(Boolean)
  .map((root) => root.querySelector(".graph svg")).find(Boolean).querySelectorAll("*").length"""


def looked_at(page: Page, stage: Stage) -> None:
    """The Site page, once the passages were read, and all that happened before is told."""
    page.goto(stage.url("/site"))
    expect(page.locator(".read-at")).to_contain_text("In the last hour, read")
    rest(page)
    page.evaluate(WATCH)


def looked_at_once(page: Page, stage: Stage) -> None:
    """The same, as the test before has left it; all have arrived that it sent."""
    if not is_left_on(page, stage.url("/site")):
        looked_at(page, stage)
    expect(page.locator(".people circle")).to_have_count(0)
    page.evaluate(WATCH)


def numbers_of(page: Page, passage: str) -> Callable[[str], None]:
    entry = page.locator(".ways li").filter(has_text=passage).locator(".crossed")
    return lambda text: expect(entry).to_have_text(text)


def told(page: Page, passage: str) -> tuple[int, int]:
    """This way and back, in the last hour; none yet is nobody."""
    text = page.locator(".ways li").filter(has_text=passage).locator(".crossed").inner_text()
    found = re.fullmatch(r"(\d+) this way, (\d+) back", text)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def test_who_crosses_travels_along_the_passage_in_their_direction(shared_stage: Stage, page: Page) -> None:
    looked_at(page, shared_stage)
    forward, backward = told(page, "Archway")
    nodes = page.evaluate(NODES)
    shared_stage.post(3, 1, passage="archway")
    numbers_of(page, "Archway")(f"{forward + 3} this way, {backward + 1} back")
    page.wait_for_function("() => window.sent.length === 4")
    kinds = sorted(kind for kind, _ in page.evaluate("window.sent"))
    assert kinds == ["person backward", *["person forward"] * 3]
    expect(page.locator(".people circle")).to_have_count(0)  # they have arrived
    assert page.evaluate("window.places.size") > 8
    assert page.evaluate(NODES) == nodes
    lane = page.locator(".way", has=page.locator("title", has_text="Archway")).locator(".lane.forward")
    assert lane.evaluate("(node) => getComputedStyle(node).display") != "none"


def test_nothing_moves_and_no_frame_is_asked_for_while_nobody_crosses(
    shared_stage: Stage, page: Page
) -> None:
    looked_at_once(page, shared_stage)
    page.wait_for_timeout(4_000)
    assert page.evaluate("window.sent") == []
    assert page.evaluate("window.framesAsked") < 15  # each second, and each message, one


def test_of_forty_people_a_few_heavier_dots_travel(shared_stage: Stage, page: Page) -> None:
    looked_at_once(page, shared_stage)
    shared_stage.post(40, passage="archway")
    page.wait_for_function("() => window.sent.length > 0")
    expect(page.locator(".people circle")).to_have_count(0)
    sent = page.evaluate("window.sent")
    assert len(sent) == 6
    assert min(radius for _, radius in sent) > 7


def test_a_line_tells_its_numbers_when_it_is_pointed_at_in_focus_or_pressed(
    shared_stage: Stage, page: Page
) -> None:
    looked_at_once(page, shared_stage)
    way = page.locator(".way", has=page.locator("title", has_text="Entrance: from outside"))
    pointed = page.locator(".pointed")
    expect(pointed).to_contain_text("Point at one")
    way.focus()
    expect(pointed).to_contain_text("Entrance: from outside to Hall: ")
    expect(page.locator(".ways li[data-pointed=true]")).to_contain_text("Entrance")
    page.keyboard.press("ArrowRight")
    expect(pointed).to_contain_text("Archway: from Hall to Café: ")
    page.keyboard.press("ArrowLeft")
    expect(pointed).to_contain_text("Entrance: from outside to Hall: ")
    page.keyboard.press("Tab")  # past all of them
    expect(page.locator(".graph a.zone").first).to_be_focused()
    page.locator("h1").click()
    expect(pointed).to_contain_text("Point at one")
    way.locator(".reach").dispatch_event("click")
    expect(pointed).to_contain_text("Entrance: from outside to Hall: ")
    name = page.get_by_role("img", name="Entrance: from outside to Hall: ")
    expect(name).to_have_count(1)


def test_who_wants_nothing_to_move_gets_numbers_alone(shared_stage: Stage, page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    try:
        looked_at(page, shared_stage)
        forward, backward = told(page, "Archway")
        shared_stage.post(2, passage="archway")
        numbers_of(page, "Archway")(f"{forward + 2} this way, {backward} back")
        assert page.evaluate("window.sent") == []
    finally:
        page.emulate_media(reduced_motion="null")


def test_who_crossed_while_the_tab_was_hidden_does_not_follow_when_it_is_shown(
    shared_stage: Stage, page: Page
) -> None:
    looked_at(page, shared_stage)
    forward, backward = told(page, "Archway")
    hide = """(isHidden) => {
      Object.defineProperty(document, "hidden", { configurable: true, get: () => isHidden });
      document.dispatchEvent(new Event("visibilitychange"));
    }"""
    page.evaluate(hide, True)
    shared_stage.post(5, passage="archway")
    page.wait_for_timeout(9_000)
    assert told(page, "Archway") == (forward, backward)
    page.evaluate(hide, False)
    numbers_of(page, "Archway")(f"{forward + 5} this way, {backward} back")
    assert page.evaluate("window.sent") == []
    shared_stage.post(1, passage="archway")
    page.wait_for_function("() => window.sent.length === 1")


def test_numbers_grey_when_nobody_reads_them_any_more(stage: Stage, page: Page) -> None:
    looked_at(page, stage)
    stage.post(3)
    numbers_of(page, "Entrance")("3 this way, 0 back")
    expect(page.locator(".graph[data-crossings=true]")).to_have_count(1)
    stage.dashboard.stop()
    expect(page.locator(".graph[data-crossings=false]")).to_have_count(1)
    expect(page.locator(".read-at")).to_contain_text("Not read since")
