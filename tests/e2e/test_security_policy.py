"""The policy in a real browser: our pages break none of it, foreign pages and names get nowhere."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from screens import Composition, ScreenStore, View, ViewKind
from tests.e2e.conftest import Stage
from tests.e2e.whole_pages import rest
from tests.installed_browser import SPARING, launch_browser
from tests.running_dashboard import start_dashboard
from tests.small_site import store_counts

REFUSED = ("Content Security Policy", "Content-Security-Policy", "Refused to")


@pytest.fixture(scope="module")
def stage(shared_stage: Stage) -> Stage:
    """Shared, with counts of some hours."""
    count_for_hours(shared_stage)
    return shared_stage


@pytest.fixture
def violations(page: Page) -> list[str]:
    """What the browser says in its console of broken policies, in every frame."""
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text) if _tells_refusal(message.text) else None)
    return said


def _tells_refusal(text: str) -> bool:
    return any(part in text for part in REFUSED)


def count_for_hours(stage: Stage) -> None:
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    store_counts(
        stage.site.data_dir, [(now - timedelta(minutes=ago), "entrance", 3, 2) for ago in range(1, 400)]
    )


def all_views(stage: Stage) -> Composition:
    of_site = [kind for kind in ViewKind if kind is not ViewKind.SITES]
    views = [View(kind=kind, site_id=stage.site.site_id, seconds=5) for kind in of_site]
    return Composition(name="All", views=(*views, View(kind=ViewKind.SITES, seconds=5)))


def test_no_page_breaks_the_policy(page: Page, stage: Stage, violations: list[str]) -> None:
    page.goto(stage.url("/"))
    expect(page.get_by_text("Corner shop").first).to_be_visible()
    to_page(page, "Live")
    expect(page.locator(".hero .freshness .word")).to_have_text("Live")
    to_page(page, "Site")
    expect(page.locator(".graph a.zone[data-trusted=true]").first).to_be_visible()
    to_page(page, "History")
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    page.get_by_text("Table and files").click()
    expect(page.get_by_test_id("stDataFrame").first).to_be_visible()
    rest(page)
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
    with page.expect_download() as download:
        page.get_by_test_id("stDownloadButton").get_by_role("button", name="CSV").click()
    assert Path(download.value.path()).stat().st_size
    with page.expect_download() as download:
        page.get_by_role("button", name="Save chart as PNG").first.click()
    assert Path(download.value.path()).read_bytes().startswith(b"\x89PNG")
    to_page(page, "Connection")
    expect(page.get_by_role("heading", name="Connection")).to_be_visible()
    assert violations == []


def to_page(page: Page, name: str) -> None:
    """What breaks the policy of a page does so whether it was opened by its address or from another one."""
    page.get_by_role("link", name=name, exact=True).click()


def test_no_wall_and_no_preview_breaks_the_policy(page: Page, stage: Stage, violations: list[str]) -> None:
    store = ScreenStore(stage.dashboard.log_file.parent)
    made = store.create(all_views(stage))
    store.close()
    page.goto(stage.url(f"/screens?screen={made.id}"))
    preview = page.frame_locator("iframe[src*='/screen/']")
    expect(preview.locator("#wall .foot .word:not(:empty)")).to_be_visible()
    page.goto(stage.url(f"/screen/{made.token}"))
    page.wait_for_selector("#wall .foot .word:not(:empty)")
    page.goto(stage.url("/screen/nowhere"))
    expect(page.get_by_text("This screen is not in use.")).to_be_visible()
    assert violations == []


@contextmanager
def foreign_page(shown: str) -> Iterator[str]:
    """A page of another origin that shows `shown` in a frame."""

    class Intranet(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(f'<h1>Intranet</h1><iframe width=900 height=700 src="{shown}">'.encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Intranet)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("path", ["/screens", "/?embed=true", "/screen/nowhere"])
def test_foreign_page_cannot_show_the_dashboard_in_a_frame(
    page: Page, stage: Stage, violations: list[str], path: str
) -> None:
    with foreign_page(stage.url(path)) as address:
        page.goto(address)
        expect(page.get_by_role("heading", name="Intranet")).to_be_visible()
        assert [frame.url for frame in page.frames[1:]] == ["chrome-error://chromewebdata/"]
    assert any("frame-ancestors" in said for said in violations)


def test_named_intranet_may_show_a_page_in_a_frame(page: Page, stage: Stage, tmp_path: Path) -> None:
    with foreign_page("about:blank") as origin:
        environment = {
            "HEADROOM_BASE_URL": stage.service.base_url,
            "HEADROOM_API_KEY": stage.site.read_key,
            "HEADROOM_EMBED_ORIGINS": origin,
        }
        dashboard = start_dashboard(tmp_path / "embedded", environment=environment)
        try:
            page.goto(origin)
            page.evaluate(
                "address => { document.querySelector('iframe').src = address }",
                f"{dashboard.base_url}/live?site=corner-shop&embed=true",
            )
            word = page.frame_locator("iframe").locator(".hero .freshness .word")
            expect(word).not_to_be_empty()
        finally:
            dashboard.kill()


def test_foreign_name_that_points_here_gets_a_page_that_says_what_to_set(
    browser: Browser, stage: Stage
) -> None:
    """As after DNS rebinding; a name of the dashboard's own looks the same until it is configured."""
    port = stage.dashboard.base_url.rsplit(":", 1)[1]
    rebound = launch_browser(
        browser.browser_type, *SPARING, "--host-resolver-rules=MAP rebound.example 127.0.0.1"
    )
    page = rebound.new_page()
    answer = page.goto(f"http://rebound.example:{port}/screens")
    assert answer is not None
    assert answer.status == 421
    expect(page.get_by_text("HEADROOM_HOSTS=rebound.example")).to_be_visible()
    rebound.close()
