"""The Connection page, left open in a browser while the service comes and goes."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.e2e.conftest import Stage
from tests.running_service import start_service


def test_an_outage_and_its_end_are_noticed_by_the_page_itself(page: Page, stage: Stage) -> None:
    page.clock.install()
    page.goto(stage.url("/connection"))
    expect(page.get_by_text("The service answers.")).to_be_visible()
    stage.service.kill()
    page.clock.fast_forward("00:31")
    expect(page.get_by_text("The check cannot be shown.")).to_be_visible()
    expect(page.get_by_text("The service answers.")).to_have_count(0)
    back = start_service(stage.site.data_dir, port=stage.service.port)
    try:
        page.clock.fast_forward("00:31")
        expect(page.get_by_text("The service answers.")).to_be_visible()
    finally:
        back.kill()
