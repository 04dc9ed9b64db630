"""What stands above every page while the service beside the dashboard is down."""

from __future__ import annotations

import os
import re
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.running_dashboard import RunningDashboard, start_dashboard
from tests.running_service import free_port

PATIENCE = 90_000
"""Milliseconds; nothing is expected to take this long."""
DOWN = "The service beside the dashboard has been down for"


def process_of_service(dashboard: RunningDashboard) -> int:
    return int(re.findall(r"event='service starts'.* process=(\d+)", dashboard.log())[-1])


@contextmanager
def in_the_way(port: int) -> Iterator[None]:
    """Nothing else can listen there."""
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        deadline = time.monotonic() + PATIENCE / 1000
        while True:
            try:
                taken.bind(("127.0.0.1", port))
                break
            except OSError:  # whoever was killed still has it
                assert time.monotonic() < deadline, "the port is not given free"
                time.sleep(0.01)
        taken.listen()
        yield


def test_a_page_that_nobody_touches_says_that_the_service_is_down_for_as_long_as_it_is(
    new_page: Page, tmp_path: Path
) -> None:
    port = free_port()
    environment = {"HEADROOM_SERVICE_PORT": str(port), "HEADROOM_DEMO_DATA": "off"}
    dashboard = start_dashboard(tmp_path, environment=environment)
    try:
        new_page.goto(f"{dashboard.base_url}/screens")
        expect(new_page.get_by_text("No screen is saved yet.")).to_be_visible(timeout=PATIENCE)
        os.kill(process_of_service(dashboard), signal.SIGKILL)
        with in_the_way(port):
            new_page.reload()
            notice = new_page.get_by_text(DOWN)
            expect(notice).to_be_visible(timeout=PATIENCE)
            first = notice.inner_text()
            expect(notice).not_to_have_text(first, timeout=PATIENCE)
        expect(notice).to_have_count(0, timeout=PATIENCE)
    finally:
        dashboard.kill()
