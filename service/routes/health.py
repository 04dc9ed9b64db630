"""`GET /healthz`: whether the process serves and can store, for whoever watches it. Needs no key."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from service.envelope import success
from service.failures import store_failure
from service.routes.documentation import failures
from service.surroundings import surroundings_of

router = APIRouter(tags=["health"])


@router.get(
    "/healthz",
    summary="Whether the service runs, and how many live streams are open",
    response_description="It runs.",
    responses=failures(503, 507),
)
async def health(request: Request) -> Response:
    """503 where the store's file is gone, damaged or out of reach, 507 where its disk is full."""
    surroundings = surroundings_of(request)
    if trouble := surroundings.store.trouble():
        return store_failure(request, trouble)
    reason = surroundings.loading()
    loading = reason.message if reason else None
    state = {"loading": loading, "openStreams": surroundings.broadcast.subscriber_count}
    return success(request, state)
