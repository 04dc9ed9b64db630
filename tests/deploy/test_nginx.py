"""deploy/nginx/headroom.conf in the real nginx."""

from __future__ import annotations

import gzip
import re
import time
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.two_dashboards import PATIENCE, TwoDashboards, two_dashboards


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoDashboards]:
    with two_dashboards(tmp_path_factory.mktemp("deployed")) as started:
        yield started


def read_until(lines: Iterator[str], part: str) -> None:
    for line in lines:
        if part in line:
            return
    pytest.fail(f"the stream ended without {part}")


def test_each_event_passes_at_once_while_the_stream_stays_open(deployed: TwoDashboards) -> None:
    deployed.post(1)
    with httpx.stream("GET", deployed.stream_address(), timeout=PATIENCE) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert "content-encoding" not in answer.headers
        lines = answer.iter_lines()
        read_until(lines, "event: state")
        read_until(lines, '"state":"live"')
        for _ in range(3):
            deployed.post(1)
            read_until(lines, "event: change")


def test_files_pass_as_the_dashboard_compressed_them(deployed: TwoDashboards) -> None:
    with httpx.Client(base_url=deployed.nginx.base_url, timeout=PATIENCE) as client:
        page = client.get("/history")
        assert page.headers.get_list("content-encoding") == ["gzip"]
        script = re.search(r"static/js/index\.[^\"]+", page.text)
        assert script is not None
        for path in (f"/{script[0]}", "/"):
            with client.stream("GET", path) as answer:
                body = b"".join(answer.iter_raw())
            assert answer.headers.get_list("content-encoding") == ["gzip"]
            assert not gzip.decompress(body).startswith(b"\x1f\x8b")
        answer = client.get(f"/{script[0]}")
        assert "immutable" in answer.headers["cache-control"]
        assert "accept-encoding" in answer.headers["vary"].lower()
        known = {"If-None-Match": answer.headers["etag"]}
        assert client.get(f"/{script[0]}", headers=known).status_code == 304
        plain = client.get(f"/{script[0]}", headers={"Accept-Encoding": "identity"})
        assert "content-encoding" not in plain.headers
        assert plain.text == answer.text


def test_both_dashboards_serve_streams_without_stickiness(deployed: TwoDashboards) -> None:
    with (
        httpx.stream("GET", deployed.stream_address(), timeout=PATIENCE) as first,
        httpx.stream("GET", deployed.stream_address(), timeout=PATIENCE) as second,
    ):
        streams = [answer.iter_lines() for answer in (first, second)]  # an iterator let go ends its stream
        for lines in streams:
            read_until(lines, "event: state")
        assert len(deployed.with_viewers()) == 2


def test_a_page_and_its_websocket_stay_with_one_dashboard(deployed: TwoDashboards, page: Page) -> None:
    deployed.post(1)
    deadline = time.monotonic() + PATIENCE
    while deployed.with_viewers():  # nginx logs the streams of tests before at their end
        assert time.monotonic() < deadline
        time.sleep(0.1)
    logged = len(deployed.nginx.upstreams(""))
    page.goto(f"{deployed.nginx.base_url}/live?site=corner-shop")
    expect(page.locator(".hero .freshness .word")).to_have_text("Live")
    page.get_by_role("link", name="History").click()
    expect(page.get_by_role("heading", name="History")).to_be_visible()
    page.close()  # nginx logs a WebSocket at its end
    deadline = time.monotonic() + PATIENCE
    while not deployed.nginx.upstreams("_stcore/stream") and time.monotonic() < deadline:
        time.sleep(0.1)
    assert deployed.nginx.upstreams("_stcore/stream")
    upstreams = [upstream for upstream in deployed.nginx.upstreams("")[logged:] if upstream != "-"]
    assert len(upstreams) > 5
    assert len(set(upstreams)) == 1


def test_browsers_are_spread_and_each_keeps_its_dashboard(deployed: TwoDashboards) -> None:
    served: set[str] = set()
    for _ in range(40):
        with httpx.Client(base_url=deployed.nginx.base_url, timeout=PATIENCE) as client:
            logged = len(deployed.nginx.upstreams("_stcore/health"))
            for _ in range(2):
                assert client.get("/_stcore/health").status_code == 200
            assert "headroom_seat" in client.cookies
            deadline = time.monotonic() + PATIENCE
            while len(deployed.nginx.upstreams("_stcore/health")) < logged + 2:
                assert time.monotonic() < deadline
            seats = set(deployed.nginx.upstreams("_stcore/health")[logged:])
            assert len(seats) == 1
            served |= seats
        if len(served) == 2:
            return
    pytest.fail("all browsers sit on one dashboard")


def test_operation_is_not_shown_to_strangers_and_links_are_not_logged(deployed: TwoDashboards) -> None:
    with httpx.Client(base_url=deployed.nginx.base_url, timeout=PATIENCE) as client:
        assert client.get("/healthz").json() == {"status": "serving"}
        assert client.get("/metrics").status_code == 404
        assert client.get("/readyz").status_code == 404
        client.get("/live/stream?token=told-to-nobody")
        client.get("/screen/told-to-nobody")
        assert client.get("/healthz?last").status_code == 200
    deadline = time.monotonic() + PATIENCE
    while "/healthz?last" not in deployed.nginx.access_log() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert "/healthz?last" in deployed.nginx.access_log()
    assert "told-to-nobody" not in deployed.nginx.access_log()
