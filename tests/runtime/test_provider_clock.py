"""A real login at a real provider, whose clock or that of the dashboard's machine is wrong."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import httpx
import pytest

from tests.running_dashboard import RunningDashboard, start_dashboard
from tests.running_provider import RunningProvider, running_provider
from tests.running_service import free_port

PATIENCE = 60.0


@contextmanager
def described_with_clock(provider: RunningProvider, ahead: float) -> Iterator[str]:
    """Where what the provider says of itself is told with a clock that is `ahead` by so many seconds."""
    content = httpx.get(provider.metadata_url).content

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def date_time_string(self, timestamp: float | None = None) -> str:
            return formatdate((timestamp or time.time()) + ahead, usegmt=True)

        def log_message(self, *_arguments: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def dashboard_before(provider: RunningProvider, ahead: float, folder: Path) -> Iterator[RunningDashboard]:
    port = free_port()
    with described_with_clock(provider, ahead) as address:
        environment = provider.secrets(port, address) | {
            "HEADROOM_BASE_URL": f"http://127.0.0.1:{free_port()}",
            "HEADROOM_API_KEY": "none",
            "HEADROOM_ROLE_CLAIM": "roles",
        }
        dashboard = start_dashboard(folder, port=port, environment=environment)
        try:
            yield dashboard
        finally:
            dashboard.kill()


def log_in(dashboard: RunningDashboard) -> httpx.Response:
    """What a browser is shown at the end."""
    with httpx.Client(timeout=PATIENCE, headers={"Accept": "text/html"}, follow_redirects=True) as client:
        form = client.get(f"{dashboard.base_url}/login?provider=default")
        return client.post(form.url, data={"sub": "me@shop.example"})


@pytest.mark.parametrize(("ahead", "where"), [(600, "behind"), (-7_200, "ahead of")])
def test_a_login_that_a_wrong_clock_refuses_says_by_how_much_on_its_page_and_in_the_log(
    ahead: int, where: str, tmp_path: Path
) -> None:
    with running_provider(tmp_path / "provider") as provider:
        now = int(time.time())
        provider.tell("me@shop.example", roles="viewer", iat=now + ahead, exp=now + ahead + 3_600)
        with dashboard_before(provider, ahead, tmp_path / "dashboard") as dashboard:
            shown = log_in(dashboard)
            assert shown.status_code == 403
            assert "the clock of this dashboard" in shown.text
            told = re.search(f"is ([0-9,]+) seconds {where} the provider", shown.text)
            assert told
            # A header tells whole seconds, and its answer is on its way for some.
            assert abs(int(told[1].replace(",", "")) - abs(ahead)) < PATIENCE
            assert "Log in again" in shown.text
            log = dashboard.log()
            assert "a login is refused: the clock of this machine differs from the provider" in log
            assert "NTP" in log


def test_a_login_that_is_refused_for_another_reason_leads_back_to_the_login(tmp_path: Path) -> None:
    with running_provider(tmp_path / "provider") as provider:
        provider.tell("me@shop.example", roles="viewer", iss="https://elsewhere.example")
        with dashboard_before(provider, 0, tmp_path / "dashboard") as dashboard:
            assert "Log in to Headroom" in log_in(dashboard).text
            assert "the clock of this machine differs" not in dashboard.log()
