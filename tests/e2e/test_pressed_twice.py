"""Whoever presses twice in a moment is answered as if they had pressed once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.administered import Administered
from tests.e2e.conftest import PATIENCE, Stage
from tests.e2e.whole_pages import is_left_on, rest
from tests.small_site import count
from tests.soaking import in_the_soak

of_two_moments = pytest.mark.parametrize("moment", [30, *in_the_soak(80)])
"""Milliseconds between two presses: the second comes while what the first asked for is sent."""


@pytest.fixture(scope="module", autouse=True)
def _somebody_was_counted(staged: tuple[Stage, Administered]) -> None:
    stage, managed = staged
    told = count(datetime.now(UTC) - timedelta(minutes=10), 2, 1)
    address = f"{stage.service.base_url}/ingest/counts"
    httpx.post(address, headers=managed.site.ingest_headers, json=[told]).raise_for_status()


@pytest.mark.soak
@of_two_moments
def test_a_number_is_set_by_hand_once(page: Page, staged: tuple[Stage, Administered], moment: int) -> None:
    stage, managed = staged
    page.goto(stage.url("/live?zone=hall"))
    page.get_by_text("Set by hand", exact=True).first.click()
    before = len(corrections(managed))
    written(page, "People inside", str(moment // 10))
    written(page, "Why", "we counted")
    twice(page.get_by_role("button", name="Set by hand", exact=True), moment)
    expect(page.get_by_test_id("stAlert").filter(has_text=f"{moment // 10}")).to_be_visible()
    rest(page)
    assert (moment, len(corrections(managed))) == (moment, before + 1)


def test_two_presses_confirm_nothing_that_is_asked_after_the_first(
    page: Page, staged: tuple[Stage, Administered]
) -> None:
    """On the page that the test before has left."""
    stage, managed = staged
    before = len(corrections(managed))
    if not is_left_on(page, stage.url("/live?zone=hall")):
        page.goto(stage.url("/live?zone=hall"))
        page.get_by_text("Set by hand", exact=True).first.click()
    written(page, "People inside", "4000")
    written(page, "Why", "we counted")
    page.get_by_role("button", name="Set by hand", exact=True).dblclick(delay=60)
    expect(page.get_by_role("button", name="Set it all the same")).to_be_visible()
    rest(page)
    assert len(corrections(managed)) == before
    page.get_by_role("button", name="Set it all the same").click()
    expect(page.get_by_role("button", name="Set it all the same")).to_have_count(0)
    rest(page)
    assert len(corrections(managed)) == before + 1


@of_two_moments
def test_a_note_is_kept_once(page: Page, staged: tuple[Stage, Administered], moment: int) -> None:
    stage, _ = staged
    to_page(page, stage, "History")
    page.get_by_text("Notes", exact=True).click()
    text = f"Sale after {moment}"
    written(page, "What happened", text)
    twice(page.get_by_role("button", name="Keep this note"), moment)
    expect(page.get_by_test_id("stAlert").filter(has_text=text)).to_be_visible()
    rest(page)
    expect(page.get_by_role("button", name=f"{text}")).to_have_count(1)


@of_two_moments
def test_a_screen_is_created_once_and_its_link_is_shown(
    page: Page, staged: tuple[Stage, Administered], moment: int
) -> None:
    stage, _ = staged
    to_page(page, stage, "Screens")
    name = f"Wall after {moment}"
    page.get_by_role("button", name="Compose a screen").click()
    written(page, "Name", name)
    twice(page.get_by_role("button", name="Create the screen"), moment)
    expect(page.get_by_role("heading", name=f"The screen “{name}” exists")).to_be_visible()
    rest(page)
    expect(page.get_by_role("heading", name=name, exact=True)).to_have_count(1)


@of_two_moments
def test_a_site_is_stored_once_and_not_refused_as_changed_by_somebody_else(
    page: Page, staged: tuple[Stage, Administered], moment: int
) -> None:
    stage, managed = staged
    page.goto(stage.url("/setup?set_up=corner-shop"))
    rest(page)
    capacity = page.get_by_label("Capacity").first
    capacity.fill(str(100 + moment))
    capacity.press("Tab")
    rest(page)
    expect(capacity).to_have_value(str(100 + moment))
    twice(page.get_by_role("button", name="Store this site"), moment)
    rest(page)
    expect(page.get_by_text("Corner shop is stored")).to_be_visible()
    expect(page.get_by_text("Not done")).to_have_count(0)
    assert capacities(managed)[0] == 100 + moment


@of_two_moments
def test_a_counter_is_placed_once_and_what_its_reports_became_is_told(
    page: Page, staged: tuple[Stage, Administered], moment: int
) -> None:
    stage, managed = staged
    serial = f"ACCC8E0000{moment}"
    managed.report(serial, 30, 15, start=datetime.now(UTC) - timedelta(minutes=45))
    page.goto(stage.url("/counters"))
    expect(page.get_by_text("A counter that nobody has placed")).to_contain_text(serial)
    rest(page)
    twice(page.get_by_role("button", name="Place it"), moment)
    expect(page.get_by_text("Of the reports that had waited, 1 counted.")).to_be_visible()
    rest(page)
    expect(page.get_by_text("Of the reports that had waited, 1 counted.")).to_be_visible()


def to_page(page: Page, stage: Stage, name: str) -> None:
    """From the page that the test before has left, if it left one of the dashboard."""
    if not page.url.startswith(stage.url()):
        page.goto(stage.url())
    page.get_by_role("link", name=name, exact=True).click()
    expect(page.get_by_role("heading", level=1, name=name)).to_be_visible()
    rest(page)


def twice(button: Locator, moment: int) -> None:
    button.evaluate(
        "(button, moment) => { button.click(); setTimeout(() => button.click(), moment); }", moment
    )


def written(page: Page, label: str, text: str) -> None:
    """Into a field, which is left then."""
    field = page.get_by_label(label, exact=True).locator("visible=true")
    field.fill(text)
    field.press("Tab")
    rest(page)


def capacities(managed: Administered) -> list[float | None]:
    """Of the zones, as the service keeps them."""
    address = f"{managed.service.base_url}/admin/sites/corner-shop"
    answer = httpx.get(address, headers={"x-api-key": managed.admin_key}, timeout=PATIENCE / 1000)
    return [zone["capacity"] for zone in answer.raise_for_status().json()["data"]["zones"]]


def corrections(managed: Administered) -> list[Any]:
    now = datetime.now(UTC)
    address = f"{managed.service.base_url}/admin/sites/corner-shop/corrections"
    bounds = {"from": (now - timedelta(hours=1)).isoformat(), "to": (now + timedelta(hours=1)).isoformat()}
    answer = httpx.get(
        address, params=bounds, headers={"x-api-key": managed.admin_key}, timeout=PATIENCE / 1000
    )
    found: list[Any] = answer.raise_for_status().json()["data"]
    return found
