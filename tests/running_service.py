"""A real service in a process of its own, for tests that speak HTTP to it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from random import SystemRandom

import httpx

from tests.forked_process import ForkedProcess, start_anew

ROOT = Path(__file__).resolve().parent.parent
START_DEADLINE = 90.0
STOP_DEADLINE = 15.0
FIRST_PORT = 12_000
PORTS_A_WORKER = 2_000
WORKERS = 10
"""So many processes of a parallel run have ports of their own."""

_ports = count(SystemRandom().randrange(PORTS_A_WORKER))


@dataclass(frozen=True)
class RunningService:
    base_url: str
    """Without a trailing slash; the paths of the API begin with /v3."""
    process: ForkedProcess | subprocess.Popen[bytes]
    data_dir: Path

    @property
    def port(self) -> int:
        return int(self.base_url.rsplit(":", 1)[1])

    def log(self) -> str:
        return (self.data_dir / "service.log").read_text()

    def stop(self) -> int:
        """End it as an operator would (SIGTERM); the exit code. May be called again."""
        if self.process.poll() is None:
            self.process.terminate()
        return self.process.wait(STOP_DEADLINE)

    def kill(self) -> None:
        """End it as a power cut would (SIGKILL). May be called again."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(STOP_DEADLINE)

    def freeze(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.process.send_signal(signal.SIGCONT)


def free_port() -> int:
    """A port that nobody else is about to take.

    Below those that the system gives to connections, and in each process of a parallel run from numbers of
    its own: between the choice and the server's start nothing holds it.
    """
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    first = FIRST_PORT + worker % WORKERS * PORTS_A_WORKER
    while True:
        port = first + next(_ports) % PORTS_A_WORKER
        with socket.socket() as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listener.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


def start_service(
    data_dir: Path,
    *,
    demo: bool = False,
    port: int | None = None,
    environment: dict[str, str] | None = None,
    is_anew: bool = False,
    program: str = "service",
) -> RunningService:
    """Start `python -m service serve` on loopback and wait until it answers.

    Give `port` to come back where an earlier one was. `environment` adds variables, as HEADROOM_SERVICE_*.
    The log is `data_dir/service.log`. What is measured is to begin anew, by an interpreter of its own.
    `program` is that of `tests/hasty_service.py` where a test would mostly wait.
    """
    service = begin_service(
        data_dir, demo=demo, port=port, environment=environment, is_anew=is_anew, program=program
    )
    _wait_until_it_answers(service)
    return service


def begin_service(
    data_dir: Path,
    *,
    demo: bool = False,
    port: int | None = None,
    environment: dict[str, str] | None = None,
    is_anew: bool = False,
    program: str = "service",
) -> RunningService:
    """The same without waiting: it does not answer yet."""
    data_dir.mkdir(parents=True, exist_ok=True)
    port = port or free_port()
    command = [program, "serve", "--host", "127.0.0.1", "--port", str(port)]
    command += ["--data-dir", str(data_dir), *(["--demo"] if demo else [])]
    start = start_anew if is_anew else ForkedProcess
    process = start(
        command, folder=ROOT, environment=os.environ | (environment or {}), log=data_dir / "service.log"
    )
    return RunningService(f"http://127.0.0.1:{port}", process, data_dir)


def _wait_until_it_answers(service: RunningService) -> None:
    deadline = time.monotonic() + START_DEADLINE
    while time.monotonic() < deadline:
        if service.process.poll() is not None:
            raise RuntimeError(f"the service ended at its start:\n{service.log()}")
        try:
            httpx.get(f"{service.base_url}/healthz", timeout=5.0)
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return
    service.kill()
    raise RuntimeError(f"the service did not answer in time:\n{service.log()}")
