"""The dashboard below a path, as `server.baseUrlPath` or a proxy puts it, in a real browser."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.running_dashboard import RunningDashboard, start_dashboard
from tests.running_service import START_DEADLINE, STOP_DEADLINE, free_port, start_service
from tests.small_site import create_small_site
from tests.soaking import in_the_soak

PREFIX = "/shop"
PROXY = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        location {prefix}/ {{
            proxy_pass {dashboard}/;
            proxy_http_version 1.1;
            proxy_buffering off;
            proxy_set_header Host $http_host;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection upgrade;
        }}
    }}
}}
"""
"""One that takes the path away."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of a dashboard that reads it."""
    site = create_small_site(tmp_path_factory.mktemp("service"))
    started = start_service(site.data_dir)
    yield {"HEADROOM_BASE_URL": started.base_url, "HEADROOM_API_KEY": site.read_key}
    started.kill()


@pytest.fixture(scope="module", params=["a proxy", *in_the_soak("the setting")])
def prefixed(
    request: pytest.FixtureRequest, service: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The address of the server under which the dashboard stands below `PREFIX`."""
    folder: Path = tmp_path_factory.mktemp("prefixed")
    with ExitStack() as stack:
        if request.param == "the setting":
            setting = {"STREAMLIT_SERVER_BASE_URL_PATH": PREFIX.strip("/")}
            dashboard = start_dashboard(folder, environment=service | setting)
            stack.callback(dashboard.kill)
            yield dashboard.base_url
        else:
            nginx = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
            assert nginx, "nginx is not installed: scripts/nginx does it"
            dashboard = start_dashboard(folder, environment=service)
            stack.callback(dashboard.kill)
            yield stack.enter_context(proxied(nginx, folder, dashboard))


@contextmanager
def proxied(nginx: str, folder: Path, dashboard: RunningDashboard) -> Iterator[str]:
    port = free_port()
    configuration = folder / "nginx.conf"
    configuration.write_text(
        PROXY.format(folder=folder, port=port, prefix=PREFIX, dashboard=dashboard.base_url)
    )
    process = subprocess.Popen([nginx, "-c", str(configuration), "-e", str(folder / "error.log")])
    address = f"http://127.0.0.1:{port}"
    try:
        wait_for(f"{address}{PREFIX}/healthz")
        yield address
    finally:
        process.terminate()
        process.wait(STOP_DEADLINE)


def wait_for(address: str) -> None:
    deadline = time.monotonic() + START_DEADLINE
    while time.monotonic() < deadline:
        with suppress(httpx.TransportError):
            if httpx.get(address).is_success:
                return
        time.sleep(0.1)
    raise TimeoutError(address)


def test_a_card_of_the_overview_opens_the_live_page_below_the_path_and_its_stream_connects(
    prefixed: str, page: Page
) -> None:
    page.goto(f"{prefixed}{PREFIX}/")
    with page.expect_response(lambda answer: "live/stream" in answer.url) as of_card:
        expect(page.locator("a.card").first).to_be_visible()
    with page.expect_response(lambda answer: "live/stream" in answer.url) as of_page:
        page.locator("a.card").first.click()
        page.wait_for_url(f"**{PREFIX}/live?site=corner-shop*")
    for answered in (of_card, of_page):
        assert f"{PREFIX}/live/stream?token=" in answered.value.url
        assert answered.value.status == 200
    expect(page.locator(".hero[data-state=connecting], .hero[data-state=live]")).to_be_visible()


def open_from(page: Page, prefixed: str, name: str) -> None:
    """From the page that the test before has left."""
    if not page.url.startswith(f"{prefixed}{PREFIX}/"):
        page.goto(f"{prefixed}{PREFIX}/")
    page.get_by_role("link", name=name, exact=True).click()


def test_a_zone_of_the_graph_opens_below_the_path(prefixed: str, page: Page) -> None:
    open_from(page, prefixed, "Site")
    zones = page.locator(".graph a.zone")
    expect(zones).to_have_count(2)
    zones.first.click()
    page.wait_for_url(lambda url: f"{PREFIX}/live" in url and "zone=hall" in url)


def test_a_wall_opens_below_the_path(prefixed: str, page: Page) -> None:
    open_from(page, prefixed, "Screens")
    page.get_by_role("button", name="Compose a screen").click()
    page.get_by_label("Name").fill("Entrance")
    page.get_by_role("button", name="Create the screen").click()
    frame = page.locator("iframe").first
    expect(frame).to_be_visible()
    link = (frame.get_attribute("src") or "").partition("?")[0]
    assert link.startswith(f"{prefixed}{PREFIX}/screen/")
    with page.expect_response(lambda answer: answer.url.endswith("/stream")) as answered:
        page.goto(link)
    assert answered.value.status == 200
    expect(page.locator(".number").first).to_be_attached()


def test_an_address_without_a_page_leads_to_one_below_the_path(prefixed: str, page: Page) -> None:
    answer = page.goto(f"{prefixed}{PREFIX}/nope/deeper")
    assert answer
    assert answer.status == 404
    expect(page.get_by_text("Headroom has no page at “nope/deeper”.")).to_be_visible()
    page.get_by_role("link", name="Screens").click()
    expect(page.get_by_role("heading", name="Screens")).to_be_visible()
    assert page.url.partition("?")[0] == f"{prefixed}{PREFIX}/screens"
    page.goto(f"{prefixed}{PREFIX}/Live/?site=corner-shop")
    expect(page.locator(".hero")).to_be_visible()
    assert page.url.startswith(f"{prefixed}{PREFIX}/live?site=corner-shop")
