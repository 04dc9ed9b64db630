"""Where the dashboard listens when it is started as the README says."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import time
from pathlib import Path

import psutil  # type: ignore[import-untyped]  # its stubs are a package of their own
import pytest

from tests.forked_process import ForkedProcess
from tests.running_service import ROOT, free_port

PATIENCE = 60.0


def make_run(*variables: str) -> list[str]:
    """The command of `make run`, which itself would also set up the environment."""
    said = subprocess.run(
        ["make", "--dry-run", "--old-file=.venv/run.stamp", "run", *variables],
        cwd=ROOT,
        env=os.environ | {"HOST": "0.0.0.0"},
        capture_output=True,
        text=True,
        check=True,
    )
    [arguments] = re.findall(r"streamlit run (app\.py .+)", said.stdout)
    return ["streamlit", "run", *arguments.split()]


def listening(command: list[str], folder: Path) -> tuple[set[str], str]:
    """The addresses on which the started dashboard listens, and what it logged."""
    unreached = {"HEADROOM_BASE_URL": "http://127.0.0.1:9", "HEADROOM_API_KEY": "key"}
    environment = os.environ | unreached | {"HEADROOM_DATA_DIR": str(folder)}
    log = folder / "log"
    log.write_text("")
    process = ForkedProcess(command, folder=ROOT, environment=environment, log=log)
    try:
        deadline = time.monotonic() + PATIENCE
        found: set[str] = set()
        while not found or "view your Streamlit app" not in log.read_text():
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline
            connections = psutil.Process(process.pid).net_connections("tcp")
            found = {one.laddr.ip for one in connections if one.status == psutil.CONN_LISTEN}
            time.sleep(0.1)
        answers_at(command)
        return found, log.read_text()
    finally:
        process.kill()
        process.wait(PATIENCE)


def answers_at(command: list[str]) -> None:
    """Wait until it serves: the line about the network is said before that."""
    port = int(command[command.index("--server.port") + 1])
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert connection.recv(100)


def test_make_run_and_plain_streamlit_listen_for_this_machine_only(tmp_path: Path) -> None:
    """Even where the shell has a variable of that name."""
    plain = ["streamlit", "run", "app.py", "--server.port", str(free_port())]
    for command in (make_run(f"PORT={free_port()}"), plain):
        addresses, log = listening(command, tmp_path)
        assert addresses == {"127.0.0.1"}
        assert "open to the network" not in log


def test_host_lets_the_network_reach_it_and_the_log_says_what_is_seen_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for said, is_meant in (("serves no page", ""), ("open to the network, without a login", "yes")):
        monkeypatch.setenv("HEADROOM_OPEN_TO_NETWORK", is_meant)
        addresses, log = listening(make_run(f"PORT={free_port()}", "HOST=0.0.0.0"), tmp_path)
        assert addresses == {"0.0.0.0"}
        assert log.count(said) == log.count("open to the network") == 1
