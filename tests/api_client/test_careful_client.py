"""Streams that are given up at each step of their opening, counted in sockets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import psutil  # type: ignore[import-untyped]
import pytest

from api_client import AsyncClient
from contract import MetricKey, MetricsQuery
from tests.eventually import eventually

QUERY = MetricsQuery(metrics=(MetricKey.ENTRANCES,), site_id="shop")
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
STEPS = 80
"""Turns of the loop: more than an opening takes."""


@asynccontextmanager
async def endless() -> AsyncIterator[int]:
    """A service of streams that bring nothing; its port."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(HEAD)
            await reader.read()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


def sockets_to(port: int) -> int:
    connections = psutil.Process().net_connections("tcp")
    return sum(1 for one in connections if one.raddr and one.raddr.port == port)


async def read(client: AsyncClient) -> None:
    async with client.stream(QUERY) as stream:
        async for _ in stream:
            pass


async def give_up_after(steps: int, openings: list[asyncio.Task[None]]) -> None:
    for _ in range(steps):
        await asyncio.sleep(0)
    for opening in openings:
        opening.cancel()
    ended = await asyncio.gather(*openings, return_exceptions=True)
    assert all(isinstance(one, asyncio.CancelledError) for one in ended)


@pytest.mark.parametrize("at_once", [1, 5])
async def test_whenever_openings_are_given_up_no_socket_is_left(at_once: int) -> None:
    async with endless() as port:
        client = AsyncClient(f"http://127.0.0.1:{port}", "key")
        try:
            for steps in range(STEPS):
                await give_up_after(steps, [asyncio.create_task(read(client)) for _ in range(at_once)])
            await eventually(lambda: sockets_to(port) == 0)
        finally:
            await client.close()


async def test_a_client_that_closes_while_a_given_up_opening_connects_leaves_none_either() -> None:
    async with endless() as port:
        for steps in range(0, STEPS, 4):
            client = AsyncClient(f"http://127.0.0.1:{port}", "key")
            await give_up_after(steps, [asyncio.create_task(read(client))])
            await client.close()
        await eventually(lambda: sockets_to(port) == 0)
