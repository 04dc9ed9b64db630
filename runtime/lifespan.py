"""What begins and ends with the dashboard: the embedded service, the hub, the open streams of browsers."""

from __future__ import annotations

import asyncio
import gc
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
from runtime.health_routes import health_routes
from runtime.log_lines import configure_logging
from runtime.resources import close_resources, get_client, get_hub, get_signer
from runtime.screens import close_screens, get_screens, get_viewers
from screens import screen_routes

_ENDING_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


def live_routes() -> Sequence[BaseRoute]:
    """The routes over which browsers receive live values, and those that tell how all that goes."""
    routes = [
        *relay_routes(get_hub, get_signer),
        *screen_routes(get_screens, get_client, get_hub, get_viewers),
        *health_routes(get_hub),
    ]
    return [*routes, *_below(st.get_option("server.baseUrlPath"), routes)]


def _below(prefix: str | None, routes: Sequence[Route]) -> list[Route]:
    """The same under `server.baseUrlPath`, which Streamlit puts before its own routes alone."""
    path = (prefix or "").strip("/")
    if not path:
        return []
    return [Route(f"/{path}{one.path}", one.endpoint, methods=list(one.methods or ())) for one in routes]


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[None]:
    """Start what the dashboard needs; it serves also where the service could not be started."""
    configure_logging()
    leave_pages_folder_alone()
    _end_streams_on_signals()
    try:
        await asyncio.to_thread(get_hub)
        gc.collect()
        # What is loaded by now stays loaded: no later collection needs to walk it.
        gc.freeze()
        yield
    finally:
        await asyncio.to_thread(close_resources)
        close_screens()


def _end_streams_on_signals() -> None:
    """End open streams on the signal itself.

    The server waits for open responses before it ends the lifespan, and a browser never closes its stream.
    """
    if threading.current_thread() is not threading.main_thread():
        return  # Whoever serves from another thread receives the signals, too.
    for number in _ENDING_SIGNALS:
        signal.signal(number, partial(_end, signal.getsignal(number)))


def _end(previous: object, received: int, frame: FrameType | None) -> None:
    close_streams()
    server = getattr(previous, "__self__", None)
    if isinstance(server, uvicorn.Server) and not server.should_exit:
        # Handed on, the signal would be raised again after an orderly end, which then looks like a crash.
        server.should_exit = True
    elif callable(previous):
        previous(received, frame)
