from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from service.embedded import EmbeddedServiceError, start_embedded
from tests.running_service import ROOT, free_port

DEADLINE = 60.0


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5.0).close()
    except OSError:
        return False
    return True


def sites(base_url: str, api_key: str) -> httpx.Response:
    return httpx.get(f"{base_url}/v3/sites", headers={"x-api-key": api_key})


def test_it_serves_the_demo_with_its_own_key_and_keeps_its_data(tmp_path: Path) -> None:
    service = start_embedded(tmp_path, free_port())
    try:
        while (answer := sites(service.base_url, service.api_key)).status_code == 503:
            assert answer.json()["meta"]["errors"][0]["code"] == "SERVICE_UNAVAILABLE"
            assert answer.headers["retry-after"].isdecimal()
            time.sleep(0.2)
        assert answer.json()["data"]
        assert (tmp_path / "dashboard.key").stat().st_mode & 0o777 == 0o600
    finally:
        service.stop()
    assert not service.is_running()
    service.stop()
    again = start_embedded(tmp_path, free_port())
    try:
        assert again.api_key == service.api_key
        while (second := sites(again.base_url, again.api_key)).status_code == 503:
            time.sleep(0.1)
        assert second.json()["data"] == answer.json()["data"]
    finally:
        again.stop()


def test_it_ends_by_itself_when_its_parent_is_killed(tmp_path: Path) -> None:
    port = free_port()
    script = (
        "import sys, time; from pathlib import Path; from service.embedded import start_embedded\n"
        f"service = start_embedded(Path({str(tmp_path)!r}), {port})\n"
        "print('started', flush=True); time.sleep(600)"
    )
    with (tmp_path / "log").open("wb") as log:
        parent = subprocess.Popen(
            [sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True
        )
    with parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        assert answers(port)
        os.kill(parent.pid, signal.SIGKILL)
    deadline = time.monotonic() + DEADLINE
    while answers(port):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_taken_port_is_one_clear_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(EmbeddedServiceError) as refused:
            start_embedded(tmp_path, port)
    assert str(refused.value).startswith(f"Cannot listen on 127.0.0.1, port {port}: Address already in use.")
    assert "HEADROOM_SERVICE_PORT" in str(refused.value)


def test_a_folder_that_cannot_be_used_is_one_clear_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(EmbeddedServiceError, match=r"^Cannot keep data in .*file: .*\.$"):
        start_embedded(tmp_path / "file", free_port())
