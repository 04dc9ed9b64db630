"""`GET /healthz`: whether the process answers, for whoever watches it. Needs no key."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from service.envelope import success
from service.surroundings import surroundings_of

router = APIRouter(tags=["health"])


@router.get(
    "/healthz",
    summary="Whether the service runs, and how many live streams are open",
    response_description="It runs.",
)
async def health(request: Request) -> Response:
    surroundings = surroundings_of(request)
    loading = surroundings.loading()
    state = {"loading": loading, "openStreams": surroundings.broadcast.subscriber_count}
    return success(request, state)
