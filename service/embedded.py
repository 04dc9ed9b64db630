"""The service as a child process beside the dashboard, filled with the demo.

A process, not a thread: in one process both would wait for each other's interpreter lock, and an
installation with a service of its own looks just the same.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from sqlalchemy.exc import DatabaseError

from service.dashboard_key import dashboard_key
from service.server import ServerError, listening_socket
from service.store import open_store

HOST: Final = "127.0.0.1"

_ROOT: Final = Path(__file__).resolve().parent.parent
_PORT_DEADLINE: Final = 3.0
"""Seconds in which the child of a dashboard that was just killed gives the port back."""
_START_DEADLINE: Final = 30.0
_STOP_DEADLINE: Final = 5.0
_POLL_INTERVAL: Final = 0.05


class EmbeddedServiceError(Exception):
    """The service beside the dashboard cannot run; the message is one sentence for people."""


class EmbeddedService:
    """A running child. It ends with `stop`, and by itself when this process vanishes."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, api_key: str) -> None:
        self._process = process
        self.base_url = f"http://{HOST}:{port}"
        """Without a trailing slash; the paths of the API begin with /v3."""
        self.api_key = api_key
        """The secret of a read key of the demo organization."""

    def is_running(self) -> bool:
        return self._process.poll() is None

    def stop(self) -> None:
        """End the child within 5 s, the hard way if need be. May be called again."""
        self._process.terminate()
        try:
            self._process.wait(_STOP_DEADLINE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdin:
            self._process.stdin.close()


def start_embedded(data_dir: Path, port: int) -> EmbeddedService:
    """Start the service with its demo on loopback; returns when it answers, which is before it is filled.

    While the demo is being loaded, /v3 answers 503 with Retry-After. Raises EmbeddedServiceError.
    """
    _wait_for_port(port)
    api_key = _api_key(data_dir)
    service = EmbeddedService(_spawn(data_dir, port), port, api_key)
    deadline = time.monotonic() + _START_DEADLINE
    while not _answers(port):
        if not service.is_running():
            raise EmbeddedServiceError(
                "The service beside the dashboard ended at its start; its log says why."
            )
        if time.monotonic() > deadline:
            service.stop()
            raise EmbeddedServiceError("The service beside the dashboard did not answer in time.")
        time.sleep(_POLL_INTERVAL)
    return service


def _spawn(data_dir: Path, port: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "service", "serve", "--demo", "--exit-with-parent"]
    command += ["--host", HOST, "--port", str(port), "--data-dir", str(data_dir.resolve())]
    # A session of its own: Ctrl-C in the terminal reaches the dashboard alone, which then ends the child.
    return subprocess.Popen(  # noqa: S603 - our own interpreter, our own module
        command, cwd=_ROOT, stdin=subprocess.PIPE, start_new_session=True
    )


def _api_key(data_dir: Path) -> str:
    try:
        store = open_store(data_dir)
    except (OSError, DatabaseError) as error:
        reason = getattr(error, "strerror", None) or getattr(error, "orig", None) or error
        raise EmbeddedServiceError(
            f"Cannot keep data in {data_dir}: {reason}. "
            "Set HEADROOM_DATA_DIR to a folder that can be written and start again."
        ) from error
    try:
        return dashboard_key(store, data_dir)
    except OSError as error:
        raise EmbeddedServiceError(f"Cannot write to {data_dir}: {error.strerror}.") from error
    finally:
        store.close()


def _wait_for_port(port: int) -> None:
    deadline = time.monotonic() + _PORT_DEADLINE
    while True:
        try:
            listening_socket(HOST, port, _STOP_DEADLINE).close()
        except ServerError as error:
            if time.monotonic() > deadline:
                raise EmbeddedServiceError(
                    f"{error} Set HEADROOM_SERVICE_PORT to a free port and start again."
                ) from error
            time.sleep(_POLL_INTERVAL)
        else:
            return


def _answers(port: int) -> bool:
    try:
        socket.create_connection((HOST, port), timeout=1.0).close()
    except OSError:
        return False
    return True
