"""Where the History page's chart names what the place can hold, in a real browser."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Stage
from tests.e2e.whole_pages import DRAWN, is_left_on, rest
from tests.small_site import store_counts
from tests.soaking import in_the_soak

LINK = "/history?site=corner-shop&range=24h&granularity=hour&aggregation=maximum&metric=visitorsInside"
MEASURE_ON_PAPER = """(width) => matchMedia("print").addEventListener("change", () => {
  document.documentElement.style.width = width + "px";  // at once: no chart has heard of it
  const names = [...document.querySelectorAll(".annotation-text")];
  window.reached = Math.max(...names.map((name) => name.getBoundingClientRect().right));
  document.documentElement.style.width = "";
}, { once: true })"""
"""How far right the words of a chart will reach once it is printed."""
A4 = 718
"""Pixels between the margins of upright paper."""
BOXES = """(plot, names) => ['.annotation-text', '.shapelayer path', '.main-svg'].map(
  part => [...plot.querySelectorAll(part)]
    .filter(node => part !== '.annotation-text' || names.includes(node.textContent))
    .map(node => node.getBoundingClientRect().toJSON()))"""
"""In one look: a chart that fits itself anew moves all of them."""
NAMES = ["Capacity", "Full 90\N{NO-BREAK SPACE}%", "Filling 70\N{NO-BREAK SPACE}%"]


@pytest.fixture(scope="module")
def nearly_full(shared_stage: Stage) -> Stage:
    """95 of 100 inside from twenty hours ago until the daily reset."""
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    nobody = [(now - timedelta(minutes=n), "entrance", 0, 0) for n in range(5, 25 * 60) if n != 20 * 60]
    store_counts(shared_stage.site.data_dir, [*nobody, (now - timedelta(hours=20), "entrance", 95, 0)])
    return shared_stage


@pytest.mark.parametrize("width", [1280, *in_the_soak(390)])
def test_each_limit_is_named_beside_its_own_line_and_beside_the_plot(
    page: Page, nearly_full: Stage, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 1400})
    open_once(page, nearly_full)
    plot = page.locator(".js-plotly-plot")
    named = plot.locator(".annotation-text", has_text="Capacity").or_(plot.get_by_text(" %", exact=False))
    expect(named).to_have_text(NAMES)
    names, lines, (picture, *_) = plot.evaluate(BOXES, NAMES)
    assert len(lines) == len(names)
    for name, line in zip(names, lines, strict=True):
        assert abs((name["top"] + name["bottom"]) / 2 - line["top"]) < 3
        assert line["right"] < name["left"]
        assert name["right"] <= picture["right"]
    assert all(upper["bottom"] <= lower["top"] + 1 for upper, lower in itertools.pairwise(names))


def open_once(page: Page, stage: Stage) -> None:
    """The page that the test before has left, if it left one; its chart is drawn for the window by then."""
    if not is_left_on(page, stage.url("/history")):
        page.goto(stage.url(LINK))
        expect(page.locator(".annotation-text", has_text="Capacity")).to_be_visible()
    rest(page)
    page.wait_for_function(DRAWN, polling=100)


def test_the_names_of_limits_are_whole_on_paper(page: Page, nearly_full: Stage) -> None:
    open_once(page, nearly_full)
    page.evaluate(MEASURE_ON_PAPER, A4)
    page.emulate_media(media="print")
    page.wait_for_function("() => window.reached")  # a function: the policy forbids to evaluate a text
    assert 0.9 * A4 < page.evaluate("window.reached") <= A4
