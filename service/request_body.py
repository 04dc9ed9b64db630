"""Reading a request's body without ever holding more of it than is allowed."""

from __future__ import annotations

from collections.abc import AsyncIterator

import orjson
from starlette.requests import Request

from contract import ErrorCode
from service.failures import ServiceError, refusal


async def read_body(request: Request, limit: int) -> bytes:
    """The whole body, at most `limit` bytes; ServiceError (413) beyond."""
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > limit:
        raise _too_large(limit)
    return await _collect(request.stream(), limit)


def parse_json(body: bytes) -> object:
    """ServiceError (MALFORMED_JSON) when `body` is not JSON."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise refusal(ErrorCode.MALFORMED_JSON, f"The body is not JSON: {error}.") from error


async def _collect(pieces: AsyncIterator[bytes], limit: int) -> bytes:
    collected = bytearray()
    async for piece in pieces:
        collected += piece
        if len(collected) > limit:
            raise _too_large(limit)
    return bytes(collected)


def _too_large(limit: int) -> ServiceError:
    return refusal(ErrorCode.BODY_TOO_LARGE, f"The body has more than the {limit} bytes allowed here.")
