"""A service that answers too much, too slowly or without end: every question ends, in bounded memory."""

from __future__ import annotations

import asyncio
import json
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from functools import cache
from itertools import count
from typing import Any

import httpx
import pytest

from api_client import (
    ApiClientError,
    AsyncClient,
    BrokenAnswer,
    Client,
    ServiceFailure,
    Unauthorized,
    Unreachable,
)
from api_client.body import LARGEST_ANSWER
from api_client.live_stream import LiveStream
from api_client.site_list import MOST_PAGES, MOST_SITES
from contract import MetricKey, MetricsQuery
from tests.eventually import eventually
from tests.faults.misbehaving_server import Call, Script, envelope, misbehaving_server, point

QUERY = MetricsQuery(metrics=(MetricKey.VISITORS_INSIDE,), site_id="site-1")
MEBIBYTE = 1024 * 1024


class Endless:
    """A body of `status` that goes on until the reader hangs up; counts what was taken."""

    def __init__(self, status: str, headers: str = "", piece: bytes = b" " * 65_536) -> None:
        self.head = f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{headers}\r\n".encode()
        self.piece = piece
        self.sent = 0
        self.ended = asyncio.Event()

    async def __call__(self, call: Call) -> None:
        await call.send(self.head)
        try:
            while True:
                await call.send(self.piece)
                self.sent += len(self.piece)
        finally:
            self.ended.set()


@cache
def bomb() -> bytes:
    """Some 300 KiB that unpack to many times of what is held of an answer."""
    packer = zlib.compressobj(9, wbits=zlib.MAX_WBITS | 16)
    blank = b" " * MEBIBYTE
    return b"".join(packer.compress(blank) for _ in range(256)) + packer.flush()


async def failure_of(work: Awaitable[object]) -> ApiClientError:
    with pytest.raises(ApiClientError) as raised:
        await work
    return raised.value


async def from_client(base_url: str, ask: Callable[[Client], object], **limits: Any) -> ApiClientError:
    with Client(base_url, "key", attempts=1, **limits) as client:
        return await failure_of(asyncio.to_thread(ask, client))


async def follow(client: AsyncClient) -> None:
    async with client.stream(QUERY) as stream:
        async for _ in stream:
            pass


async def test_an_endless_answer_is_left_at_its_bound() -> None:
    endless = Endless("200 OK")
    async with misbehaving_server(endless, endless) as server:
        error = await from_client(server.base_url, lambda client: client.newest(QUERY), deadline=60.0)
        assert (type(error), error.code) == (BrokenAnswer, "ANSWER_TOO_LARGE")
        await endless.ended.wait()
        assert endless.sent < 4 * LARGEST_ANSWER


@pytest.mark.parametrize(
    ("status", "kind"), [("401 Unauthorized", Unauthorized), ("500 Internal Server Error", ServiceFailure)]
)
async def test_of_an_endless_error_little_is_read(status: str, kind: type[ApiClientError]) -> None:
    endless = Endless(status)
    async with misbehaving_server(endless, endless) as server:
        error = await from_client(server.base_url, lambda client: client.newest(QUERY))
        assert type(error) is kind
        client = AsyncClient(server.base_url, "key")
        assert type(await failure_of(follow(client))) is kind
        await client.close()
        await endless.ended.wait()
        assert endless.sent < 8 * LARGEST_ANSWER


async def test_an_answer_that_unpacks_to_a_thousand_times_its_size_costs_little_memory() -> None:
    packed = bomb()
    assert len(packed) < MEBIBYTE

    async def explode(call: Call) -> None:
        await call.answer(body=packed, headers="content-encoding: gzip\r\n")

    async with misbehaving_server(explode, explode) as server:
        tracemalloc.start()
        error = await from_client(server.base_url, lambda client: client.newest(QUERY), deadline=60.0)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert error.code == "ANSWER_TOO_LARGE"
        assert peak < 6 * LARGEST_ANSWER


async def test_a_packed_stream_is_refused_unread() -> None:
    """A few KiB of it may be a million events, and each of them is some work."""

    async def pack(call: Call) -> None:
        assert call.headers["accept-encoding"] == "identity"
        await call.open_stream(headers="content-encoding: gzip\r\n")
        await call.send(bomb())
        await call.hold()

    async with misbehaving_server(pack) as server:
        client = AsyncClient(server.base_url, "key")
        error = await failure_of(follow(client))
        await client.close()
        assert error.code == "PACKED_STREAM"


@pytest.mark.parametrize("text", [b"data:1\n\n", b":\n"])
async def test_a_flood_of_events_leaves_the_loop_its_turns(text: bytes) -> None:
    turns = 0

    async def count_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def flood() -> AsyncIterator[bytes]:
        for _ in range(40):
            yield text * 1_000

    counting = asyncio.create_task(count_turns())
    response = httpx.Response(200, content=flood(), request=httpx.Request("POST", "http://service.example"))
    stream = LiveStream(response, lambda _error: None, lambda: datetime.now(UTC))
    received = [len(items) async for items in stream]
    counting.cancel()
    assert sum(received) == (40_000 if text.startswith(b"data") else 0)
    assert len(received) <= 40, "what came together costs one step"
    assert turns >= (200 if received else 40)


async def test_a_packed_answer_is_read() -> None:
    async def pack(call: Call) -> None:
        assert call.headers["accept-encoding"] == "gzip"
        packer = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
        body = packer.compress(envelope([point(5)])) + packer.flush()
        await call.answer(body=body, headers="content-encoding: gzip\r\n")

    async with misbehaving_server(pack, pack) as server:
        with Client(server.base_url, "key") as client:
            read = await asyncio.to_thread(client.newest, QUERY)
            assert read.points[0].metrics["visitorsInside"] == 5


@pytest.mark.parametrize("encoding", ["gzip, gzip", "br", "deflate"])
async def test_packing_that_was_not_asked_for_is_refused(encoding: str) -> None:
    async def pack(call: Call) -> None:
        await call.answer(body=b"x", headers=f"content-encoding: {encoding}\r\n")

    async with misbehaving_server(pack, pack) as server:
        error = await from_client(server.base_url, lambda client: client.newest(QUERY))
        assert error.code == "UNKNOWN_ENCODING"


async def test_an_answer_of_countless_small_objects_is_refused() -> None:
    async def scatter(call: Call) -> None:
        await call.answer(body=b'{"meta":{},"data":[' + b"{}," * 1_000_000 + b"{}]}")

    async with misbehaving_server(scatter, scatter) as server:
        error = await from_client(server.base_url, lambda client: client.newest(QUERY), deadline=60.0)
        assert error.code == "NOT_V3"


async def test_a_year_of_hours_is_read() -> None:
    async def year(call: Call) -> None:
        hours = [point(5, minutes_ago=60 * back, timeSpent=12.345678901) for back in range(8784)]
        await call.answer(body=envelope(hours[::-1]))

    async with misbehaving_server(year, year) as server:
        server.other = year
        with Client(server.base_url, "key") as client:
            assert len((await asyncio.to_thread(client.metrics, QUERY)).points) == 8784


def dripping(head: bytes) -> Script:
    async def script(call: Call) -> None:
        await call.send(head)
        while True:
            await call.send(b"a")
            await asyncio.sleep(0.05)

    return script


DRIPS = {
    "head": b"HTTP/1.1 200 OK\r\nx-slow: ",
    "body": b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n",
    "error": b"HTTP/1.1 500 Internal Server Error\r\ncontent-type: application/json\r\n\r\n",
}


@pytest.mark.parametrize("head", DRIPS.values(), ids=DRIPS.keys())
async def test_a_drip_is_a_timeout_for_reads_and_for_streams(head: bytes) -> None:
    async with misbehaving_server(dripping(head), dripping(head)) as server:
        server.other = dripping(head)
        error = await from_client(server.base_url, lambda client: client.sites(), deadline=0.5)
        assert (type(error), error.code) == (Unreachable, "TIMEOUT")
        if not head.startswith(b"HTTP/1.1 200 OK\r\ncontent"):
            client = AsyncClient(server.base_url, "key", deadline=0.5, idle_limit=0.5)
            assert type(await failure_of(follow(client))) is Unreachable
            await client.close()


@pytest.mark.parametrize(("seconds", "said"), [(0.05, "did not answer"), (0.4, "too busy to hear")])
async def test_a_service_that_hangs_is_told_from_a_machine_that_hears_nothing(
    seconds: float, said: str
) -> None:
    """A loop that once did not go round for some seconds hears a service that answers all the same."""
    stalled = count(step=seconds)
    async with misbehaving_server(Call.hold, Call.hold) as server:
        client = AsyncClient(server.base_url, "key", deadline=0.5, stalled=lambda: float(next(stalled)))
        error = await failure_of(client.newest(QUERY))
        await client.close()
    assert said in str(error)


FLOODS = {
    "heads that promise another": b"HTTP/1.1 100 Continue\r\n\r\n",
    "chunks of one byte": b"1\r\n \r\n",
}


@pytest.mark.parametrize("piece", FLOODS.values(), ids=FLOODS.keys())
async def test_a_flood_of_small_pieces_ends_at_the_deadline(piece: bytes) -> None:
    async def flood(call: Call) -> None:
        if not piece.startswith(b"HTTP"):
            await call.open_chunked_stream()
        while True:
            await call.send(piece * 100)

    async with misbehaving_server(flood, flood) as server:
        error = await from_client(server.base_url, lambda client: client.newest(QUERY), deadline=0.5)
        assert (type(error), error.code) == (Unreachable, "TIMEOUT")


async def test_a_head_without_end_is_refused() -> None:
    endless = Endless("200 OK", headers="x-long: ", piece=b"a" * 65_536)
    async with misbehaving_server(endless, endless) as server:
        error = await from_client(server.base_url, lambda client: client.newest(QUERY), deadline=60.0)
        assert type(error) is Unreachable
        await endless.ended.wait()
        assert endless.sent < LARGEST_ANSWER


async def test_what_a_service_says_of_an_error_is_told_in_part() -> None:
    async def talk(call: Call) -> None:
        errors = [{"code": f"C{number}", "message": "word " * 50} for number in range(200)]
        body = json.dumps({"data": None, "meta": {"errors": errors, "requestId": "r" * 5000}}).encode()
        await call.answer("400 Bad Request", body)

    async def talk_in_a_success(call: Call) -> None:
        errors = [{"code": "C", "message": "word " * 1000} for _ in range(500)]
        body = {"data": None, "meta": {"errors": errors, "requestId": "r" * 5000}}
        await call.answer(body=json.dumps(body).encode())

    for script in (talk, talk_in_a_success):
        async with misbehaving_server(script, script) as server:
            error = await from_client(server.base_url, lambda client: client.newest(QUERY))
            assert len(error.message) < 2000
            assert len(error.request_id) <= 500


async def test_repetitions_count_towards_the_deadline() -> None:
    async def busy(call: Call) -> None:
        await call.answer("503 Service Unavailable", headers="retry-after: 4\r\n")

    async with misbehaving_server(busy, busy) as server:
        with Client(server.base_url, "key", attempts=3, deadline=3.5) as client:
            error = await failure_of(asyncio.to_thread(client.newest, QUERY))
        assert error.code == "TIMEOUT"
        assert len(server.calls) == 1


def endless_pages(size: int) -> Script:
    async def script(call: Call) -> None:
        offset = int(call.path.partition("offset=")[2])
        sites = [{"id": f"s{offset + number}", "name": "S"} for number in range(size)]
        meta = {"pagination": {"hasNext": True}}
        await call.answer(body=json.dumps({"data": sites, "meta": meta}).encode())

    return script


@pytest.mark.parametrize(("size", "pages"), [(1, MOST_PAGES), (1000, MOST_SITES // 1000)])
async def test_endless_pages_of_sites_end_and_are_told(size: int, pages: int) -> None:
    async with misbehaving_server(endless_pages(size)) as server:
        server.other = endless_pages(size)
        with Client(server.base_url, "key", deadline=60.0) as client:
            assert len(await asyncio.to_thread(client.sites)) == size * pages
            assert len(server.calls) == pages
            assert client.recent_errors[0].code == "TOO_MANY_SITES"
            assert client.left_sites_out


async def test_ending_a_client_ends_what_it_asks_at_once() -> None:
    async def hang(call: Call) -> None:
        await call.hold()

    async with misbehaving_server(hang, hang) as server:
        server.other = hang
        client = Client(server.base_url, "key", timeout=600.0)
        asked = [asyncio.create_task(failure_of(asyncio.to_thread(client.sites))) for _ in range(5)]
        await eventually(lambda: len(server.calls) == len(asked))
        client.end()
        assert {error.code for error in await asyncio.gather(*asked)} == {"CLIENT_ENDED"}
        assert (await failure_of(asyncio.to_thread(client.sites))).code == "CLIENT_ENDED"
        client.close()
