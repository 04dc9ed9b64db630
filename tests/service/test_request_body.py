from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import Any

import pytest
from starlette.requests import Request

from contract import ErrorCode
from service.exception_handlers import ServiceError
from service.request_body import BodyReader
from service.thread_pools import PoolFullError

LARGE, LIMIT = 100_000, 1_000_000


def request(*pieces: bytes, ending: bool = True) -> Request:
    """A request whose body comes in pieces; not `ending`, it is waited for."""
    messages = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces]
    if ending:
        messages.append({"type": "http.request", "body": b"", "more_body": False})

    async def receive() -> Any:
        return messages.pop(0) if messages else await asyncio.Future()

    return Request({"type": "http", "method": "POST", "headers": []}, receive)


@pytest.fixture
async def crowded() -> AsyncIterator[BodyReader]:
    """Two large bodies are being worked on, and there is memory for no third."""
    reader = BodyReader(timedelta(seconds=60), memory=2 * LARGE + 10)
    async with AsyncExitStack() as stack:
        for _ in range(2):
            await stack.enter_async_context(reader.read(request(b"x" * LARGE), LIMIT))
        yield reader
    async with reader.read(request(b"x" * LARGE, b"x" * LARGE), LIMIT) as body:
        assert len(body) == 2 * LARGE, "what was held was given back"


async def test_large_body_is_refused_when_others_hold_the_memory(crowded: BodyReader) -> None:
    with pytest.raises(PoolFullError):
        async with crowded.read(request(b"x" * LARGE), LIMIT):
            pass


async def test_small_body_is_taken_when_others_hold_the_memory(crowded: BodyReader) -> None:
    async with crowded.read(request(b"[", b"]"), LIMIT) as body:
        assert body == b"[]"


async def test_body_that_does_not_end_is_refused_after_a_time() -> None:
    reader = BodyReader(timedelta(seconds=0.05), memory=LIMIT)
    with pytest.raises(ServiceError) as caught:
        async with reader.read(request(b"x" * LARGE, ending=False), LIMIT):
            pass
    assert caught.value.entries[0].code == ErrorCode.REQUEST_TIMEOUT
    async with reader.read(request(b"x" * LARGE * 9), LIMIT) as body:
        assert len(body) == 9 * LARGE, "what was held was given back"
