"""Request id: the outermost middleware gives each request one, and answers 500 for errors nobody handled."""

from __future__ import annotations

import asyncio
from typing import Final
from uuid import uuid4

import structlog
from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from contract import ErrorCode
from service.envelope import failure
from service.exception_handlers import RETRY_AFTER_SECONDS, entry

REQUEST_ID_HEADER: Final = "x-request-id"


class RequestIdMiddleware:
    """ASGI middleware. Sets `request.state.request_id` and the response header `x-request-id`, and
    `request.state.is_head`: whether the body is left away.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = str(uuid4())
        is_head = scope["method"] == "HEAD"
        if is_head:
            # What answers GET answers HEAD; the server leaves the body away, by its own copy of the method.
            scope = {**scope, "method": "GET"}
        scope.setdefault("state", {}).update(request_id=request_id, is_head=is_head)
        started = False

        async def send_with_id(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                MutableHeaders(scope=message)[REQUEST_ID_HEADER] = request_id
            await send(message)

        try:
            await self._app(scope, receive, send_with_id)
        except ClientDisconnect:
            return  # It left before its body had arrived: nobody is there to be answered.
        except asyncio.CancelledError:
            # The server ends and has waited as long as it does.
            if started:
                raise
            await _ending(request_id)(scope, receive, send_with_id)
        except Exception:  # noqa: BLE001 - the supervisor's edge: whatever it is, the caller gets an answer
            structlog.get_logger().exception("request failed", request_id=request_id, path=scope["path"])
            # An answer that has begun cannot become another one; the server then cuts the connection.
            if not started:
                await _internal_error(request_id)(scope, receive, send_with_id)


def _ending(request_id: str) -> ASGIApp:
    message = "The service ends, and whether this was done is not known; send it again."
    refused = entry(ErrorCode.SERVICE_UNAVAILABLE, message)
    return failure(request_id, [refused], {"Retry-After": RETRY_AFTER_SECONDS})


def _internal_error(request_id: str) -> ASGIApp:
    message = "The service failed; its log says why under this request id."
    return failure(request_id, [entry(ErrorCode.INTERNAL_ERROR, message)])
