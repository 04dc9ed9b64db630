"""Browsers on the wire, light enough to have thousands."""

from __future__ import annotations

import asyncio
import re
from contextlib import ExitStack

from tests.eventually import eventually


class Client(asyncio.Protocol):
    """A browser on the wire, light enough to have thousands; knows when to return and when it was cut off."""

    def __init__(self) -> None:
        self.received = b""
        self.lost = asyncio.Event()

    def data_received(self, data: bytes) -> None:
        self.received = (self.received + data)[-4096:]

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 -- asyncio's signature
        self.lost.set()

    @property
    def received_state(self) -> bool:
        return b"event: state" in self.received

    @property
    def received_end(self) -> bool:
        return self.lost.is_set() or self.received.endswith(b"0\r\n\r\n")

    @property
    def retry(self) -> float:
        """Seconds after which it is to come back."""
        found = re.search(rb"retry: (\d+)", self.received)
        assert found, self.received
        return int(found[1]) / 1000


def request_for(token: str) -> bytes:
    return f"GET /live/stream?token={token} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


async def connect(base_url: str, token: str) -> tuple[asyncio.Transport, Client]:
    host, port = base_url.removeprefix("http://").split(":")
    transport, client = await asyncio.get_running_loop().create_connection(Client, host, int(port))
    transport.write(request_for(token))
    return transport, client


async def connect_all(stack: ExitStack, base_url: str, token: str, number: int) -> list[Client]:
    opened = await asyncio.gather(*(connect(base_url, token) for _ in range(number)))
    for transport, _ in opened:
        stack.callback(transport.abort)
    clients = [client for _, client in opened]
    await eventually(lambda: all(client.received_state for client in clients))
    return clients
