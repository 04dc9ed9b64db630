from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from service.server import ServerError, listening_socket
from tests.forked_process import run_forked
from tests.running_service import ROOT, RunningService, free_port, start_service
from tests.small_site import SmallSite, create_small_site, store_counts

DAY = datetime(2025, 10, 25, 22, tzinfo=UTC)
LIVE = {"siteId": "corner-shop", "metrics": ["visitorsInside"], "live": True}


@pytest.fixture
def running(tmp_path: Path) -> Iterator[tuple[SmallSite, RunningService]]:
    site = create_small_site(tmp_path)
    service = start_service(tmp_path)
    yield site, service
    service.kill()


def open_streams(
    stack: ExitStack, site: SmallSite, service: RunningService, number: int
) -> list[Iterator[bytes]]:
    client = stack.enter_context(httpx.Client(limits=httpx.Limits(max_connections=None), timeout=60.0))
    headers = site.headers | {"Accept": "text/event-stream"}
    url = f"{service.base_url}/v3/metrics"
    pieces = []
    for _ in range(number):
        answer = stack.enter_context(client.stream("POST", url, headers=headers, json=LIVE))
        # Kept: an iterator that is collected takes its connection with it.
        pieces.append(answer.iter_raw())
        next(pieces[-1])
    health = client.get(f"{service.base_url}/healthz").json()["data"]
    assert health["openStreams"] == number
    return pieces


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_good_time_with_streams_open(
    running: tuple[SmallSite, RunningService], number: signal.Signals
) -> None:
    site, service = running
    with ExitStack() as stack:
        pieces = open_streams(stack, site, service, 50)
        service.process.send_signal(number)
        assert service.process.wait(20.0) == 0
        assert all(list(rest) == [] for rest in pieces), "each stream ends whole, not cut"
    assert "Traceback" not in service.log()
    assert "timeout" not in service.log(), "the streams did not end by themselves"


def test_a_second_signal_does_no_harm(running: tuple[SmallSite, RunningService]) -> None:
    _, service = running
    service.process.send_signal(signal.SIGTERM)
    service.process.send_signal(signal.SIGTERM)
    assert service.process.wait(20.0) == 0


def test_a_taken_port_is_said_in_one_sentence(running: tuple[SmallSite, RunningService]) -> None:
    site, service = running
    command = ["service", "serve", "--port", str(service.port), "--data-dir", str(site.data_dir)]
    second = run_forked(command, folder=ROOT)
    assert second.returncode == 1
    assert second.stderr == f"Cannot listen on 127.0.0.1, port {service.port}: Address already in use.\n"


def test_a_folder_that_cannot_be_used_is_said_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    command = ["service", "serve", "--port", str(free_port()), "--data-dir", str(tmp_path / "file")]
    refused = run_forked(command, folder=ROOT)
    assert refused.returncode == 1
    assert refused.stderr.startswith("Cannot keep data in ")
    assert len(refused.stderr.splitlines()) == 1


def test_it_ends_when_its_parents_pipe_closes(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "service", "serve", "--exit-with-parent", "--port", str(free_port())]
    with (tmp_path / "service.log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "--data-dir", str(tmp_path)], cwd=ROOT, stdin=subprocess.PIPE, stdout=log, stderr=log
        )
    assert process.stdin is not None
    process.stdin.close()
    try:
        assert process.wait(20.0) == 0
    finally:
        process.kill()
    assert "Fatal" not in (tmp_path / "service.log").read_text()


def test_a_name_that_is_no_host_is_refused() -> None:
    with pytest.raises(ServerError, match=r"^Cannot listen on no\.such\.invalid, port 80: "):
        listening_socket("no.such.invalid", 80, 5.0)


def test_a_frozen_reader_delays_nobody_and_is_cut(tmp_path: Path) -> None:
    site = create_small_site(tmp_path)
    store_counts(tmp_path, [(DAY + timedelta(minutes=m), "entrance", 1, 0) for m in range(25 * 60)])
    environment = {"HEADROOM_SERVICE_SEND_TIMEOUT": "PT1S", "HEADROOM_SERVICE_HEARTBEAT": "PT1S"}
    service = start_service(tmp_path, environment=environment)
    try:
        with socket.socket() as frozen:
            # Small pieces, or the system of the sender would hold the whole answer for the reader.
            frozen.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
            frozen.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            frozen.connect(("127.0.0.1", service.port))
            frozen.sendall(request_for_much(site))
            deadline = time.monotonic() + 60.0
            while "stream cut" not in service.log():
                assert time.monotonic() < deadline
                answer = httpx.get(f"{service.base_url}/v3/sites", headers=site.headers)
                assert answer.status_code == 200
                time.sleep(0.1)
    finally:
        assert service.stop() == 0


def request_for_much(site: SmallSite) -> bytes:
    """A stream with more history than the system's buffers hold for a reader that takes nothing."""
    body = json.dumps(
        LIVE
        | {"metrics": ["visitorsInside", "entrances", "exits", "timeSpent"], "granularity": "minute"}
        | {"from": "2025-10-26T00:00:00", "to": "2025-10-27T00:00:00", "timezone": "Europe/Zurich"}
    )
    head = (
        f"POST /v3/metrics HTTP/1.1\r\nHost: test\r\nAccept: text/event-stream\r\nx-api-key: {site.read_key}"
    )
    return f"{head}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
