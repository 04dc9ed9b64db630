"""A relay that says what a test tells it to, to a bare page with the gauge: no Streamlit, no hub."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route

import gauge
from components.live_gauge import FOLDER, page_script
from tests.eventually import PATIENCE
from tests.running_service import free_port

LEVELS = {
    name: {"word": name.capitalize(), "colour": colour}
    for name, colour in (
        ("free", "#009E73"),
        ("filling", "#E69F00"),
        ("full", "#D55E00"),
        ("unknown", "#7A828D"),
        ("closed", "#7A828D"),
    )
}


ENDLESS: Final = {"Cache-Control": "public, max-age=31536000, immutable"}
"""As the dashboard serves its files: a browser that has compiled one for a test has it for the next."""

_numbers = count()


def feed(now: float, **changes: Any) -> dict[str, Any]:
    """A feed that is live and was measured this minute; `changes` says what is different."""
    minute = int(now) - int(now) % 60
    usual = {
        "state": "live",
        "since": minute - 600,
        "reason": "",
        "next": "",
        "retry_in": None,
        "is_summary": False,
        "usual_gap": None,
        "past_unread": False,
        "inside": 80,
        "measured_at": minute,
        "confirmed_age": 1.0,
        "drift": None,
        "entrances_today": 300,
        "exits_today": 220,
        "today_since": minute - 3600,
        "fullest_today": {"inside": 95, "at": minute, "since": None},
        "points": [[minute - 60 * ago, 80 - ago] for ago in range(30, -1, -1)],
    }
    return usual | changes


class ScriptedRelay:
    def __init__(self) -> None:
        self.feeds: dict[str, Any] = {}
        self.now = time.time
        self.connections = 0
        """Streams open at this moment."""
        self.opened = 0
        """Streams opened so far."""
        self.is_silent = False
        self.refuses = False
        self.changes: list[dict[str, Any]] = []
        self.ended = threading.Event()
        self.items: list[dict[str, Any]] = []
        self.closed_sites: dict[str, list[list[float | None]]] = {}
        """When sites are closed, by name: [begin, end] in epoch seconds."""
        self.locale = "en-GB"
        self.usual: dict[str, Any] = {"feeds": {}, "missing": 0}
        """What typical days are known."""
        self.usual_asked: list[dict[str, list[str]]] = []
        """For which feeds, at each question."""

    def routes(self) -> list[Route]:
        return [
            Route("/", self._page),
            Route("/live/stream", self._stream),
            Route("/live/usual", self._usual),
        ]

    @staticmethod
    def files() -> list[Route]:
        """What is the same for all, at the root of whatever server."""
        return [Route("/gauge.js", _script), Route("/gauge.css", _style)]

    async def _page(self, _request: Request) -> Response:
        options = {
            "url": "live/stream",
            "usual_url": "live/usual",
            "token": "first",
            "locale": self.locale,
            "thresholds": {"filling": 70, "full": 90},
            "levels": LEVELS,
            "items": self.items,
            "closed": self.closed_sites,
        }
        return HTMLResponse(
            "<!doctype html><meta charset=utf-8><link rel=stylesheet href=/gauge.css>"
            "<div id=root></div><script src=/gauge.js></script>"
            f"<script>window.options = {json.dumps(options)};"
            "window.view = createLiveView(document.getElementById('root'), window.options, arrangePage);"
            "</script>"
        )

    async def _stream(self, _request: Request) -> Response:
        if self.refuses:
            return JSONResponse({"error": "This view has expired."}, 401)
        return StreamingResponse(self._say(), media_type="text/event-stream")

    async def _usual(self, request: Request) -> Response:
        names = {name: request.query_params.getlist(name) for name in ("feed", "today")}
        self.usual_asked.append(names)
        return JSONResponse(self.usual)

    async def _say(self) -> AsyncIterator[str]:
        self.connections += 1
        self.opened += 1
        said = len(self.changes)
        try:
            if not self.is_silent:
                yield event_text("state", {"now": self.now(), "token": "renewed", "feeds": self.feeds})
            while not self.ended.is_set():
                await asyncio.sleep(0.05)
                fresh = self.changes[said:]
                said += len(fresh)
                for change in fresh:
                    yield event_text("change", {"now": self.now(), "feeds": change})
                if not self.is_silent:
                    yield event_text("beat", {"now": self.now()})
        finally:
            self.connections -= 1


def event_text(kind: str, data: dict[str, Any]) -> str:
    return f"event: {kind}\ndata: {json.dumps(data)}\n\n"


async def _script(_request: Request) -> Response:
    return Response(page_script((FOLDER / "live_page.js").read_text()), 200, ENDLESS, "text/javascript")


async def _style(_request: Request) -> Response:
    return Response(gauge.style(), 200, ENDLESS, "text/css")


@contextmanager
def serving(relay: ScriptedRelay, port: int | None = None) -> Iterator[str]:
    """The address of the page, while `relay` serves it on loopback: below a path of its own of a server that
    lasts, or by a server on that `port` that ends with it.
    """
    if port:
        server, thread = _started(Starlette(routes=[*relay.routes(), *relay.files()]), port)
        try:
            yield f"http://127.0.0.1:{port}/"
        finally:
            relay.ended.set()
            server.should_exit = True
            thread.join(PATIENCE)
        return
    shared, base_url = _shared_server()
    own = Mount(f"/{next(_numbers)}", routes=relay.routes())
    there = {route.path for route in shared.routes if isinstance(route, Route)}
    shared.router.routes += [own, *(file for file in relay.files() if file.path not in there)]
    try:
        yield f"{base_url}{own.path}/"
    finally:
        relay.ended.set()
        _wait_for(lambda: not relay.connections)
        shared.router.routes.remove(own)


@cache
def _shared_server() -> tuple[Starlette, str]:
    """Of this process, as long as it lives: the application, and its address without a trailing slash."""
    app, port = Starlette(), free_port()
    _started(app, port)
    return app, f"http://127.0.0.1:{port}"


def _started(app: Starlette, port: int) -> tuple[uvicorn.Server, threading.Thread]:
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning", timeout_graceful_shutdown=2))
    thread = threading.Thread(target=server.run, name="scripted-relay", daemon=True)
    thread.start()
    _wait_for(lambda: server.started)
    return server, thread


def _wait_for(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.02)
