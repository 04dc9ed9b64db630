"""The Connection page, left open in a browser while the service comes and goes."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.e2e.conftest import Stage
from tests.running_service import start_service


def test_an_outage_and_its_end_are_noticed_by_the_page_itself(new_page: Page, stage: Stage) -> None:
    new_page.clock.install()
    new_page.goto(stage.url("/connection"))
    expect(new_page.get_by_text("The service answers.")).to_be_visible()
    stage.service.kill()
    new_page.clock.fast_forward("00:31")
    expect(new_page.get_by_text("The check cannot be shown.")).to_be_visible()
    expect(new_page.get_by_text("The service answers.")).to_have_count(0)
    back = start_service(stage.site.data_dir, port=stage.service.port)
    try:
        new_page.clock.fast_forward("00:31")
        expect(new_page.get_by_text("The service answers.")).to_be_visible()
    finally:
        back.kill()


def test_places_keep_their_names_and_have_one_since_while_the_service_is_away(
    page: Page, stage: Stage
) -> None:
    page.goto(stage.url("/live?site=corner-shop"))
    expect(page.locator(".hero")).to_have_attribute("data-state", "live")
    stage.service.kill()
    expect(page.locator(".hero")).not_to_have_attribute("data-state", "live")
    # In a tab of its own: what nobody looks at any more is not told of.
    page = page.context.new_page()
    page.goto(stage.url("/connection"))
    expect(page.get_by_text("The check cannot be shown.")).to_be_visible()
    places = page.locator("[data-testid=stDataFrame] tbody tr")
    expect(places.filter(has_text="Corner shop")).to_have_count(3)
    expect(places.filter(has_text=re.compile("corner-shop|hall"))).to_have_count(0)
    expect(places.filter(has_text="Corner shop, Hall")).to_have_text(re.compile("[0-9]{1,2}:[0-9]{2}(?!:)"))
