"""What begins and ends with the dashboard: the embedded service, the hub, the open streams of browsers."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from types import FrameType
from typing import Final

import streamlit as st
import uvicorn
from starlette.routing import BaseRoute, Route

from live import close_streams, relay_routes
from runtime._compat import leave_pages_folder_alone
from runtime.first_page import first_page_routes
from runtime.health_routes import health_routes
from runtime.host_check import say_who_may_open
from runtime.log_lines import configure_logging
from runtime.other_addresses import other_addresses_route
from runtime.resources import close_resources, end_reads, get_client, get_hub, get_signer
from runtime.screens import close_screens, get_previews, get_screens, get_shown, get_viewers
from runtime.site_reports import close_survey
from runtime.upstream import get_upstream
from runtime.usual_routes import usual_routes
from screens import screen_routes

_ENDING_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
_GRACE: Final = 2
"""Seconds that requests, and after all is closed threads, may go on waiting."""


def live_routes() -> Sequence[BaseRoute]:
    """The routes over which browsers receive pages and live values, and those that tell how all that goes."""
    routes = [
        *relay_routes(get_hub, get_signer),
        *usual_routes(get_client, get_signer),
        *screen_routes(get_screens, get_client, get_hub, get_viewers, get_previews, get_shown=get_shown),
        *health_routes(get_hub, get_upstream),
    ]
    prefix = st.get_option("server.baseUrlPath") or ""
    return [*routes, *_below(prefix, routes), *first_page_routes(prefix), other_addresses_route(prefix)]


def _below(prefix: str, routes: Sequence[Route]) -> list[Route]:
    """The same under `server.baseUrlPath`, which Streamlit puts before its own routes alone."""
    path = prefix.strip("/")
    if not path:
        return []
    return [Route(f"/{path}{one.path}", one.endpoint, methods=list(one.methods or ())) for one in routes]


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[None]:
    """Start what the dashboard needs; it serves also where the service could not be started."""
    configure_logging()
    say_who_may_open(st.get_option("server.address"))
    leave_pages_folder_alone()
    _end_what_waits_on_signals()
    try:
        await asyncio.to_thread(get_hub)
        gc.collect()
        # What is loaded by now stays loaded: no later collection needs to walk it.
        gc.freeze()
        yield
    finally:
        close_survey()
        await asyncio.to_thread(close_resources)
        close_screens()
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
    close_streams()
    end_reads()
    server = getattr(previous, "__self__", None)
    if isinstance(server, uvicorn.Server) and not server.should_exit:
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
