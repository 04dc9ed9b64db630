"""What is chosen can be read on a phone, too."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Stage
from tests.e2e.whole_pages import bring, rest


@pytest.mark.parametrize("name", ["history", "live", "ahead"])
def test_the_site_has_the_width_of_the_phone_since_names_may_differ_at_their_end(
    page: Page, shared_stage: Stage, name: str
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    bring(page, shared_stage.url(f"/{name}?site=corner-shop"))
    box = page.locator(".st-key-choose-site .stSelectbox")
    expect(box).to_be_visible()
    rest(page)
    found = box.bounding_box()
    assert found is not None
    assert found["width"] > 0.85 * 390
