"""What the History page's chart says where one points at it, in a real browser of two countries."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import PATIENCE, Stage
from tests.e2e.wall import until
from tests.e2e.whole_pages import rest
from tests.small_site import store_counts
from tests.soaking import mostly_in_the_soak

LINK = "/history?site=corner-shop&range=24h&metric=entrances&granularity=hour&compare=period"
DAY = {
    "en-US": r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), [A-Z][a-z]+ \d+(, \d{4})?, \d+:00\s[AP]M–\d+:00\s[AP]M",
    "de-DE": r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun),? \d+ [A-Z][a-z]+( \d{4})?, \d\d:00–\d\d:00",
}


def point_at_the_chart(page: Page) -> list[str]:
    """At a quarter of the way from the right, in the middle; what the bubbles say, without the names."""
    rest(page)
    bubbles = page.locator(".hoverlayer .hovertext")

    def point() -> bool:
        """What is drawn anew is pointed at anew."""
        area = page.locator(".draglayer .xy .nsewdrag").bounding_box()
        assert area
        page.mouse.move(area["x"] + area["width"] / 2, area["y"] + area["height"] / 2)
        page.mouse.move(area["x"] + 0.75 * area["width"], area["y"] + area["height"] / 2)
        page.wait_for_timeout(500)
        return bubbles.count() == 2

    until(page, point)
    return bubbles.locator("text").all_text_contents()


def the_toolbar_is_not_on_a_phone(page: Page) -> None:
    """There it lies on the title of the chart."""
    bar = page.locator(".modebar-container").first
    expect(bar).not_to_have_css("display", "none")
    page.set_viewport_size({"width": 390, "height": 844})
    expect(bar).to_have_css("display", "none")


@pytest.fixture
def counted(stage: Stage) -> Stage:
    """Two a minute for two days, so that each hour has one a day before."""
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    counts = [(now - timedelta(minutes=n), "entrance", 2, 0) for n in range(5, 49 * 60)]
    store_counts(stage.site.data_dir, counts)
    return stage


@pytest.mark.parametrize("locale", mostly_in_the_soak(DAY, "en-US"))
def test_each_bubble_has_its_own_day_and_the_axis_has_none(
    browser: Browser, counted: Stage, locale: str
) -> None:
    context = browser.new_context(locale=locale, timezone_id="Europe/Zurich", reduced_motion="reduce")
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(counted.url(LINK))
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    said = point_at_the_chart(page)
    days = [re.match(DAY[locale], text) for text in said]
    assert all(days), said
    assert len({found[0] for found in days if found}) == 2, said
    assert all(text.endswith("120 came in") for text in said), said
    expect(page.locator(".hoverlayer .axistext")).to_have_count(0)
    the_toolbar_is_not_on_a_phone(page)
    context.close()
