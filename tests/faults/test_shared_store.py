"""Two dashboards that share a database, as on two machines: what is done at one holds at the other."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from playwright.sync_api import Page, expect

from keeping import Place
from screens import SharedViewers
from tests.hung_screen import hang_screen
from tests.running_dashboard import RunningDashboard
from tests.running_postgresql import postgresql_url, running_postgresql
from tests.two_dashboards import PATIENCE, two_dashboards


@contextmanager
def wall(dashboard: RunningDashboard, token: str) -> Iterator[Iterator[str]]:
    """The lines of a screen's stream."""
    url = f"{dashboard.base_url}/screen/{token}/stream"
    with httpx.stream("GET", url, timeout=PATIENCE) as answer:
        assert answer.status_code == 200
        lines = answer.iter_lines()
        next(lines)
        yield lines


def until_counted(place: Place, viewers: int) -> None:
    """Until as many are written down: the list of screens, read anew every ten seconds, is not waited for."""
    deadline = time.monotonic() + PATIENCE
    while sum(map(len, SharedViewers(place).others().values())) < viewers:
        assert time.monotonic() < deadline
        time.sleep(0.2)


def store_of(dashboard: RunningDashboard) -> object:
    return httpx.get(f"{dashboard.base_url}/readyz", timeout=PATIENCE).json()["store"]


def test_what_is_done_at_one_dashboard_holds_at_the_other(page: Page, tmp_path: Path) -> None:
    with two_dashboards(tmp_path, postgresql_url(tmp_path)) as deployed:
        deployed.post(5, minutes=180)
        token = hang_screen(deployed.place)
        first, second = deployed.dashboards
        with wall(first, token), wall(second, token), wall(second, token) as lines:
            until_counted(deployed.place, 3)
            page.goto(f"{first.base_url}/screens")
            expect(page.get_by_text("3 viewers now")).to_be_visible(timeout=PATIENCE * 1000)
            page.get_by_role("button", name="Revoke").click()
            page.get_by_role("button", name="Revoke now").click()
            assert any('"revoked"' in line for line in lines)
        assert httpx.get(f"{second.base_url}/screen/{token}", timeout=PATIENCE).status_code == 404

        page.goto(f"{first.base_url}/history?site=corner-shop")
        page.get_by_text("Notes", exact=True).click()
        page.get_by_label("What happened").fill("sale begins")
        page.get_by_label("What happened").press("Enter")
        page.get_by_role("button", name="Keep this note").click()
        expect(page.get_by_text("Kept: ")).to_be_visible()
        page.goto(f"{second.base_url}/history?site=corner-shop")
        expect(page.get_by_text("sale begins").first).to_be_visible()

        for dashboard in deployed.dashboards:
            store = store_of(dashboard)
            assert isinstance(store, dict)
            assert (store["reached"], store["differences"]) == (True, [])


def test_letters_that_are_being_typed_stay_when_the_database_goes_and_comes_back(
    page: Page, tmp_path: Path
) -> None:
    server = running_postgresql()
    with two_dashboards(tmp_path, postgresql_url(tmp_path)) as deployed:
        deployed.post(5, minutes=180)
        page.goto(f"{deployed.dashboards[0].base_url}/history?site=corner-shop")
        page.get_by_text("Notes", exact=True).click()
        page.get_by_text("The day before", exact=True).click()
        expect(page.get_by_text("in either period")).to_be_visible()
        note = page.get_by_label("What happened")
        note.press_sequentially("half ")
        server.stop()
        try:
            # As who looks at something else meanwhile: no key tells the dashboard what was typed.
            page.get_by_text("4 weeks before", exact=True).evaluate("pill => pill.click()")
            expect(page.get_by_text("The notes: what was read at ")).to_be_visible()
            expect(note).to_have_value("half ")
            note.press_sequentially("a note")
        finally:
            server.start()
        expect(page.get_by_text("what was read at ")).to_have_count(0, timeout=PATIENCE * 1000)
        expect(note).to_have_value("half a note")
        page.get_by_role("button", name="Keep this note").click()
        expect(page.get_by_text("Kept: ")).to_be_visible()


def test_dashboards_that_sign_with_different_secrets_say_so_on_the_page_and_in_the_log(
    page: Page, tmp_path: Path
) -> None:
    with two_dashboards(tmp_path, postgresql_url(tmp_path), "of the second alone") as deployed:
        deployed.post(5, minutes=3)
        first, second = deployed.dashboards
        page.goto(f"{first.base_url}/connection")
        said = page.get_by_text("has another HEADROOM_SECRET than this one, at ")
        expect(said).to_be_visible(timeout=PATIENCE * 1000)
        for dashboard in (first, second):
            assert "dashboards are not set up alike" in dashboard.log()
            assert "has another HEADROOM_SECRET than this one" in dashboard.log()
            assert "of the second alone" not in dashboard.log()

        # As behind one address: the page is of the first, its stream comes to the second.
        page.route(
            f"{first.base_url}/live/stream**",
            lambda route: route.continue_(url=route.request.url.replace(first.base_url, second.base_url)),
        )
        page.goto(f"{first.base_url}/live?site=corner-shop")
        expect(page.get_by_text("it was signed with another HEADROOM_SECRET").first).to_be_visible()
