"""The report of a day as it is opened from a file and printed on A4."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Browser, expect

from components.number_format import Formats
from components.reports.day_report import day_report
from gauge.levels import Thresholds
from tests.components.reports.test_day_report import reported

PAPER = {"width": 718, "height": 1027}
"""Pixels between margins of 13 mm on A4 at 96 to an inch, rounded up to those of its width."""


def test_a_report_opens_from_a_file_without_a_network_and_each_site_begins_a_page(
    browser: Browser, tmp_path: Path
) -> None:
    file = tmp_path / "report.html"
    days = [(reported(name), Thresholds()) for name in ("Shop", "Café", "Hall")]
    file.write_bytes(day_report(days, {}, Formats()))
    page = browser.new_page(viewport={"width": PAPER["width"], "height": PAPER["height"]})
    asked: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(file.as_uri())
    page.emulate_media(media="print")
    expect(page.locator("section .main-svg .trace").first).to_be_attached()
    expect(page.locator("section .js-plotly-plot")).to_have_count(3)
    boxes = page.eval_on_selector_all(
        "figure, table", "all => all.map(one => [one.tagName, one.getBoundingClientRect().toJSON()])"
    )
    figures = [box for name, box in boxes if name == "FIGURE"]
    assert all(0 < box["height"] < PAPER["height"] for box in figures), "each fits on a page, uncut"
    assert all(box["right"] <= PAPER["width"] for _, box in boxes)
    kept = page.eval_on_selector_all("figure", "all => all.map(one => getComputedStyle(one).breakInside)")
    assert kept == ["avoid"] * 3
    begun = page.eval_on_selector_all("section", "all => all.map(one => getComputedStyle(one).breakBefore)")
    assert begun == ["auto", "page", "page"], "wherever the charts' library puts drawings of its own"
    names = page.eval_on_selector_all("h1", "all => all.map(one => getComputedStyle(one).breakAfter)")
    assert names == ["avoid"] * 3, "no name stands alone at the foot of a page"
    paper = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", paper)) == 3
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert errors == []
    page.close()


def test_on_a_phone_a_report_is_read_without_moving_it_sideways(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_bytes(day_report([(reported("Shop"), Thresholds())], {}, Formats()))
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(file.as_uri())
    expect(page.locator("section .main-svg .trace").first).to_be_attached()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    ends = page.eval_on_selector_all(
        "h1, p, table", "all => all.map(one => one.getBoundingClientRect()).map(one => [one.left, one.right])"
    )
    assert all(left >= 16 and right <= 374 for left, right in ends)
    page.close()
