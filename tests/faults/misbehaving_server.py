"""A v3 service on a real socket that does, byte by byte, whatever a test tells it.

It answers single questions well unless told otherwise; what it does to a stream is the test's script.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

from contract.latest_sites import LATEST_SITES_PATH

EVENT_STREAM = "text/event-stream"


@dataclass
class Call:
    """One request and the connection it came over."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @property
    def is_stream(self) -> bool:
        return bool(self.body.get("live"))

    @property
    def is_newest(self) -> bool:
        return self.body.get("from") == "now"

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def answer(
        self,
        status: str = "200 OK",
        body: bytes = b"",
        content_type: str = "application/json",
        headers: str = "",
    ) -> None:
        """A whole answer, after which the connection ends."""
        await self.send(
            f"HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\ncontent-length: {len(body)}\r\n"
            f"connection: close\r\n{headers}\r\n".encode()
            + body
        )

    async def open_stream(self, content_type: str = EVENT_STREAM, headers: str = "") -> None:
        """The head of a stream whose end is the end of the connection."""
        await self.send(
            f"HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\nconnection: close\r\n{headers}\r\n".encode()
        )

    async def open_chunked_stream(self) -> None:
        await self.send(
            f"HTTP/1.1 200 OK\r\ncontent-type: {EVENT_STREAM}\r\ntransfer-encoding: chunked\r\n\r\n".encode()
        )

    async def send_chunk(self, data: bytes) -> None:
        await self.send(b"%x\r\n%s\r\n" % (len(data), data))

    async def hold(self) -> None:
        """Say nothing until the other side leaves."""
        with suppress(ConnectionError):
            await self.reader.read()

    def reset(self) -> None:
        """End the connection with RST, as a crashed peer or a firewall does."""
        linger = struct.pack("ii", 1, 0)
        self.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.writer.transport.abort()


Script = Callable[[Call], Awaitable[None]]


@dataclass
class MisbehavingServer:
    stream: Script
    """What happens to a request for a stream."""
    newest: Script
    """What happens to a question for the newest value."""
    other: Script
    """What happens to everything else: history, sites."""
    latest: Script
    """What happens to a request for the stream of all sites."""
    port: int = 0
    calls: list[Call] = field(default_factory=list)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def streams(self) -> list[Call]:
        return [call for call in self.calls if call.is_stream]

    @property
    def latest_calls(self) -> list[Call]:
        return [call for call in self.calls if call.path == LATEST_SITES_PATH]

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.tasks.add(task)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                call = await _read_call(reader, writer)
                self.calls.append(call)
                await self._script(call)(call)
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()
        except asyncio.CancelledError:
            pass  # asyncio would log a connection's cancelled task as a failure
        finally:
            writer.transport.abort()
            self.tasks.discard(task)

    async def end(self) -> None:
        for task in set(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        await asyncio.sleep(0)

    def _script(self, call: Call) -> Script:
        if call.path == LATEST_SITES_PATH:
            return self.latest
        if call.is_stream:
            return self.stream
        return self.newest if call.is_newest else self.other


@asynccontextmanager
async def misbehaving_server(
    stream: Script, newest: Script | None = None, *, port: int = 0, latest: Script | None = None
) -> AsyncIterator[MisbehavingServer]:
    """A server with these scripts; without `newest` it has no value yet, without `latest` no
    stream of all sites, as no service need have. Give `port` to come back on it."""
    scripted = MisbehavingServer(stream, newest or answer_nothing, answer_nothing, latest or answer_not_found)
    server = await asyncio.start_server(scripted.accept, "127.0.0.1", port)
    scripted.port = server.sockets[0].getsockname()[1]
    try:
        yield scripted
    finally:
        # asyncio leaves open what it is accepting while a server closes: some rounds let it begin.
        for _ in range(5):
            await asyncio.sleep(0)
        server.close()
        # And what it had begun to accept when it closed comes a round or two later.
        for _ in range(5):
            await scripted.end()


async def _read_call(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Call:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    request_line, *lines = head.split("\r\n")
    method, path, _ = request_line.split(" ")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines if line)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Call(method, path, headers, json.loads(body) if body else {}, reader, writer)


def now() -> datetime:
    """By the clock of the points, UTC; it stands while a test runs that is not long (tests/conftest.py)."""
    return datetime.now(UTC)


def this_minute() -> datetime:
    return now().replace(second=0, microsecond=0)


def point(inside: Any = 1, *, minutes_ago: int = 0, **metrics: Any) -> dict[str, Any]:
    timestamp = this_minute() - timedelta(minutes=minutes_ago)
    values = {"visitorsInside": inside, "entrances": 1, "exits": 0} | metrics
    return {"timestamp": timestamp.isoformat(), "metrics": values}


def date_header(*, ahead: timedelta = timedelta()) -> str:
    """The time by a clock that is ahead by so much."""
    return f"date: {format_datetime(datetime.now(UTC) + ahead, usegmt=True)}\r\n"


def event(data: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(data).encode() + b"\n\n"


def envelope(points: list[dict[str, Any]]) -> bytes:
    meta = {"requestId": "r-1", "serverTag": "misbehaving", "warnings": [], "errors": []}
    return json.dumps({"data": points, "meta": meta}).encode()


def failure(code: str, message: str, request_id: str = "r-error") -> bytes:
    meta = {"requestId": request_id, "serverTag": "", "warnings": [], "errors": [
        {"code": code, "message": message}
    ]}  # fmt: skip
    return json.dumps({"data": None, "meta": meta}).encode()


async def answer_nothing(call: Call) -> None:
    await call.answer(body=envelope([]))


def answer_value(inside: Any, *, minutes_ago: int = 0) -> Script:
    async def script(call: Call) -> None:
        await call.answer(body=envelope([point(inside, minutes_ago=minutes_ago)]))

    return script


async def answer_not_found(call: Call) -> None:
    await call.answer("404 Not Found", failure("NOT_FOUND", "There is nothing here."))


def told_site(number: int, inside: Any = 1, *, minutes_ago: int = 0, **more: Any) -> bytes:
    """What the stream of all sites tells of `site-<number>`."""
    told = {"kind": "site", "siteId": f"site-{number}", "topZoneId": f"hall-{number}", "capacity": 100}
    return event(told | {"newest": point(inside, minutes_ago=minutes_ago)} | more)


def complete(sites: int) -> bytes:
    """What the stream of all sites says once it has told all."""
    return event({"kind": "complete", "sites": sites})


async def decline(call: Call) -> None:
    """As a service does that gives no stream: it is to be asked for values."""
    await call.answer("204 No Content")


async def answer_failure(call: Call) -> None:
    await call.answer("500 Internal Server Error", failure("INTERNAL_ERROR", "It broke."))


def stream_of(*pieces: bytes) -> Script:
    """A stream that sends these pieces one by one and then stays open in silence."""

    async def script(call: Call) -> None:
        await call.open_stream()
        for piece in pieces:
            await call.send(piece)
            await asyncio.sleep(0)
        await call.hold()

    return script


def one_after_another(*scripts: Script) -> Script:
    """The first call gets the first script, and so on; the last one stays."""
    waiting = list(scripts)

    async def script(call: Call) -> None:
        current = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        await current(call)

    return script
