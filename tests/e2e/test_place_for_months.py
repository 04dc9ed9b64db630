"""The drawing of a place by itself, as a wall loads it: no Streamlit, and for as long as a wall hangs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import gauge
from analysis.zone_graph import zone_graph
from gauge.levels import words_and_colours
from tests.e2e.scripted_relay import feed
from tests.mall_site import mall_site

NOW = 1_780_000_000
MALL = mall_site(3, 3)
DRAW = """(seen) => {
  window.link.feeds.passages = {
    read_age: 1, reason: "", receivedAt: monotonic(),
    passages: Object.fromEntries(window.ids.map((id) => [id, [seen, 2, seen, 0]])),
  };
  window.drawing.draw(window.link, window.options);
}"""
ROUNDS = (
    """(rounds) => {
  const draw = """
    + DRAW
    + """;
  for (let round = 0; round < rounds; round += 1) draw(window.seen += 1);
}"""
)


def place() -> dict[str, Any]:
    graph = zone_graph(MALL)
    zones = [
        {"feed": zone.id, "title": zone.name, "timezone": "Europe/Zurich", "capacity": 100, "href": "#"}
        for zone in MALL.zones
    ]
    return graph.data() | {"zones": zones, "crossings": "passages", "timezone": "Europe/Zurich"}


@pytest.fixture
def drawn(new_page: Page) -> Page:
    """The drawing with 80 of 100 people in each zone, on a page whose clock stands still."""
    new_page.clock.install(time=NOW)
    feeds = {zone.id: feed(NOW) | {"receivedAt": 0} for zone in MALL.zones}
    new_page.set_content(
        f"<style>{gauge.style()}{gauge.place_style()}</style><div id=root class=headroom></div>"
        f"<script>{gauge.script()}\n{gauge.place_script()}\n"
        f"window.link = {{feeds: {json.dumps(feeds)}, isOpen: true, heardAt: 0, lostAt: null,"
        f" hasExpired: false, serverNow: () => {NOW}, retryIn: () => null}};"
        f"window.options = {{locale: 'en-GB', thresholds: {{filling: 70, full: 90}},"
        f" levels: {json.dumps(words_and_colours())}}};"
        f"window.graph = {json.dumps(place())}; window.seen = 0;"
        "window.ids = window.graph.ways.flatMap((way) => way.passages);"
        "window.drawing = graphInto(document.getElementById('root'), window.graph);</script>"
    )
    new_page.evaluate(DRAW, 0)
    return new_page


def nodes(page: Page) -> int:
    return int(page.evaluate("() => document.querySelectorAll('*').length"))


def test_a_wall_can_load_the_drawing_by_itself(drawn: Page) -> None:
    expect(drawn.locator(".graph a.zone[data-filled='80'] .number").first).to_have_text("80")
    drawn.evaluate(DRAW, 3)
    expect(drawn.locator(".ways li").first).to_contain_text("3 this way, 2 back")
    expect(drawn.locator(".people circle")).to_have_count(3 * len(MALL.passages))


@pytest.mark.soak
def test_after_thousands_of_crossings_nothing_is_left_and_nothing_runs(drawn: Page) -> None:
    before = nodes(drawn)
    for _ in range(3):
        drawn.evaluate(ROUNDS, 700)
        assert drawn.locator(".people circle").count() <= 60
        drawn.clock.run_for(7_000)
    assert drawn.locator(".people circle").count() == 0
    assert nodes(drawn) == before
    asked = """() => {
      window.asked = 0;
      const ask = window.requestAnimationFrame;
      window.requestAnimationFrame = (step) => { window.asked += 1; return ask(step); };
    }"""
    drawn.evaluate(asked)
    drawn.evaluate(ROUNDS.replace("window.seen += 1", "window.seen"), 50)
    drawn.clock.run_for(5_000)
    assert drawn.evaluate("() => window.asked") == 0


def test_a_drawing_of_another_width_takes_the_place_of_the_first(drawn: Page) -> None:
    before = nodes(drawn)
    for width in (390, 1280) * 4:
        drawn.set_viewport_size({"width": width, "height": 800})
        drawn.evaluate(ROUNDS, 2)
    drawn.clock.run_for(7_000)
    assert nodes(drawn) == before
    drawn.evaluate(ROUNDS, 1)
    drawn.evaluate("() => window.drawing.close()")
    assert drawn.locator(".people circle").count() == 0
