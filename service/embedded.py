"""The service as a child process beside the dashboard, filled with the demo unless it has its own sites.

A process, not a thread: in one process both would wait for each other's interpreter lock, and an
installation with a service of its own looks just the same. Nothing is imported here of what the process does:
it is known by its command line, its port, its key file and what it writes to standard error.
"""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import IO, Final

HOST: Final = "127.0.0.1"

_ROOT: Final = Path(__file__).resolve().parent.parent
_KEY_FILE: Final = "dashboard.key"
_ADMIN_KEY_FILE: Final = "administrator.key"
_PORT_DEADLINE: Final = 3.0
"""Seconds in which the child of a dashboard that was just killed gives the port back."""
_START_DEADLINE: Final = 30.0
_STOP_DEADLINE: Final = 5.0
_LAST_WORDS_DEADLINE: Final = 2.0
_POLL_INTERVAL: Final = 0.05
_LOG_LINE: Final = b"timestamp="
"""How a line of the child's log begins; what it says to people are sentences."""
_LOADING: Final = 503


class EmbeddedServiceError(Exception):
    """The service beside the dashboard cannot run; the message is one sentence or two, for people."""


class EmbeddedService:
    """A child process. It ends with `stop`, and by itself when this process vanishes."""

    def __init__(self, process: subprocess.Popen[bytes], port: int) -> None:
        self._process = process
        self._last_words = b""
        self._reader = threading.Thread(target=self._read_log, name="embedded-log", daemon=True)
        self._reader.start()
        self.process_id = process.pid
        self.base_url = base_url(port)
        self.api_key = ""
        """The secret of a read key of its organization; empty until it has been tried."""
        self.admin_key = ""
        """The secret of a key of scope admin of the same organization; empty where there is none."""

    def is_running(self) -> bool:
        return self._process.poll() is None

    def wait(self) -> str:
        """Wait until it has ended; the reason it gave, or how it ended, as a sentence."""
        code = self._process.wait()
        self._close_pipes()
        if code < 0:
            return f"It was ended by signal {-code} ({signal.strsignal(-code)})."
        said = self._last_words.decode(errors="replace").strip()
        return said if code and said else f"It ended with exit code {code}."

    def stop(self) -> None:
        """End the child within 5 s, the hard way if need be. May be called again."""
        self._process.terminate()
        try:
            self._process.wait(_STOP_DEADLINE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._close_pipes()

    def _close_pipes(self) -> None:
        """Close both pipes, when the child has ended."""
        self._reader.join(_LAST_WORDS_DEADLINE)
        if self._process.stdin:
            self._process.stdin.close()

    def _read_log(self) -> None:
        """Pass the child's standard error on to ours, and keep the last line that was said to people."""
        errors: IO[bytes] | None = self._process.stderr
        assert errors is not None
        with errors:
            for line in errors:
                # Past `sys.stderr`: its lock, held by this thread at the interpreter's end, would abort that.
                with suppress(OSError):
                    os.write(2, line)
                if line.strip() and not line.startswith(_LOG_LINE):
                    self._last_words = line


def base_url(port: int) -> str:
    """The service's URL without a trailing slash; the paths of the API begin with /v3."""
    return f"http://{HOST}:{port}"


def start_embedded(
    data_dir: Path, port: int, *, has_demo: bool = True, cancelled: threading.Event | None = None
) -> EmbeddedService:
    """Start the service on loopback, with its demo or for an organization of one's own; returns when it
    answers, which is before it is filled.

    While the demo is being loaded, /v3 answers 503 with Retry-After. Raises EmbeddedServiceError, also when
    `cancelled` is set meanwhile.
    """
    cancelled = cancelled or threading.Event()
    _wait_for_port(port, cancelled)
    try:
        service = EmbeddedService(_spawn(data_dir, port, has_demo=has_demo), port)
    except OSError as error:
        raise EmbeddedServiceError(f"Its process cannot be started: {error.strerror}.") from error
    try:
        _wait_until(lambda: _is_ready(service, data_dir, port), service, cancelled)
    except BaseException:
        service.stop()
        raise
    return service


def _spawn(data_dir: Path, port: int, *, has_demo: bool) -> subprocess.Popen[bytes]:
    filled = "--demo" if has_demo else "--own"
    command = [sys.executable, "-m", "service", "serve", filled, "--exit-with-parent"]
    command += ["--host", HOST, "--port", str(port), "--data-dir", str(data_dir.resolve())]
    # A session of its own: Ctrl-C in the terminal reaches the dashboard alone, which then ends the child.
    return subprocess.Popen(  # noqa: S603 - our own interpreter, our own module
        command, cwd=_ROOT, stdin=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )


def _wait_until(ready: Callable[[], bool], service: EmbeddedService, cancelled: threading.Event) -> None:
    deadline = time.monotonic() + _START_DEADLINE
    while not ready():
        if not service.is_running():
            raise EmbeddedServiceError(service.wait())
        if time.monotonic() > deadline:
            raise EmbeddedServiceError("It did not answer in time; the log may say why.")
        if cancelled.wait(_POLL_INTERVAL):
            raise EmbeddedServiceError("It is not started any more: the dashboard ends.")


def _is_ready(service: EmbeddedService, data_dir: Path, port: int) -> bool:
    """Whether it answers to the key that it wrote; the key is then known."""
    with suppress(OSError):
        key = _key_in(data_dir / _KEY_FILE)
        if key and _is_let_in(key, port):
            service.api_key, service.admin_key = key, _key_in(data_dir / _ADMIN_KEY_FILE)
    return bool(service.api_key)


def _key_in(path: Path) -> str:
    """Empty where there is none. Raises OSError where the file cannot be read."""
    with suppress(FileNotFoundError):
        key = path.read_bytes().decode("ascii", errors="replace").strip()
        # What is no key of ours cannot even be sent in a header.
        return key if key.isascii() and key.isprintable() else ""
    return ""


def _is_let_in(key: str, port: int) -> bool:
    return _status(port, "/v3/sites?limit=1", {"x-api-key": key}) in (http.client.OK, _LOADING)


def _status(port: int, path: str, headers: Mapping[str, str]) -> int:
    """0 where what listens there does not speak HTTP. Raises OSError where nothing answers."""
    with closing(http.client.HTTPConnection(HOST, port, timeout=_STOP_DEADLINE)) as connection:
        try:
            connection.request("GET", path, headers=dict(headers))
            return connection.getresponse().status
        except http.client.HTTPException:
            return 0


def _advice(port: int) -> str:
    """What to do where the port is taken, mostly by whoever started the dashboard before.

    It is asked without a key: what listens there may be anything.
    """
    with suppress(OSError):
        if _status(port, "/healthz", {}) == http.client.OK:
            return (
                "A service runs there, of another dashboard as it seems: use that one, or end it. "
                "One beside it needs a HEADROOM_DATA_DIR and a HEADROOM_SERVICE_PORT of its own."
            )
    return "Set HEADROOM_SERVICE_PORT to a free port and start again."


def _wait_for_port(port: int, cancelled: threading.Event) -> None:
    deadline = time.monotonic() + _PORT_DEADLINE
    while True:
        try:
            socket.create_server((HOST, port)).close()
        except OSError as error:
            if time.monotonic() > deadline or cancelled.wait(_POLL_INTERVAL):
                reason = os.strerror(error.errno or 0)
                raise EmbeddedServiceError(
                    f"Cannot listen on {HOST}, port {port}: {reason}. {_advice(port)}"
                ) from error
        else:
            return
