"""The bounds of a connection, which rest on inner parts of uvicorn: this fails when they move."""

from __future__ import annotations

import ast
import json
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import psutil  # type: ignore[import-untyped]  # its stubs are a package of their own
import pytest

from tests.running_service import ROOT, RunningService, free_port, start_service
from tests.small_site import SmallSite, create_small_site

LIMITS = {"HEADROOM_SERVICE_HEADER_TIMEOUT": "PT2S", "HEADROOM_SERVICE_BODY_TIMEOUT": "PT1S"}
PATIENCE = 60.0
NAMED_TUPLE = {"_asdict", "_fields", "_make", "_replace"}
"""Public, whatever they look like."""


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SmallSite, RunningService]]:
    """A service that waits for nobody."""
    site = create_small_site(tmp_path_factory.mktemp("hasty"))
    service = start_service(site.data_dir, environment=LIMITS)
    yield site, service
    assert "Traceback" not in service.log()
    assert service.stop() == 0


def connect(service: RunningService) -> socket.socket:
    return socket.create_connection(("127.0.0.1", service.port), timeout=PATIENCE)


def read_to_end(connection: socket.socket) -> bytes:
    """All that comes until the service closes; an error when it does not."""
    return connection.makefile("rb").read()


def error_of(received: bytes) -> tuple[bytes, str]:
    head, _, body = received.partition(b"\r\n\r\n")
    assert b"connection: close" in head.lower()
    code: str = json.loads(body)["meta"]["errors"][0]["code"]
    return head.split(b" ", 2)[1], code


def keyed(site: SmallSite, rest: str) -> bytes:
    return f"POST /v3/metrics HTTP/1.1\r\nHost: test\r\nx-api-key: {site.read_key}\r\n{rest}".encode()


def test_connection_that_asks_nothing_is_closed(hasty: tuple[SmallSite, RunningService]) -> None:
    with connect(hasty[1]) as connection:
        assert b"HTTP/1.1" not in read_to_end(connection)


def test_unfinished_headers_are_answered_and_closed(hasty: tuple[SmallSite, RunningService]) -> None:
    site, service = hasty
    with connect(service) as connection:
        connection.sendall(keyed(site, "Content-Le"))
        assert error_of(read_to_end(connection)) == (b"408", "REQUEST_TIMEOUT")


def test_headers_that_drip_are_closed(hasty: tuple[SmallSite, RunningService]) -> None:
    _, service = hasty
    with connect(service) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\n")
        drip(connection, b"a")


def test_blank_lines_keep_no_connection_open(hasty: tuple[SmallSite, RunningService]) -> None:
    _, service = hasty
    with connect(service) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n")
        assert connection.recv(65536).startswith(b"HTTP/1.1 200")
        connection.sendall(b"\r\n")
        assert b"HTTP/1.1" not in read_to_end(connection)


def test_unfinished_body_is_answered_and_closed(hasty: tuple[SmallSite, RunningService]) -> None:
    site, service = hasty
    with connect(service) as connection:
        connection.sendall(keyed(site, "Content-Length: 100\r\n\r\n{"))
        assert error_of(read_to_end(connection)) == (b"408", "REQUEST_TIMEOUT")


def test_body_that_drips_after_its_refusal_is_closed(hasty: tuple[SmallSite, RunningService]) -> None:
    _, service = hasty
    with connect(service) as connection:
        connection.sendall(b"POST /v3/metrics HTTP/1.1\r\nHost: test\r\nContent-Length: 100000\r\n\r\n")
        assert connection.recv(65536).startswith(b"HTTP/1.1 401")
        drip(connection, b"a")


def drip(connection: socket.socket, drop: bytes) -> None:
    """Send a byte now and then until the connection is closed; fails when it never is."""
    deadline = time.monotonic() + PATIENCE
    try:
        while time.monotonic() < deadline:
            connection.sendall(drop)
            time.sleep(0.05)
    except OSError:
        return
    pytest.fail("the connection was never closed")


def test_stream_outlives_the_time_for_headers_and_bodies(hasty: tuple[SmallSite, RunningService]) -> None:
    site, service = hasty
    body = '{"siteId":"corner-shop","metrics":["exits"],"live":true}'
    with connect(service) as stream, connect(service) as silent:
        accept = f"Accept: text/event-stream\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        stream.sendall(keyed(site, accept))
        assert stream.recv(65536).startswith(b"HTTP/1.1 200")
        for _ in range(5):
            read_to_end(silent)
            with connect(service) as silent_again:
                read_to_end(silent_again)
        health = httpx.get(f"{service.base_url}/healthz").json()["data"]
        assert health["openStreams"] == 1


def test_pipelined_requests_are_all_answered(hasty: tuple[SmallSite, RunningService]) -> None:
    with connect(hasty[1]) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n" * 5)
        assert read_to_end(connection).count(b"HTTP/1.1 200") == 5


def test_half_open_requests_are_all_closed(hasty: tuple[SmallSite, RunningService]) -> None:
    site, service = hasty
    process = psutil.Process(service.process.pid)
    before = process.num_fds()
    with ExitStack() as stack:
        halves = []
        for number in range(300):
            half = stack.enter_context(connect(service))
            half.sendall(keyed(site, "" if number % 2 else "Content-Length: 9\r\n\r\n{"))
            halves.append(half)
        assert {error_of(read_to_end(half))[0] for half in halves} == {b"408"}
        await_descriptors(process, before + 50)


def await_descriptors(process: psutil.Process, number: int) -> None:
    """Wait until the process has fewer, while its clients stay."""
    deadline = time.monotonic() + PATIENCE
    while process.num_fds() >= number:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_more_connections_than_descriptors_are_refused_logged_and_survived(tmp_path: Path) -> None:
    site = create_small_site(tmp_path)
    port = free_port()
    serve = [sys.executable, "-m", "service", "serve", "--port", str(port), "--data-dir", str(tmp_path)]
    with (tmp_path / "service.log").open("wb") as log:
        process = subprocess.Popen(
            ["bash", "-c", 'ulimit -n 100 && exec "$@"', "serve", *serve], cwd=ROOT, stdout=log, stderr=log
        )
    service = RunningService(f"http://127.0.0.1:{port}", process, tmp_path)
    try:
        wait_until_ready(service, site)
        with ExitStack() as stack:
            crowd = [stack.enter_context(connect(service)) for _ in range(150)]
            assert error_of(read_to_end(crowd[-1])) == (b"503", "SERVICE_UNAVAILABLE")
            crowd[0].sendall(b"GET /v3/sites HTTP/1.1\r\nHost: test\r\nx-api-key: ")
            crowd[0].sendall(f"{site.read_key}\r\n\r\n".encode())
            assert crowd[0].recv(65536).startswith(b"HTTP/1.1 200")
        wait_until_ready(service, site)
        assert service.log().count("connections refused") == 1
        assert "Traceback" not in service.log()
    finally:
        assert service.stop() == 0


def wait_until_ready(service: RunningService, site: SmallSite) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            answer = httpx.get(f"{service.base_url}/v3/sites", headers=site.headers)
        except httpx.TransportError:
            answer = None
        if answer is not None and answer.status_code == 200:
            return
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_fields_after_a_body_are_not_collected(hasty: tuple[SmallSite, RunningService]) -> None:
    _, service = hasty
    memory = psutil.Process(service.process.pid).memory_info().rss
    with connect(service) as connection:
        connection.sendall(
            b"POST /ingest/counts HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
        )
        with pytest.raises(OSError):  # noqa: PT012 - which of many pieces meets the closed connection is chance
            for _ in range(2_000):
                connection.sendall(b"a: b\r\n" * 5_000)
    assert psutil.Process(service.process.pid).memory_info().rss - memory < 30_000_000
    assert httpx.get(f"{service.base_url}/healthz", timeout=PATIENCE).status_code == 200


def private_names(file: Path) -> set[str]:
    """Names of other packages that begin with one underscore, as a file imports or reads them."""
    found: set[str] = set()
    modules: set[str] = set()
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules.update((alias.asname or alias.name).split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names = {alias.name for alias in node.names}
            modules |= {alias.asname or alias.name for alias in node.names}
            path = (node.module or "").split(".")
            if path[0] not in {"contract", "service", "__future__"}:
                found |= {name for name in (*path, *names) if re.match("_[a-z]", name)}
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name in modules:
                found |= {attribute} if re.match("_[a-z]", attribute) else set()
    return found - NAMED_TUPLE


def test_inner_names_of_other_packages_stand_in_one_module() -> None:
    files = sorted((ROOT / "service").rglob("*.py"))
    assert files
    assert {file.name: names for file in files if (names := private_names(file))}.keys() <= {"_compat.py"}
