"""The inner parts of uvicorn that the relay uses, as they are installed: this fails when they move."""

from __future__ import annotations

import asyncio
import inspect
import socket
from collections.abc import Awaitable, Callable
from typing import Any
from unittest.mock import MagicMock

import httpx
import pytest
import uvicorn
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http import h11_impl, httptools_impl

from live._compat import abort_connection, chunk, responding_in_chunks, write_chunk
from tests.running_service import free_port


class Transport:
    def __init__(self) -> None:
        self.is_aborted = False

    def abort(self) -> None:
        self.is_aborted = True


@pytest.mark.parametrize("protocol", [h11_impl, httptools_impl], ids=["h11", "httptools"])
def test_a_connection_is_found_behind_what_receives_for_it(protocol: object) -> None:
    kind = protocol.RequestResponseCycle  # type: ignore[attr-defined]
    transport = Transport()
    arguments = dict.fromkeys(inspect.signature(kind).parameters, MagicMock()) | {"transport": transport}
    assert abort_connection(kind(**arguments).receive)
    assert transport.is_aborted


def test_what_belongs_to_no_server_is_left_to_end_politely() -> None:
    async def receive() -> dict[str, object]:
        return {}

    assert not abort_connection(receive)


Answer = Callable[[Any, Send], Awaitable[None]]
Ask = Callable[[str], Awaitable[None]]


async def while_served(answer: Answer, ask: Ask, *, http: str = "httptools") -> None:
    """`answer` is given what is found behind a response that has begun; `ask` the address that it answers."""

    async def application(_scope: Scope, receive: Receive, send: Send) -> None:
        assert responding_in_chunks(receive) is None, "not begun"
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await answer(responding_in_chunks(receive), send)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    port = free_port()
    server = uvicorn.Server(
        uvicorn.Config(application, port=port, log_level="error", lifespan="off", http=http)
    )
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 -- it has no event
        await asyncio.sleep(0.01)
    try:
        await ask(f"http://127.0.0.1:{port}/")
    finally:
        server.should_exit = True
        await serving


async def test_what_is_written_beside_what_is_sent_arrives_in_turn() -> None:
    async def answer(response: Any, send: Send) -> None:
        assert write_chunk(response, chunk(b"written, "))
        await send({"type": "http.response.body", "body": b"sent, ", "more_body": True})
        assert write_chunk(response, chunk(b"written again"))

    async def ask(address: str) -> None:
        async with httpx.AsyncClient() as client:
            assert (await client.get(address)).text == "written, sent, written again"

    await while_served(answer, ask)


async def test_a_full_network_takes_nothing_more_and_what_it_took_arrives() -> None:
    taken: list[bytes] = []

    async def answer(response: Any, send: Send) -> None:
        piece = b"x" * 100_000
        while write_chunk(response, chunk(piece)):
            taken.append(piece)
            await asyncio.sleep(0)
        is_full.set()
        await send({"type": "http.response.body", "body": b"end", "more_body": True})

    is_full = asyncio.Event()

    async def ask(address: str) -> None:
        async with httpx.AsyncClient() as client, client.stream("GET", address) as answered:
            await is_full.wait()
            assert await answered.aread() == b"".join(taken) + b"end"

    await while_served(answer, ask)
    assert len(taken) > 1


async def test_nothing_is_written_to_whoever_has_left() -> None:
    left, seen = asyncio.Event(), asyncio.Event()

    async def answer(response: Any, _send: Send) -> None:
        await left.wait()
        while write_chunk(response, chunk(b"x")):  # noqa: ASYNC110 -- uvicorn tells nobody of it
            await asyncio.sleep(0.01)
        seen.set()

    async def ask(address: str) -> None:
        reader = socket.create_connection(("127.0.0.1", httpx.URL(address).port or 0))
        reader.sendall(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
        reader.close()
        left.set()
        await asyncio.wait_for(seen.wait(), 60)

    await while_served(answer, ask)


async def test_a_response_that_is_framed_otherwise_is_sent_to() -> None:
    async def answer(response: Any, send: Send) -> None:
        assert response is None
        await send({"type": "http.response.body", "body": b"sent", "more_body": True})

    async def ask(address: str) -> None:
        async with httpx.AsyncClient() as client:
            assert (await client.get(address)).text == "sent"

    await while_served(answer, ask, http="h11")
