"""The wall page as it is served, before a stream and a day that say what a test tells them to."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from html import escape
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from screens.definition import Language, ViewKind
from screens.neutral import Circumstance, neutral_page
from screens.page import asset_names, json_for_html, load_bundle
from screens.routes import _POLICY
from tests.e2e.scripted_relay import ENDLESS, LEVELS, ScriptedRelay, event_text, feed

ZONE = "Europe/Zurich"
BUNDLE = load_bundle()
FACTS = {str(kind): kind.facts for kind in ViewKind}


def view(kind: str = "number", *names: str, **changes: Any) -> dict[str, Any]:
    """A view of the feeds called `names`, each for 100 people; `changes` says what is different."""
    usual: dict[str, Any] = {
        "kind": kind,
        "seconds": 10,
        "title": "Corner shop",
        "timezone": ZONE,
        "thresholds": {"filling": 70, "full": 90},
        "words": {"free": "", "filling": "", "full": ""},
        "feeds": [
            {"feed": name, "title": name.capitalize(), "timezone": ZONE, "capacity": 100}
            for name in names or ("shop",)
        ],
        "all": len(names) or 1,
        "is_missing": False,
    }
    if kind in FACTS and FACTS[kind].draws_day:
        usual["day"] = "door/day.json?view=0"
    return usual | changes


def typical_day() -> list[list[float]]:
    return [[minute + 7.5, max(0.0, 90 - abs(minute - 840) / 4)] for minute in range(0, 24 * 60, 15)]


class ScriptedWall(ScriptedRelay):
    """`address` + `screen/door` is the page."""

    def __init__(self, *views: dict[str, Any]) -> None:
        super().__init__()
        self.views = list(views) or [view()]
        self.language = "en"
        self.theme = "dark"
        self.version = "one"
        """Of the screen, as page and stream tell it."""
        self.reported_version: str | None = None
        """What the stream tells instead."""
        self.is_revoked = False
        self.stream_status = 200
        """Another one: that with which a proxy answers in the place of the stream."""
        self.refused = 0
        """How often it did."""
        self.is_over = False
        """Whether the address is that of a preview whose ticket has had its time."""
        self.feeds = {"shop": feed(time.time())}
        self.status = ""
        """What is reported of the screen, once, to all who look."""
        self.pages = 0
        """How often the page was asked for."""
        self.page_status = 200
        self.day: Any = None
        self.day_status = 200
        self.day_takes = 0.0
        """Seconds."""
        self.closed: list[list[float | None]] = []
        """When its places are closed: [begin, end] in epoch seconds."""
        self.without_hours: set[str] = set()
        """Names of feeds of places of which none are kept."""
        self.without_answer: set[str] = set()
        """Likewise of which nothing can be told now."""
        self.hours_asked = 0
        self.hours_failing = 0
        """How many of the next questions for that are answered with a failure."""
        self.is_still = False

    def routes(self) -> list[Route]:
        return [
            Route("/screen/door", self._screen),
            Route("/screen/door/stream", self._stream),
            Route("/screen/door/day.json", self._day),
            Route("/screen/door/hours.json", self._hours),
        ]

    @staticmethod
    def files() -> list[Route]:
        return [Route("/screen-assets/{version}/{name}", _asset)]

    async def _screen(self, _request: Request) -> Response:
        if self.is_over:
            over = neutral_page(Circumstance.PREVIEW_OVER, Language(self.language))
            return HTMLResponse(over.html, over.status)
        if self.is_revoked:
            return HTMLResponse("There is nothing to show.", 404)
        self.pages += 1
        config = {
            "name": "Door",
            "version": self.version,
            "language": self.language,
            "words": BUNDLE.words[Language(self.language)],
            "theme": self.theme,
            "stream": "door/stream",
            "hours": "door/hours.json",
            "views": self.views,
            "levels": LEVELS,
            "still": self.is_still,
        }
        shown = {one["kind"] for one in self.views}
        script, style = asset_names([kind for kind in ViewKind if str(kind) in shown])
        html = BUNDLE.page.substitute(
            language=self.language,
            theme=self.theme,
            title=escape("Door"),
            script=f"/screen-assets/{BUNDLE.version}/{script}",
            style=f"/screen-assets/{BUNDLE.version}/{style}",
            config=json_for_html(config),
        )
        return HTMLResponse(html, self.page_status, {"Content-Security-Policy": _POLICY})

    async def _day(self, _request: Request) -> Response:
        await asyncio.sleep(self.day_takes)
        return JSONResponse(self.day, self.day_status)

    async def _hours(self, _request: Request) -> Response:
        self.hours_asked += 1
        if self.hours_failing:
            self.hours_failing -= 1
            return Response("Bad gateway", 502)
        told = {one["feed"] for own in self.views for one in own["feeds"]} - self.without_answer
        kept = {name: [] if name in self.without_hours else self.closed for name in told}
        return JSONResponse({"closed": {name.split("/")[0]: spans for name, spans in kept.items()}})

    async def _stream(self, _request: Request) -> Response:
        if self.stream_status != 200:
            self.refused += 1
            return Response("Who are you?", self.stream_status)
        if self.is_revoked or self.is_over:
            return JSONResponse({"error": "There is nothing to show."}, 410 if self.is_over else 404)
        return StreamingResponse(self._say(), media_type="text/event-stream")

    async def _say(self) -> AsyncIterator[str]:
        self.connections += 1
        self.opened += 1
        said = len(self.changes)
        try:
            version = self.reported_version or self.version
            yield event_text("state", {"now": self.now(), "version": version, "feeds": self.feeds})
            while not self.ended.is_set():
                await asyncio.sleep(0.05)
                fresh = self.changes[said:]
                said += len(fresh)
                for change in fresh:
                    yield event_text("change", {"now": self.now(), "feeds": change})
                if self.status:
                    yield event_text("screen", {"status": self.status})
                    return
                if not self.is_silent:
                    yield event_text("beat", {"now": self.now()})
        finally:
            self.connections -= 1


async def _asset(request: Request) -> Response:
    asset = BUNDLE.assets[request.path_params["name"]]
    return Response(asset.content, 200, ENDLESS, asset.media_type)
