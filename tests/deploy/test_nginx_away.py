"""What a television shows that asks for its screen while no dashboard answers behind the real nginx."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
from playwright.sync_api import Page, expect

from tests.running_nginx import running_nginx
from tests.running_service import free_port

PATIENCE = 60.0


class Returned(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"shown")

    def log_message(self, *_: object) -> None:
        return


def test_a_screen_asked_for_while_no_dashboard_answers_comes_back_by_itself(
    page: Page, tmp_path: Path
) -> None:
    port = free_port()
    with running_nginx(tmp_path, [f"http://127.0.0.1:{port}"]) as nginx:
        page.goto(f"{nginx.base_url}/screen/link")
        expect(page.get_by_text("This screen cannot be shown at the moment. It comes back")).to_be_visible()
        away = httpx.get(f"{nginx.base_url}/screen/link")
        # Not as a page of ours: a wall that asks before it loads anew stays as it is.
        assert (away.status_code, away.headers["content-type"]) == (502, "text/html; charset=utf-8")
        dashboard = ThreadingHTTPServer(("127.0.0.1", port), Returned)
        threading.Thread(target=dashboard.serve_forever, daemon=True).start()
        try:
            expect(page.get_by_text("shown", exact=True)).to_be_visible(timeout=PATIENCE * 1000)
        finally:
            dashboard.shutdown()
            dashboard.server_close()
