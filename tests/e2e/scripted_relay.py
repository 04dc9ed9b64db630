"""A relay that says what a test tells it to, to a bare page with the gauge: no Streamlit, no hub."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

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
        scripts = page_script((FOLDER / "live_page.js").read_text())
        return HTMLResponse(
            f"<!doctype html><meta charset=utf-8><style>{gauge.style()}</style>"
            f"<div id=root></div><script>{scripts}\nwindow.options = {json.dumps(options)};"
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


@contextmanager
def serving(relay: ScriptedRelay, port: int | None = None) -> Iterator[str]:
    """The address of the page, while `relay` serves it on loopback from a thread of its own."""
    port = port or free_port()
    server = uvicorn.Server(
        uvicorn.Config(
            Starlette(routes=relay.routes()), port=port, log_level="warning", timeout_graceful_shutdown=2
        )
    )
    thread = threading.Thread(target=server.run, name="scripted-relay", daemon=True)
    thread.start()
    deadline = time.monotonic() + PATIENCE
    while not server.started and time.monotonic() < deadline:
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{port}/"
    finally:
        relay.ended.set()
        server.should_exit = True
        thread.join(PATIENCE)
