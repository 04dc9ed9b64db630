"""A day that is typed is the one that the page is of."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from playwright.sync_api import Page, expect

from tests.e2e.conftest import Stage
from tests.e2e.whole_pages import bring, rest


def test_enter_takes_the_day_that_was_typed_and_closes_the_calendar(page: Page, shared_stage: Stage) -> None:
    bring(page, shared_stage.url("/replay?site=corner-shop"))
    box = page.get_by_test_id("stDateInput")
    expect(box).to_be_visible()
    rest(page)
    day = datetime.now(UTC).date() - timedelta(days=9)
    box.get_by_role("spinbutton").first.click()
    expect(page.get_by_role("grid")).to_be_visible()
    page.keyboard.type(f"{day:%d%m%Y}", delay=50)
    page.keyboard.press("Enter")
    expect(page.get_by_role("grid")).to_have_count(0)
    expect(page).to_have_url(re.compile(f"day={day.isoformat()}"))
    expect(box.locator("[role=spinbutton]:focus")).to_have_count(1)
