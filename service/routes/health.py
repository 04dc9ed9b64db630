"""`GET /healthz`: whether the process serves and can store, for whoever watches it. Needs no key."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from service.application_state import application_state_of
from service.envelope import success
from service.exception_handlers import store_failure
from service.openapi import error_responses

router = APIRouter(tags=["health"])


@router.get(
    "/healthz",
    summary="Whether the service runs, and how many live streams are open",
    response_description="It runs.",
    responses=error_responses(503, 507),
)
async def health(request: Request) -> Response:
    """`feeds`: of what else counters report by way of, such as a broker, whether it is connected, and what is
    amiss. 503 where the store's file is gone, damaged or out of reach, 507 where its disk is full.
    """
    state = application_state_of(request)
    if trouble := state.store.trouble():
        return store_failure(request, trouble)
    reason = state.unready()
    loading = reason.message if reason else None
    feeds = {name: feed.told() for name, feed in state.feeds.items()}
    told = {"loading": loading, "openStreams": state.broadcast.subscriber_count, "feeds": feeds}
    return success(request, told)
