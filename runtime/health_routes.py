"""`/healthz`, `/readyz` and `/metrics` of the dashboard, for whoever runs it; none needs a login.

They name sites and say why a service cannot be reached: the proxy in front keeps them from strangers. None
waits long for the service, or for a worker thread that may wait for it: they answer when all else hangs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from prometheus_client.exposition import choose_encoder
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from live import Hub
from runtime.dashboard_metrics import dashboard_registry
from runtime.readiness import readiness
from runtime.service_probe import ServiceProbe
from runtime.upstream import Upstream

_NO_STORE: Final = {"cache-control": "no-store"}
_PATIENCE: Final = 3.0
"""Seconds for what needs no service: only a dashboard that is still starting takes longer."""
_STARTING: Final = "The dashboard is still starting."

Content = TypeVar("Content")


def health_routes(get_hub: Callable[[], Hub], get_upstream: Callable[[], Upstream]) -> list[Route]:
    """The three routes. Hub and upstream are asked for at each request, in threads of their own."""
    registry = dashboard_registry(get_hub)
    probe = ServiceProbe()
    threads = ThreadPoolExecutor(2, thread_name_prefix="health")

    async def soon(work: Callable[[], Content]) -> Content:
        """Raises TimeoutError."""
        async with asyncio.timeout(_PATIENCE):
            return await asyncio.get_running_loop().run_in_executor(threads, work)

    async def alive(_request: Request) -> Response:
        return JSONResponse({"status": "serving"}, headers=_NO_STORE)

    async def ready(_request: Request) -> Response:
        try:
            hub, upstream = await soon(lambda: (get_hub(), get_upstream()))
        except TimeoutError:
            return JSONResponse({"ready": False, "reasons": [_STARTING]}, 503, _NO_STORE)
        found = await readiness(hub, upstream, probe)
        return JSONResponse(found, status_code=200 if found["ready"] else 503, headers=_NO_STORE)

    async def metrics(request: Request) -> Response:
        encode, content_type = choose_encoder(request.headers.get("accept", ""))
        try:
            body = await soon(lambda: encode(registry))
        except TimeoutError:
            return Response(_STARTING, 503, _NO_STORE, "text/plain")
        return Response(body, headers=_NO_STORE | {"content-type": content_type})

    return [
        Route("/healthz", alive, methods=["GET"]),
        Route("/readyz", ready, methods=["GET"]),
        Route("/metrics", metrics, methods=["GET"]),
    ]
