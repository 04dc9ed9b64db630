"""The server: serves the application on a socket until SIGTERM or SIGINT, and then ends, open streams too.

An open event stream keeps uvicorn from stopping, and the lifespan's end comes only after all connections
are drained; so the streams are ended on the signal itself.
"""

from __future__ import annotations

import gc
import io
import logging
import os
import resource
import signal
import socket
import sys
import threading
from contextlib import suppress
from types import FrameType
from typing import Final, TextIO, cast

import structlog
import uvicorn
from fastapi import FastAPI

from service._compat import bounded_protocol
from service.application_state import ApplicationState
from service.settings import ServiceSettings

DRAIN_SECONDS: Final = 2
"""How long running requests may take to finish after the signal."""

_SWITCH_SECONDS: Final = 0.0005
"""How long a thread that computes may keep the interpreter from the event loop and from the thread that
writes, which needs it again after each step of SQLite's. Python's own 5 ms add up to a second a commit."""

IDLE_SECONDS: Final = 5
"""How long a connection may stay open between two requests."""

_OTHER_DESCRIPTORS: Final = 128
"""File descriptors that connections leave free, for the store's file above all."""

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class ServerError(Exception):
    """The server cannot run; the message is one sentence for the operator."""


def listening_socket(host: str, port: int, unacknowledged_seconds: float) -> socket.socket:
    """A socket that listens; connections whose peer takes nothing for so long are dropped by the system.

    That is what ends the connection of a reader that vanished or froze: the application can only stop
    writing to it. Raises ServerError.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        named = isinstance(error, socket.gaierror) or not error.errno
        reason = error.strerror if named else os.strerror(error.errno or 0)
        raise ServerError(f"Cannot listen on {host}, port {port}: {reason}.") from error
    timeout = int(unacknowledged_seconds * 1000)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, timeout)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    return listener


def configure_logging() -> None:
    """Log one line per event to stderr; a traceback follows its line."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.KeyValueRenderer(key_order=["timestamp", "level", "event"]),
        ],
        logger_factory=structlog.WriteLoggerFactory(cast(TextIO, _LastingStderr())),
        cache_logger_on_first_use=True,
    )
    # It warns of every line that is not HTTP, which anybody may send by the thousand.
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    logging.basicConfig(
        level=logging.WARNING, stream=sys.stderr, format="%(asctime)s %(levelname)s %(message)s"
    )


def run(
    application: FastAPI,
    listener: socket.socket,
    settings: ServiceSettings,
    *,
    exit_with_parent: bool = False,
) -> None:
    """Serve until SIGTERM or SIGINT; then end within seconds, streams or not."""
    log = structlog.get_logger()
    config = uvicorn.Config(
        application,
        loop="uvloop",
        http=bounded_protocol(
            header_timeout=settings.header_timeout.total_seconds(),
            body_timeout=settings.body_timeout.total_seconds(),
            connection_limit=_connection_limit(),
        ),
        timeout_keep_alive=IDLE_SECONDS,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=DRAIN_SECONDS,
    )
    server = _StreamEndingServer(config, application)
    # For a signal before uvicorn listens to them; and since uvicorn raises the signal again when it is
    # done, for an ordinary end with exit code 0.
    for number in _SIGNALS:
        signal.signal(number, lambda *_: server.request_end())
    if exit_with_parent:
        end_with_parent(sys.stdin.fileno())
    host, port = listener.getsockname()[:2]
    # What was imported stays: full collections, which come with every few thousand points, pass it over.
    gc.collect()
    gc.freeze()
    sys.setswitchinterval(_SWITCH_SECONDS)
    log.info("service starts", host=host, port=port, process=os.getpid())
    server.run(sockets=[listener])
    log.info("service ended")


def _connection_limit() -> int:
    """How many connections may be open, once as many file descriptors are allowed as can be."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return max(hard - _OTHER_DESCRIPTORS, hard // 2)


def end_with_parent(pipe: int) -> None:
    """Send this process SIGTERM when `pipe`, a descriptor whose other end only the parent holds, closes."""

    def wait_for_end() -> None:
        # Not through a file object: the interpreter could not close one that a thread is reading.
        while os.read(pipe, 1):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait_for_end, name="parent-watch", daemon=True).start()


class _LastingStderr(io.TextIOBase):
    """Standard error that never fails: a full disk under the log, or a reader of it that vanished, ends no
    request.
    """

    def write(self, text: str) -> int:
        with suppress(OSError):
            os.write(2, text.encode(errors="backslashreplace"))
        return len(text)


class _StreamEndingServer(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, application: FastAPI) -> None:
        super().__init__(config)
        self._application = application

    def request_end(self) -> None:
        self.should_exit = True

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        # No application state: the signal came before the application had started.
        state: ApplicationState | None = getattr(self._application.state, "shared", None)
        if state is not None:
            state.broadcast.close_soon()
        super().handle_exit(sig, frame)
