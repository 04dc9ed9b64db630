"""The body of a request, read within bounds: of its size, its time, and the memory of all bodies together."""

from __future__ import annotations

import asyncio
import re
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Final

import orjson
from starlette.requests import Request

from contract import ErrorCode
from service.exception_handlers import ServiceError, entry, refusal
from service.thread_pools import PoolFullError

_JSON: Final = re.compile(r"application/([!#$&^_.+a-z0-9-]+\+)?json[ \t]*(;.*)?", re.ASCII)
_GZIP_WINDOW: Final = 16 + zlib.MAX_WBITS
_SMALL: Final = 64 * 1024
"""Bytes of a body that takes none of the memory that large ones share."""

_PIECE: Final = 64 * 1024
"""Bytes that are unpacked before others have their turn."""


class BodyReader:
    """Reads JSON bodies; all that are being worked on at once have `memory` bytes between them.

    Small ones are always taken, so that nobody's large ones keep sensors from posting.
    """

    def __init__(self, patience: timedelta, memory: int) -> None:
        self._patience = patience
        self._left = memory

    @asynccontextmanager
    async def read(self, request: Request, limit: int, *, is_json: bool = True) -> AsyncIterator[bytes]:
        """The whole body, unpacked, at most `limit` bytes, for as long as the block lasts.

        Unless it `is_json`, its Content-Type may be any. ServiceError when it is larger (413), takes longer
        than `patience` to arrive (408), or has a Content-Type or Content-Encoding that is not taken (415);
        PoolFullError without memory.
        """
        _check_headers(request, limit, is_json=is_json)
        pieces, collected, held = _unpacked(request, limit), bytearray(), 0
        try:
            try:
                async with asyncio.timeout(self._patience.total_seconds()):
                    async for piece in pieces:
                        collected += piece
                        if len(collected) > limit:
                            raise _too_large(limit)
                        if len(collected) > _SMALL:
                            self._take(len(collected) - held)
                            held = len(collected)
            except TimeoutError as error:
                raise _too_late(self._patience) from error
            yield bytes(collected)
        finally:
            self._left += held

    def _take(self, size: int) -> None:
        if size > self._left:
            raise PoolFullError("Too many large bodies are being read; send it again.")
        self._left -= size


def _check_headers(request: Request, limit: int, *, is_json: bool) -> None:
    content_type = request.headers.get("content-type", "").strip().lower()
    if is_json and content_type and not _JSON.fullmatch(content_type):
        message = "Send JSON, with Content-Type: application/json."
        raise refusal(ErrorCode.UNSUPPORTED_MEDIA_TYPE, message)
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > limit:
        raise _too_large(limit)


def parse_json(body: bytes) -> object:
    """ServiceError (MALFORMED_JSON) when `body` is not JSON."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise refusal(ErrorCode.MALFORMED_JSON, f"The body is not JSON: {error}.") from error


def _unpacked(request: Request, limit: int) -> AsyncIterator[bytes]:
    encoding = ",".join(request.headers.getlist("content-encoding")).strip().lower()
    if encoding in {"", "identity"}:
        return request.stream()
    if encoding in {"gzip", "x-gzip"}:
        return _inflated(request.stream(), limit)
    message = "Send the body as it is, or with Content-Encoding: gzip."
    raise ServiceError(
        [entry(ErrorCode.UNSUPPORTED_ENCODING, message)], {"Accept-Encoding": "gzip, identity"}
    )


async def _inflated(packed: AsyncIterator[bytes], limit: int) -> AsyncIterator[bytes]:
    """What one gzip member holds, in pieces. What it packs is not trusted to be small."""
    unpacking, received = zlib.decompressobj(_GZIP_WINDOW), 0
    async for piece in packed:
        received += len(piece)
        if received > limit:
            raise _too_large(limit)
        left = piece
        while left and not unpacking.eof:
            try:
                yield unpacking.decompress(left, _PIECE)
            except zlib.error as error:
                raise _not_gzip() from error
            left = unpacking.unconsumed_tail
            await asyncio.sleep(0)
        if unpacking.unused_data or (left and unpacking.eof):
            raise _not_gzip()
    while not unpacking.eof:
        try:
            rest = unpacking.decompress(unpacking.unconsumed_tail, _PIECE)
        except zlib.error as error:
            raise _not_gzip() from error
        if not rest:
            raise _not_gzip()
        yield rest


def _too_large(limit: int) -> ServiceError:
    return refusal(ErrorCode.BODY_TOO_LARGE, f"The body has more than the {limit} bytes allowed here.")


def _too_late(patience: timedelta) -> ServiceError:
    message = f"The body did not arrive within {patience.total_seconds():g} s."
    return ServiceError([entry(ErrorCode.REQUEST_TIMEOUT, message)], {"Connection": "close"})


def _not_gzip() -> ServiceError:
    message = "The body is not the single gzip member that its Content-Encoding announces."
    return refusal(ErrorCode.INVALID_ENCODING, message)
