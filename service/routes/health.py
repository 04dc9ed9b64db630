"""`GET /healthz`, `/readyz` and `/metrics`: how the process is, for whoever watches it. They need no key."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from prometheus_client.exposition import choose_encoder
from starlette.responses import Response

from service.application_state import application_state_of
from service.envelope import success
from service.exception_handlers import ServiceError, store_failure
from service.openapi import error_responses
from service.service_metrics import service_registry

router = APIRouter(tags=["health"])


@router.get(
    "/healthz",
    summary="Whether the service runs, and how many live streams are open",
    response_description="It runs.",
    responses=error_responses(503, 507),
)
async def health(request: Request) -> Response:
    """`feeds`: of what else counters report by way of, such as a broker, whether it is connected, and what is
    amiss. `replica`, where there is one: whether ranges are read from it, how many seconds it is behind at
    most, and what is amiss. 503 where the store is gone, damaged or out of reach, 507 where its disk is full.
    """
    state = application_state_of(request)
    if trouble := state.store.trouble():
        return store_failure(request, trouble)
    reason = state.unready()
    loading = reason.message if reason else None
    feeds = {name: feed.told() for name, feed in state.feeds.items()}
    told: dict[str, Any] = {
        "loading": loading,
        "openStreams": state.broadcast.subscriber_count,
        "feeds": feeds,
    }
    if replica := state.store.replica():
        told["replica"] = {
            "read": replica.seconds_behind is not None,
            "secondsBehind": replica.seconds_behind and round(replica.seconds_behind, 1),
            "trouble": replica.trouble,
        }
    return success(request, told)


@router.get(
    "/readyz",
    summary="Whether the service should be asked, and what is amiss although it should",
    response_description="It answers.",
    responses=error_responses(503, 507),
)
async def readiness(request: Request) -> Response:
    """`troubles`: what is amiss, by the name of the feed, or of the `replica`. Without that, as without the
    servers by which services hear of each other, or a broker, a service answers all the same: so it is ready.
    503 and 507 as of `/healthz`, and 503 while it loads what it cannot answer without.
    """
    state = application_state_of(request)
    if trouble := state.store.trouble():
        return store_failure(request, trouble)
    if reason := state.unready():
        raise ServiceError([reason])
    told = {name: feed.told().get("trouble") for name, feed in state.feeds.items()}
    if replica := state.store.replica():
        told["replica"] = replica.trouble
    return success(request, {"troubles": {name: trouble for name, trouble in told.items() if trouble}})


@router.get("/metrics", include_in_schema=False)
async def metrics(request: Request) -> Response:
    """For Prometheus, in the form that it asks for."""
    encode, content_type = choose_encoder(request.headers.get("accept", ""))
    registry = service_registry(lambda: application_state_of(request))
    return Response(encode(registry), media_type=content_type)
