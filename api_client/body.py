"""Bodies of answers, read in pieces and bounded in size, unpacked too: 1 MB may unpack to 1 GB.

httpx unpacks a whole chunk at once, in any number of layers, so 64 KiB may become gigabytes before they can
be counted. Here only gzip is asked for and undone, in pieces.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Iterator
from typing import Final

import httpx

from api_client.errors import BrokenAnswer

LARGEST_ANSWER: Final = 16 * 1024 * 1024
"""In bytes, unpacked. A year of hours is 2 MiB."""
LARGEST_ERROR: Final = 64 * 1024
"""In bytes, unpacked; what an error says beyond that is not read."""
ENCODING_HEADERS: Final = {"accept-encoding": "gzip"}
"""What `whole` undoes."""
STREAM_ENCODING_HEADERS: Final = {"accept-encoding": "identity"}
"""A stream has no size that could bound it: a few KiB that unpack to events for hours would pass."""

_PIECE: Final = 64 * 1024
_OF_TRANSPORT: Final = frozenset({"content-encoding", "content-length", "transfer-encoding"})


async def whole(response: httpx.Response) -> httpx.Response:
    """The same answer with its body read. Raises BrokenAnswer for one too large, httpx.RequestError."""
    if response.next_request is not None:
        return response  # a redirect: nobody reads its body
    limit = LARGEST_ERROR if response.is_error else LARGEST_ANSWER
    body = bytearray()
    async for piece in _unpacked(response):
        await asyncio.sleep(0)  # a body may be in memory already, in pieces of a byte
        body += piece
        if len(body) > limit:
            if response.is_error:
                break
            raise BrokenAnswer(
                f"The answer is larger than {limit // 1024**2} MiB. Ask for less, or check the base URL.",
                code="ANSWER_TOO_LARGE",
                request_id=response.headers.get("x-request-id", ""),
            )
    headers = [pair for pair in response.headers.multi_items() if pair[0] not in _OF_TRANSPORT]
    return httpx.Response(
        response.status_code, headers=headers, content=bytes(body), request=response.request
    )


def refuse_packed(response: httpx.Response) -> None:
    """Raises BrokenAnswer."""
    encoding = _encoding(response)
    if encoding:
        raise BrokenAnswer(
            f"The service packs its stream ({encoding[:40]}), although that was not asked for. "
            "Check the proxy in front of it.",
            code="PACKED_STREAM",
            request_id=response.headers.get("x-request-id", ""),
        )


async def _unpacked(response: httpx.Response) -> AsyncIterator[bytes]:
    """The body as it arrives, in pieces of bounded size. Raises BrokenAnswer, httpx.RequestError."""
    unpacker = _unpacker(response)
    async for chunk in response.aiter_raw():
        if unpacker is None:
            yield chunk
            continue
        try:
            for piece in _pieces(unpacker, chunk):
                yield piece
        except zlib.error as error:
            raise httpx.DecodingError(str(error), request=response.request) from error


def _unpacker(response: httpx.Response) -> zlib._Decompress | None:
    encoding = _encoding(response)
    if not encoding:
        return None
    if encoding in ("gzip", "x-gzip"):
        return zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    raise BrokenAnswer(
        f"The service packs its answers in a way that was not asked for ({encoding[:40]}). "
        "Check the proxy in front of it.",
        code="UNKNOWN_ENCODING",
    )


def _encoding(response: httpx.Response) -> str:
    """Empty: the body is not packed."""
    encoding: str = response.headers.get("content-encoding", "").strip().lower()
    return "" if encoding == "identity" else encoding


def _pieces(unpacker: zlib._Decompress, chunk: bytes) -> Iterator[bytes]:
    """What `chunk` unpacks to; what follows the end of the packed data is dropped."""
    while not unpacker.eof:
        piece = unpacker.decompress(chunk, _PIECE)
        chunk = unpacker.unconsumed_tail
        if piece:
            yield piece
        if not chunk and len(piece) < _PIECE:
            return
