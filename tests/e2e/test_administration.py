"""Somebody administers in a browser: a counter is placed and watched, a key is made and revoked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

import httpx
from playwright.sync_api import Page, ViewportSize, expect

from tests.administered import Administered, axis_report
from tests.e2e.conftest import PATIENCE, WINDOW, Stage
from tests.e2e.wall import until
from tests.e2e.whole_pages import bring, rest
from tests.running_dashboard import start_dashboard
from tests.running_service import free_port
from tests.small_site import count

SERIAL = "ACCC8E00000A"
PHONE: Final[ViewportSize] = {"width": 390, "height": 844}
DRAWN = "1 zone and 1 passage. Front door: from outside to Main street."
THERE = ZoneInfo("Europe/Zurich")
"""Where the browser says that it is."""


def test_a_counter_appears_by_itself_is_placed_and_its_crossings_are_seen(
    page: Page, staged: tuple[Stage, Administered]
) -> None:
    """Nothing is reloaded: the page notices the first report, and what is told after it was placed."""
    stage, managed = staged
    bring(page, stage.url("/counters"))
    expect(page.get_by_text("No counter has reported yet.")).to_be_visible()
    minute = datetime.now(UTC).replace(second=0, microsecond=0)
    managed.report(SERIAL, 30, 15, start=minute - timedelta(minutes=30))
    expect(page.get_by_text("A counter that nobody has placed")).to_contain_text(SERIAL)
    page.get_by_text("In leads from Hall to outside").click()
    rest(page)
    page.get_by_role("button", name="Place it").click()
    expect(page.get_by_text("Of the reports that had waited, 1 counted.")).to_be_visible()
    (hung,) = managed.sensors()
    assert hung["placement"] == {"passageId": "entrance", "isSwapped": True}
    page.get_by_role("button", name="Test crossing").click()
    expect(page.get_by_text("Nothing told since")).to_be_visible()
    rest(page)
    # Told as of now by a counter whose quarter is over: this very minute, and some before.
    managed.report(SERIAL, 30, 15, start=datetime.now(UTC) - timedelta(minutes=14, seconds=50))
    expect(page.get_by_text(" in, ").first).to_contain_text("since", timeout=3 * PATIENCE)
    page.get_by_role("link", name="The gauge of Corner shop").click()
    expect(page.locator(".hero .measured:not(:empty)")).to_be_visible()


def test_a_number_that_somebody_else_sets_by_hand_is_marked_with_the_next_look(
    page: Page, staged: tuple[Stage, Administered]
) -> None:
    stage, managed = staged
    ago = (datetime.now(UTC) - timedelta(minutes=minutes) for minutes in range(30))
    address, headers = f"{managed.service.base_url}/ingest/counts", managed.site.ingest_headers
    httpx.post(address, headers=headers, json=[count(at, 2, 1) for at in ago]).raise_for_status()
    page.goto(stage.url("/live?zone=hall"))  # anew: a page that is open asks for its day again after minutes
    curve = page.locator(".trend.day:visible")
    expect(curve).to_be_visible(timeout=3 * PATIENCE)
    body = {"zoneId": "hall", "visitorsInside": 777, "reason": "we counted"}
    address = f"{managed.service.base_url}/admin/sites/corner-shop/corrections"
    headers = {"x-api-key": managed.admin_key}
    made = httpx.post(address, headers=headers, json=body).raise_for_status().json()["data"]
    mark = page.locator(".day-notes li", has_text="set to 777 by hand: we counted")
    expect(mark).to_be_visible(timeout=2 * PATIENCE)
    httpx.delete(f"{address}/{made['number']}", headers=headers).raise_for_status()
    expect(mark).to_have_count(0, timeout=2 * PATIENCE)


def test_a_key_is_made_copied_used_and_revoked(page: Page, staged: tuple[Stage, Administered]) -> None:
    stage, managed = staged
    # All of it is in sight: a list of options closes when the page scrolls.
    page.set_viewport_size({"width": 1280, "height": 1400})
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    bring(page, stage.url("/keys"))
    page.get_by_label("What it is for").fill("Till")
    page.get_by_label("What it is for").press("Enter")
    rest(page)
    page.get_by_role("button", name="Make the key").press("Enter")
    expect(page.get_by_role("heading", name="The key “Till” exists")).to_be_visible()
    rest(page)
    expect(page.get_by_test_id("stCode")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Copy to clipboard").click()
    secret = str(page.evaluate("navigator.clipboard.readText()"))
    assert status_with(managed, secret) == 200
    page.get_by_role("button", name="Close: I have the key").click()
    expect(page.get_by_test_id("stCode")).to_have_count(0)
    rest(page)
    page.reload()
    expect(page.get_by_role("heading", name="One key")).to_be_visible()
    rest(page)
    page.get_by_role("combobox", name="Key").click()
    page.get_by_role("option", name="Till").click()
    rest(page)
    page.get_by_role("button", name="Revoke").click()
    page.get_by_role("button", name="Revoke now").click()
    expect(page.get_by_text("it is refused from the next request on")).to_be_visible()
    assert status_with(managed, secret) == 401
    assert secret not in stage.dashboard.log()


def test_a_key_is_made_once_however_often_it_is_pressed(
    page: Page, staged: tuple[Stage, Administered]
) -> None:
    """The second press ends the run of the first, at times after the key was made and before it was shown."""
    stage, managed = staged
    bring(page, stage.url("/keys"))
    for milliseconds in (10, 50):
        name = f"Pressed twice after {milliseconds} ms"
        written(page, "What it is for", name)
        page.get_by_role("button", name="Make the key").evaluate(
            "(button, after) => { button.click(); setTimeout(() => button.click(), after); }", milliseconds
        )
        expect(page.get_by_role("heading", name=f"The key “{name}” exists")).to_be_visible()
        rest(page)
        assert [one["name"] for one in managed.listed_keys()].count(name) == 1
        assert status_with(managed, page.get_by_test_id("stCode").inner_text().strip()) == 200
        page.get_by_role("button", name="Close: I have the key").click()
        rest(page)


def status_with(managed: Administered, secret: str) -> int:
    address = f"{managed.service.base_url}/v3/sites"
    return httpx.get(address, headers={"x-api-key": secret}, timeout=PATIENCE / 1000).status_code


def written(page: Page, label: str, text: str) -> None:
    """Into a field, which is left then."""
    page.get_by_label(label).fill(text)
    page.get_by_label(label).press("Tab")
    rest(page)


def test_a_capacity_that_is_changed_on_setup_reaches_a_live_page_that_is_open(
    page: Page, staged: tuple[Stage, Administered]
) -> None:
    """Somebody changes it meanwhile; nobody reloads."""
    stage, managed = staged
    bring(page, stage.url("/live?zone=hall"))
    expect(page.locator(".hero .measured:not(:empty)")).to_be_visible()
    address = f"{managed.service.base_url}/admin/sites/corner-shop"
    headers = {"x-api-key": managed.admin_key}
    kept = httpx.get(address, headers=headers, timeout=PATIENCE / 1000).raise_for_status()
    form = kept.json()["data"]
    form["zones"] = [one | {"capacity": 4321.0} for one in form["zones"]]
    httpx.put(
        address, json=form, headers=headers | {"If-Match": kept.headers["etag"]}, timeout=PATIENCE / 1000
    ).raise_for_status()
    expect(page.locator(".hero")).to_contain_text("4,321", timeout=3 * PATIENCE)


def test_from_nothing_to_a_gauge_that_moves(page: Page, tmp_path: Path) -> None:
    """As somebody new does it: no demo, a site with a door, a key, a counter that reports, and the gauge."""
    port = free_port()
    environment = {"HEADROOM_DEMO": "off", "HEADROOM_SERVICE_PORT": str(port)}
    dashboard = start_dashboard(tmp_path / "dashboard", environment=environment)
    try:
        page.goto(f"{dashboard.base_url}/setup")
        expect(page.get_by_text("There is no site yet.")).to_be_visible()
        written(page, "Name of the site", "Main street")
        page.get_by_role("button", name="Begin").click()
        written(page, "Capacity (people)", "40")
        # Half a day from now, so that all that is reported here counts at whatever hour this runs.
        written(page, "Counts begin at 0 at (hour)", str((datetime.now(THERE).hour + 12) % 24))
        written(page, "New passage", "Front door")
        page.get_by_role("button", name="Add this passage").click()
        page.set_viewport_size(PHONE)
        field = page.get_by_test_id("stNumberInput").filter(has=page.get_by_label("Capacity (people)"))
        until(
            page, lambda: field.evaluate("field => field.clientWidth / innerWidth") > 0.8, told="of a phone"
        )
        page.set_viewport_size(WINDOW)
        expect(page.get_by_label("Passage", exact=True)).to_have_value("Front door")
        expect(page.locator("[data-testid=stImage] img")).to_have_attribute("alt", DRAWN)
        page.get_by_role("button", name="Store this site").click()
        expect(page.get_by_text("Main street is stored")).to_be_visible()
        rest(page)
        page.get_by_test_id("stMain").get_by_role("link", name="Keys").click()
        page.get_by_text("hands in counts").click()
        written(page, "What it is for", "Front door")
        page.get_by_role("button", name="Make the key").click()
        secret = page.get_by_test_id("stCode").inner_text().strip()
        minute = datetime.now(UTC).replace(second=0, microsecond=0)
        answer = httpx.post(
            f"http://127.0.0.1:{port}/ingest/axis-3d",
            json=axis_report(SERIAL, minute - timedelta(minutes=20), 12, 5),
            headers={"x-api-key": secret},
            timeout=PATIENCE / 1000,
        )
        assert answer.json()["data"] == {"waiting": 1}
        bring(page, f"{dashboard.base_url}/counters")
        page.get_by_role("button", name="Place it").click()
        expect(page.get_by_text("Of the reports that had waited, 1 counted.")).to_be_visible()
        bring(page, f"{dashboard.base_url}/live")
        expect(page.locator(".hero .number")).to_have_text("7")
        expect(page.locator(".hero")).to_contain_text("of 40")
    finally:
        dashboard.stop()
