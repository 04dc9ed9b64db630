"""`/healthz`, `/readyz` and `/metrics` of the dashboard, for whoever runs it; none needs a login.

They name sites and say why a service cannot be reached: the proxy in front keeps them from strangers.
"""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client.exposition import choose_encoder
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from live import Hub
from runtime.dashboard_metrics import dashboard_registry
from runtime.readiness import readiness

_NO_STORE = {"cache-control": "no-store"}


def health_routes(get_hub: Callable[[], Hub]) -> list[Route]:
    """The three routes. The hub is asked for at each request, in a worker thread."""
    registry = dashboard_registry(get_hub)

    async def alive(_request: Request) -> Response:
        return JSONResponse({"status": "serving"}, headers=_NO_STORE)

    def ready(_request: Request) -> Response:
        found = readiness(get_hub())
        return JSONResponse(found, status_code=200 if found["ready"] else 503, headers=_NO_STORE)

    def metrics(request: Request) -> Response:
        encode, content_type = choose_encoder(request.headers.get("accept", ""))
        return Response(encode(registry), headers=_NO_STORE | {"content-type": content_type})

    return [
        Route("/healthz", alive, methods=["GET"]),
        Route("/readyz", ready, methods=["GET"]),
        Route("/metrics", metrics, methods=["GET"]),
    ]
