from __future__ import annotations

import asyncio
import socket
import sys
import time
from contextlib import AsyncExitStack
from threading import Thread
from types import FrameType
from typing import Any

import httpx
import pytest

from live import FeedKey, StreamSigner, close_streams
from live.relay import _open_streams
from tests.eventually import PATIENCE, eventually
from tests.faults.misbehaving_server import answer_value, event, misbehaving_server, point, stream_of
from tests.live.conftest import SIGNER, StartRelay, token_for

SITE, HALL = FeedKey("site-1"), FeedKey("site-1", ("hall",))


def inside(messages: list[dict[str, Any]], name: str) -> list[Any]:
    return [message["feeds"][name]["inside"] for message in messages if name in message.get("feeds", {})]


async def test_a_screen_gets_the_whole_state_first(start_relay: StartRelay) -> None:
    async with misbehaving_server(stream_of(event(point(3))), answer_value(3)) as service:
        relay = start_relay(service.base_url)
        async with relay.screen(SITE, HALL) as screen:
            name, first = screen.events[0]
            assert name == "state"
            assert set(first) == {"now", "token", "feeds"}
            assert set(first["feeds"]) == {"site-1", "site-1/hall"}
            assert abs(first["now"] - time.time()) < 60
            assert SIGNER.read(first["token"]) == SIGNER.read(token_for(SITE, HALL))
            await eventually(lambda: 3 in inside([data for _, data in screen.events], "site-1"))
            async with relay.screen(SITE) as second:
                feed = second.events[0][1]["feeds"]["site-1"]
                assert (feed["state"], feed["inside"], len(feed["points"])) == ("live", 3, 1)


async def test_a_change_tells_only_the_feed_that_changed_and_only_new_points(start_relay: StartRelay) -> None:
    async with misbehaving_server(stream_of(event(point(3))), answer_value(3)) as service:
        relay = start_relay(service.base_url)
        async with relay.screen(SITE) as screen:
            await eventually(lambda: 3 in inside([data for _, data in screen.events], "site-1"))
            await service.streams[0].send(event(point(4)))
            await eventually(lambda: 4 in inside(screen.named("change"), "site-1"))
            change = next(one for one in screen.named("change") if inside([one], "site-1") == [4])
            assert "token" not in change
            assert set(change["feeds"]) == {"site-1"}
            assert [value for _, value in change["feeds"]["site-1"]["points"]] == [4]


async def test_a_heartbeat_is_an_event_that_tells_the_time(start_relay: StartRelay) -> None:
    async with (
        misbehaving_server(stream_of(event(point(3)))) as service,
        start_relay(service.base_url, heartbeat=0.05).screen(SITE) as screen,
    ):
        await eventually(lambda: len(screen.named("beat")) > 2)
        assert set(screen.named("beat")[0]) == {"now"}


async def test_many_screens_share_one_upstream_stream(start_relay: StartRelay) -> None:
    async with misbehaving_server(stream_of(event(point(3)))) as service:
        relay = start_relay(service.base_url)
        async with AsyncExitStack() as stack:
            screens = [await stack.enter_async_context(relay.screen(SITE)) for _ in range(30)]
            await eventually(lambda: bool(service.streams))
            await service.streams[0].send(event(point(9)))
            await eventually(
                lambda: all(9 in inside([data for _, data in one.events], "site-1") for one in screens)
            )
            assert len(service.streams) == 1
            assert relay.hub.health().feeds[0].subscribers == 30


async def test_when_the_last_screen_has_left_its_feed_is_closed(start_relay: StartRelay) -> None:
    async with misbehaving_server(stream_of(event(point(3)))) as service:
        relay = start_relay(service.base_url)
        async with relay.screen(SITE):
            await eventually(lambda: len(relay.hub.health().feeds) == 1)
        await eventually(lambda: not relay.hub.health().feeds)
        await eventually(lambda: not _open_streams)


async def test_a_token_that_is_not_ours_opens_nothing(start_relay: StartRelay) -> None:
    relay = start_relay("http://127.0.0.1:9")
    foreign = StreamSigner("other").sign(SIGNER.read(token_for(SITE)))
    async with httpx.AsyncClient() as client:
        for address in (relay.address(foreign), relay.address(""), f"{relay.base_url}/live/stream"):
            answer = await client.get(address)
            assert answer.status_code == 403
            # Browsers tell a view of another dashboard from what is no token at all.
            assert ("headroom-refusal" in answer.headers) == (address == relay.address(foreign))
            assert "Reload the page" in answer.json()["error"]
    assert not relay.hub.health().feeds


async def test_an_expired_token_says_to_reload(
    start_relay: StartRelay, monkeypatch: pytest.MonkeyPatch
) -> None:
    relay = start_relay("http://127.0.0.1:9")
    monkeypatch.setattr("live.tokens.LIFETIME", -1)
    async with httpx.AsyncClient() as client:
        answer = await client.get(relay.address(token_for(SITE)))
    assert answer.status_code == 401
    assert "Reload" in answer.json()["error"]


async def test_the_answer_forbids_buffering_and_asks_for_spread_returns(start_relay: StartRelay) -> None:
    async with misbehaving_server(stream_of(event(point(3)))) as service:
        relay = start_relay(service.base_url)
        async with httpx.AsyncClient() as client, client.stream("GET", relay.address(token_for(SITE))) as got:
            assert got.headers["x-accel-buffering"] == "no"
            assert got.headers["cache-control"] == "no-store"
            assert got.headers["content-type"] == "text/event-stream; charset=utf-8"
            first_line = (await anext(got.aiter_text())).splitlines()[0]
            assert 2000 <= int(first_line.removeprefix("retry: ")) <= 4000


async def test_whoever_asks_for_the_head_alone_has_the_whole_answer(start_relay: StartRelay) -> None:
    relay = start_relay("http://127.0.0.1:9")
    async with httpx.AsyncClient() as client:
        for _ in range(2):  # on one connection
            answer = await client.head(relay.address(token_for(SITE)))
            assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    await eventually(lambda: not _open_streams)


async def test_close_streams_ends_every_open_response(start_relay: StartRelay) -> None:
    async with misbehaving_server(stream_of(event(point(3)))) as service:
        relay = start_relay(service.base_url)
        async with relay.screen(SITE) as first, relay.screen(HALL) as second:
            close_streams()
            await eventually(lambda: first.ended and second.ended)


async def test_once_all_are_closed_for_good_a_response_that_begins_ends_at_once(
    start_relay: StartRelay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("live.relay._process.ends", False)
    relay = start_relay("http://127.0.0.1:9")
    close_streams()
    async with relay.screen(SITE) as screen:
        close_streams(for_good=True)
        await eventually(lambda: screen.ended)
    async with httpx.AsyncClient() as client, asyncio.timeout(PATIENCE):
        answer = await client.get(relay.address(token_for(SITE)))
    assert (answer.status_code, answer.content) == (200, b"")
    await eventually(lambda: not _open_streams)


def test_a_second_signal_waits_for_nothing_wherever_it_interrupts_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("live.relay._process.ends", False)

    def second(_frame: FrameType, event: str, _argument: object) -> Any:
        if event == "line":
            close_streams(for_good=True)
        return second

    def first() -> None:
        sys.settrace(second)
        close_streams(for_good=True)

    closing = Thread(target=first, daemon=True)
    closing.start()
    closing.join(PATIENCE)
    assert not closing.is_alive()


async def test_a_closed_hub_ends_every_open_response(start_relay: StartRelay) -> None:
    async with misbehaving_server(stream_of(event(point(3)))) as service:
        relay = start_relay(service.base_url)
        async with relay.screen(SITE) as screen:
            relay.hub.close()
            await eventually(lambda: screen.ended)


async def test_a_response_ends_after_its_lifetime(start_relay: StartRelay) -> None:
    async with (
        misbehaving_server(stream_of(event(point(3)))) as service,
        start_relay(service.base_url, lifetime=(0.2, 0.3)).screen(SITE) as screen,
    ):
        await eventually(lambda: screen.ended)


async def test_a_frozen_reader_is_cut_and_delays_nobody(start_relay: StartRelay) -> None:
    async with misbehaving_server(stream_of(event(point(3)))) as service:
        relay = start_relay(service.base_url, send=0.5, merge=0.0)
        async with relay.screen(SITE) as screen:
            frozen = _frozen_reader(relay.base_url, relay.address(token_for(*_many_feeds())))
            try:
                await eventually(lambda: len(_open_streams) == 2)
                for value in range(10_000):
                    for stream in service.streams:
                        stream.writer.write(event(point(value)))
                    await asyncio.sleep(0.005)
                    if len(_open_streams) == 1:
                        break
                assert len(_open_streams) == 1
                stream = next(call for call in service.streams if "filter" not in call.body)
                await stream.send(event(point(77_777)))
                await eventually(lambda: 77_777 in inside(screen.named("change"), "site-1"))
            finally:
                frozen.close()


def _many_feeds() -> list[FeedKey]:
    return [FeedKey("site-1", (f"zone-{number}" * 20,)) for number in range(40)]


def _frozen_reader(base_url: str, address: str) -> socket.socket:
    """A browser that has asked and never reads the answer."""
    reader = socket.socket()
    reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    host, port = base_url.removeprefix("http://").split(":")
    reader.connect((host, int(port)))
    reader.sendall(f"GET {address.removeprefix(base_url)} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    return reader


HEALTH = b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n"
UPGRADE = (
    b"GET /live/stream HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


@pytest.mark.parametrize("second", [HEALTH, UPGRADE], ids=["request", "upgrade"])
@pytest.mark.parametrize("leaves", [True, False], ids=["leaves", "stays"])
async def test_a_reader_that_asks_for_more_on_its_connection_ends_itself_alone(
    start_relay: StartRelay, second: bytes, *, leaves: bool
) -> None:
    async with misbehaving_server(stream_of(event(point(3)))) as service:
        relay = start_relay(service.base_url, heartbeat=0.05)
        async with relay.screen(SITE) as screen:
            greedy = _frozen_reader(relay.base_url, relay.address(token_for(SITE)))
            try:
                await eventually(lambda: len(_open_streams) == 2)
                greedy.sendall(second)
                if leaves:
                    greedy.close()
                await eventually(lambda: len(_open_streams) == 1)
                beats = len(screen.named("beat"))
                await eventually(lambda: len(screen.named("beat")) > beats + 2)
                assert not screen.ended
            finally:
                greedy.close()


async def test_a_message_is_one_line_of_json(start_relay: StartRelay) -> None:
    odd = FeedKey('site "1"\n', ("a\u2028b",))
    async with (
        misbehaving_server(stream_of(event(point(3)))) as service,
        start_relay(service.base_url).screen(odd) as screen,
    ):
        assert list(screen.events[0][1]["feeds"]) == [odd.name]
