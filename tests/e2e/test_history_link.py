"""A link reproduces a view of the History page, in a real browser."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page, expect

from tests.e2e.conftest import Stage
from tests.small_site import store_counts

LINK = (
    "/history?site=corner-shop&range=24h&metric=entrances&zone=hall&zone=cafe"
    "&granularity=hour&compare=period&timezone=Etc%2FUTC"
)


def count_three_hours(stage: Stage) -> None:
    minute = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(hours=4)
    counts = [(minute + timedelta(minutes=n), "entrance", 2, 0) for n in range(180)]
    store_counts(stage.site.data_dir, counts)


def parameters(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def expect_the_view(page: Page) -> None:
    expect(page.get_by_text("Times are local to Etc/UTC.")).to_be_visible()
    expect(page.get_by_text("Hall:", exact=True)).to_be_visible()
    expect(page.locator(".js-plotly-plot")).to_have_count(1)
    expect(page.locator(".js-plotly-plot").get_by_text("sum per hour")).to_be_visible()


def test_a_link_restores_the_view_and_keeps_its_parameters(stage: Stage, page: Page) -> None:
    count_three_hours(stage)
    page.goto(stage.url(LINK))
    expect_the_view(page)
    found = parameters(page)
    assert found["zone"] == ["hall", "cafe"]
    assert found["compare"] == ["period"]
    assert found["timezone"] == ["Etc/UTC"]


def test_a_choice_changes_the_link_and_a_reload_keeps_it(stage: Stage, page: Page) -> None:
    count_three_hours(stage)
    page.goto(stage.url(LINK))
    expect_the_view(page)
    page.get_by_label("Range").click()
    page.get_by_role("option", name="Last hour").click()
    page.wait_for_url(lambda url: "range=1h" in url)
    page.reload()
    expect(page.get_by_label("Range")).to_have_value("Last hour")
    assert parameters(page)["zone"] == ["hall", "cafe"]


def test_a_click_on_a_zone_of_the_graph_opens_it(stage: Stage, page: Page) -> None:
    page.goto(stage.url("/site?site=corner-shop"))
    zones = page.locator(".js-plotly-plot .scatterlayer .point")
    expect(zones).to_have_count(2)
    zones.first.click(force=True)
    page.wait_for_url(lambda url: "/live" in url and "zone=hall" in url)
