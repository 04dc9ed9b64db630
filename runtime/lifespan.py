"""What begins and ends with the dashboard: the log, the embedded service, the hub, browsers' open streams.

On SIGTERM and SIGINT: `_end`.
"""

from __future__ import annotations

import asyncio
import gc
import io
import os
import signal
import threading
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Final, TextIO, cast

import streamlit as st
import structlog

from keeping.folder_use import folder_used
from live import close_streams
from runtime._compat import leave_pages_folder_alone, server_of, watch_no_sources
from runtime.demo import begin_demo
from runtime.fellows import this_one
from runtime.host_check import say_who_may_open
from runtime.kept_place import close_kept_place, kept_place
from runtime.login import installed_login
from runtime.resources import close_resources, close_screens, end_reads, get_hub
from runtime.settings import get_settings
from runtime.site_reports import close_survey

_ENDING_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
_GRACE: Final = 2
"""Seconds that requests, and after all is closed threads, may go on waiting."""


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[None]:
    """Start what the dashboard needs; it serves also where the service could not be started."""
    configure_logging()
    say_who_may_open(
        st.get_option("server.address"),
        has_login=installed_login() is not None,
        is_meant=get_settings().open_to_network,
    )
    leave_pages_folder_alone()
    watch_no_sources()
    _end_what_waits_on_signals()
    ended = threading.Event()
    fellows = ExitStack()
    try:
        await asyncio.to_thread(get_hub)
        if isinstance(place := kept_place(), Path):
            fellows.enter_context(folder_used(place))
        fellows.enter_context(this_one().told())
        begin_demo(ended)
        gc.collect()
        # What is loaded by now stays loaded: no later collection needs to walk it.
        gc.freeze()
        yield
    finally:
        ended.set()
        close_survey()
        await asyncio.to_thread(fellows.close)
        await asyncio.to_thread(close_resources)
        close_screens()
        close_kept_place()
        _leave_waiting_threads()


def _end_what_waits_on_signals() -> None:
    """End open streams, and answers that wait for the service, on the signal itself.

    The server waits for open responses before it ends the lifespan, a browser never closes its stream, and a
    service that hangs does not answer.
    """
    if threading.current_thread() is not threading.main_thread():
        return  # Whoever serves from another thread receives the signals, too.
    for number in _ENDING_SIGNALS:
        signal.signal(number, partial(_end, signal.getsignal(number)))


def _end(previous: object, received: int, frame: FrameType | None) -> None:
    close_streams(for_good=True)
    end_reads()
    server = server_of(previous)
    if server and not server.should_exit:
        # Handed on, the signal would be raised again after an orderly end, which then looks like a crash.
        server.should_exit = True
        server.config.timeout_graceful_shutdown = _GRACE
    elif callable(previous):
        previous(received, frame)


def _leave_waiting_threads() -> None:
    """End the process although a thread still waits for the operating system.

    By now everything is closed, and every read has been ended. A look-up of the service's name cannot be: the
    interpreter would wait for a resolver that does not answer.
    """
    if threading.current_thread() is not threading.main_thread():
        return  # The process is whoever's serves from another thread.
    last_resort = threading.Timer(_GRACE, os._exit, (0,))
    last_resort.daemon = True
    last_resort.start()


def configure_logging() -> None:
    """Log in the service's format, so that one parser reads both; tracebacks follow their line."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.KeyValueRenderer(key_order=["timestamp", "level", "event"]),
        ],
        logger_factory=structlog.PrintLoggerFactory(cast("TextIO", _LastingStderr())),
    )


class _LastingStderr(io.TextIOBase):
    """Standard error that never fails: a full disk under the log, or a reader of it that vanished, ends no
    feed, and no watch over the service.
    """

    def write(self, text: str) -> int:
        with suppress(OSError):
            os.write(2, text.encode(errors="backslashreplace"))
        return len(text)
