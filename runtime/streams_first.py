"""Live streams are answered before Streamlit's layers see them.

A wall's stream is open for hours, and each layer around it holds a coroutine for as long: those of Streamlit
and Starlette, which know nothing of streams, were a third of the memory that a screen takes.
"""

from __future__ import annotations

from collections.abc import Iterable

from starlette.requests import Request
from starlette.routing import BaseRoute, Match, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from live import STREAM


class StreamsFirst:
    """Middleware: the routes named `STREAM`, and everything else for the layers within.

    Those within have the routes, too, and refuse other methods. What an endpoint raises is answered as any
    error of the application is.
    """

    def __init__(self, app: ASGIApp, routes: Iterable[BaseRoute]) -> None:
        self._app = app
        self._streams = [route for route in routes if isinstance(route, Route) and route.name == STREAM]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        for route in self._streams:
            match, found = route.matches(scope)
            if match is Match.FULL:
                answer = await route.endpoint(Request({**scope, **found}, receive))
                break
        else:
            answer = self._app
        await answer(scope, receive, send)
