"""A service that accepts connections and then says nothing, or a byte now and then: the dashboard goes on."""

from __future__ import annotations

import re
import signal
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Thread

import httpx
import pytest

from live import FeedKey, GrantedFeed, StreamGrant, StreamSigner
from tests.hung_screen import hang_screen
from tests.running_dashboard import STOP_DEADLINE, RunningDashboard, start_dashboard

SECRET = "for tests, long enough to be taken for a secret"
PATIENCE = 60.0


class DrippingService:
    """Answers every connection with a head that never ends, one byte at a time."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=500)
        self.base_url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.ended = Event()
        self.open: list[socket.socket] = []
        self.threads = [Thread(target=work, daemon=True) for work in (self._accept, self._drip)]
        for thread in self.threads:
            thread.start()

    def wait_for(self, connections: int) -> None:
        deadline = time.monotonic() + PATIENCE
        while len(self.open) < connections:
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def end(self) -> None:
        self.ended.set()
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for thread in self.threads:
            thread.join(PATIENCE)
        for connection in self.open:
            connection.close()

    def _accept(self) -> None:
        while not self.ended.is_set():
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            connection.sendall(b"HTTP/1.1 200 OK\r\nx-slow: ")
            self.open.append(connection)

    def _drip(self) -> None:
        while not self.ended.wait(0.2):
            for connection in list(self.open):
                try:
                    connection.sendall(b"a")
                except OSError:
                    self.open.remove(connection)
                    connection.close()


@pytest.fixture
def service() -> Iterator[DrippingService]:
    started = DrippingService()
    yield started
    started.end()


@pytest.fixture
def dashboard(tmp_path: Path, service: DrippingService) -> Iterator[RunningDashboard]:
    environment = {
        "HEADROOM_BASE_URL": service.base_url,
        "HEADROOM_API_KEY": "key",
        "HEADROOM_SECRET": SECRET,
    }
    started = start_dashboard(tmp_path, environment=environment)
    yield started
    started.kill()


def get(dashboard: RunningDashboard, path: str) -> httpx.Response:
    return httpx.get(f"{dashboard.base_url}{path}", timeout=PATIENCE)


def stream_address(dashboard: RunningDashboard) -> str:
    grant = StreamGrant((GrantedFeed(FeedKey("site-1"), "Europe/Zurich"),))
    return f"{dashboard.base_url}/live/stream?token={StreamSigner(SECRET).sign(grant)}"


def test_while_sixty_ask_for_readiness_all_else_answers(
    dashboard: RunningDashboard, service: DrippingService
) -> None:
    with ThreadPoolExecutor(60) as pool:
        pending = [pool.submit(get, dashboard, "/readyz") for _ in range(60)]
        service.wait_for(1)
        assert get(dashboard, "/metrics").status_code == 200
        assert get(dashboard, "/healthz").status_code == 200
        with httpx.stream("GET", stream_address(dashboard), timeout=PATIENCE) as stream:
            assert any(line == "event: state" for line in stream.iter_lines())
        answers = [one.result(PATIENCE) for one in pending]
    assert {answer.status_code for answer in answers} == {503}
    assert re.search("did not answer|has not answered yet", answers[0].json()["reasons"][0])


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_pending_answers_do_not_keep_it_from_ending(
    tmp_path: Path, dashboard: RunningDashboard, service: DrippingService, ending: signal.Signals
) -> None:
    token = hang_screen(tmp_path)
    with ThreadPoolExecutor(20) as pool:
        pages = [pool.submit(get, dashboard, f"/screen/{token}") for _ in range(5)]
        ready = [pool.submit(get, dashboard, "/readyz") for _ in range(5)]
        service.wait_for(2)  # one question of the screens, and one of readiness
        assert not any(one.done() for one in pages)
        dashboard.process.send_signal(ending)
        assert dashboard.process.wait(STOP_DEADLINE) == 0
    assert all(one.done() for one in (*pages, *ready))
