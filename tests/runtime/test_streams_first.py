from __future__ import annotations

import httpx
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from live import STREAM
from runtime.streams_first import StreamsFirst


class Layer:
    """What lies between the middleware and the routes, and notes what passes it."""

    def __init__(self, app: ASGIApp, passed: list[str]) -> None:
        self._app = app
        self._passed = passed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            self._passed.append(f"{scope['method']} {scope['path']}")
        await self._app(scope, receive, send)


async def told(request: Request) -> Response:
    return PlainTextResponse(f"{request.path_params.get('token')} {request.query_params.get('a')}")


async def failing(_request: Request) -> Response:
    raise ZeroDivisionError


ROUTES = [
    Route("/screen/{token}/stream", told, methods=["GET"], name=STREAM),
    Route("/screen/{token}/fails", failing, methods=["GET"], name=STREAM),
    Route("/screen/{token}", told, methods=["GET"]),
]


@pytest.mark.parametrize(
    ("method", "path", "answered", "passes"),
    [
        ("GET", "/screen/x/stream?a=1", (200, "x 1"), False),
        ("GET", "/screen/x?a=1", (200, "x 1"), True),
        ("POST", "/screen/x/stream", (405, "Method Not Allowed"), True),
        ("GET", "/screen/x/fails", (500, "Internal Server Error"), False),
        ("GET", "/nowhere", (404, "Not Found"), True),
    ],
)
async def test_streams_pass_no_layer_and_all_else_does(
    method: str, path: str, answered: tuple[int, str], passes: bool
) -> None:
    passed: list[str] = []
    layers = [Middleware(StreamsFirst, routes=ROUTES), Middleware(Layer, passed=passed)]
    application = Starlette(routes=ROUTES, middleware=layers)
    transport = httpx.ASGITransport(application, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
        answer = await client.request(method, path)
    assert (answer.status_code, answer.text) == answered
    assert passed == ([f"{method} {path.partition('?')[0]}"] if passes else [])
