"""Faults 21, 24 to 28 and 31: many readers of the relay, slow ones, frozen ones and ones that vanish."""

from __future__ import annotations

import asyncio
import socket
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack, ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]  # its stubs are a package of their own
import pytest

from live import (
    FeedKey,
    GrantedFeed,
    RelayLimits,
    StreamGrant,
    StreamSigner,
    close_streams,
    relay_counters,
    viewer_count,
)
from tests.eventually import eventually
from tests.faults.misbehaving_server import answer_value, event, misbehaving_server, point, stream_of
from tests.faults.stream_client import connect, connect_all, request_for
from tests.live.conftest import RunningRelay, StartRelay, token_for
from tests.running_dashboard import start_dashboard

SITE = FeedKey("site-1")
TOGETHER = 2000
WIDE = [FeedKey("site-1", (f"zone-{number}" * 20,)) for number in range(40)]
"""A grant whose messages fill buffers soon: some 30 kB each."""
SECRET = "secret"


@contextmanager
def frozen_reader(relay: RunningRelay, *keys: FeedKey) -> Iterator[socket.socket]:
    """A browser that has asked, never reads the answer and never leaves."""
    with closing(socket.socket()) as reader:
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        host, port = relay.base_url.removeprefix("http://").split(":")
        reader.connect((host, int(port)))
        reader.sendall(request_for(token_for(*keys)))
        yield reader


def holds_connection_to(client: socket.socket) -> bool:
    """Whether the relay, which runs in this process, still has its end of the connection."""
    port = client.getsockname()[1]
    connections = psutil.Process().net_connections("tcp")
    return any(connection.raddr and connection.raddr.port == port for connection in connections)


async def test_fault_21_a_thousand_events_a_second_do_not_change_the_rate_of_messages(
    start_relay: StartRelay,
) -> None:
    merge = 0.2
    async with misbehaving_server(stream_of(event(point(0))), answer_value(0)) as service:
        relay = start_relay(service.base_url, merge=merge)
        async with relay.screen(SITE) as screen:
            await eventually(lambda: bool(service.streams))
            told, began = len(screen.named("change")), time.monotonic()
            for second in range(20):
                await service.streams[0].send(
                    b"".join(event(point(100 * second + value)) for value in range(1, 101))
                )
                await asyncio.sleep(0.1)
            await eventually(
                lambda: any(told["feeds"]["site-1"]["inside"] == 2000 for told in screen.named("change")[-1:])
            )
            took = time.monotonic() - began
            assert len(screen.named("change")) - told <= took / merge + 2
            assert relay.hub.health().counters.readings >= 2000


@pytest.mark.soak
async def test_fault_24_two_thousand_screens_that_are_dropped_together_come_back_spread(
    start_relay: StartRelay,
) -> None:
    async with misbehaving_server(stream_of(event(point(3))), answer_value(3)) as service:
        relay = start_relay(service.base_url)
        token = token_for(SITE)
        with ExitStack() as stack:
            dropped = await connect_all(stack, relay.base_url, token, TOGETHER)
            assert viewer_count() == TOGETHER
            close_streams()
            await eventually(lambda: all(client.received_end for client in dropped))
            await eventually(lambda: not viewer_count() and not relay.hub.health().feeds)
        shortest, longest = (milliseconds / 1000 for milliseconds in RelayLimits().retry)
        returns = Counter(int((client.retry - shortest) / (longest - shortest) * 10) for client in dropped)
        assert len(returns.keys() & set(range(10))) == 10
        assert max(returns.values()) < TOGETHER / 5
        with ExitStack() as stack:
            await asyncio.gather(*(_return(stack, relay.base_url, token, one.retry) for one in dropped))
            await eventually(lambda: viewer_count() == TOGETHER)
        assert len(service.streams) == 2  # the feed was let go in between


async def _return(stack: ExitStack, base_url: str, token: str, after: float) -> None:
    await asyncio.sleep(after)
    transport, _ = await connect(base_url, token)
    stack.callback(transport.abort)


async def test_fault_25_a_frozen_reader_delays_nobody_and_costs_no_memory_and_is_cut(
    start_relay: StartRelay,
) -> None:
    async with misbehaving_server(stream_of(event(point(3))), answer_value(3)) as service:
        relay = start_relay(service.base_url, gather=0.0, merge=0.0, send=4.0)
        cut = relay_counters.cut
        async with relay.screen(*WIDE) as screen:
            with frozen_reader(relay, *WIDE) as frozen:
                await eventually(lambda: viewer_count() == 2 and len(service.streams) == len(WIDE))
                memory: list[int] = []
                while relay_counters.cut == cut:
                    memory.append(await _tell(service, screen, len(memory) + 1))
                assert len(memory) > 50, "it was cut before anything could be seen"
                assert memory[-1] - memory[20] < 20_000_000
                await eventually(lambda: not holds_connection_to(frozen), pause=0.2)
            await _tell(service, screen, 100_000)
            assert viewer_count() == 1


async def _tell(service: Any, screen: Any, value: int) -> int:
    """A new value for every feed, seen on the screen that reads; the process's memory then."""
    service.newest = answer_value(value)
    for stream in service.streams:
        stream.writer.write(event(point(value)))
    await eventually(
        lambda: bool(screen.events) and _shows_everywhere(screen, value),
    )
    return int(psutil.Process().memory_info().rss)


def _shows_everywhere(screen: Any, value: int) -> bool:
    newest: dict[str, Any] = {}
    for _, data in screen.events[-3 * len(WIDE) :]:
        newest |= {name: feed["inside"] for name, feed in data.get("feeds", {}).items()}
    return len(newest) == len(WIDE) and set(newest.values()) == {value}


async def test_fault_26_a_half_open_client_is_gone_when_nothing_is_taken(start_relay: StartRelay) -> None:
    async with misbehaving_server(stream_of(event(point(3))), answer_value(3)) as service:
        relay = start_relay(service.base_url, gather=0.0, merge=0.0, send=0.3)
        with frozen_reader(relay, *WIDE) as half_open:
            await eventually(lambda: viewer_count() == 1 and len(service.streams) == len(WIDE))
            value = 0
            while viewer_count():
                value += 1
                for stream in service.streams:
                    stream.writer.write(event(point(value)))
                await asyncio.sleep(0.01)
            await eventually(lambda: not holds_connection_to(half_open), pause=0.2)
        await eventually(lambda: not relay.hub.health().feeds)


async def test_fault_26_a_half_open_client_is_gone_when_its_time_is_over(start_relay: StartRelay) -> None:
    async with misbehaving_server(stream_of(event(point(3))), answer_value(3)) as service:
        relay = start_relay(service.base_url, lifetime=(0.5, 0.6))
        with frozen_reader(relay, SITE) as half_open:
            await eventually(lambda: bool(service.streams))
            await eventually(lambda: not viewer_count())
            await eventually(lambda: not holds_connection_to(half_open), pause=0.2)
        await eventually(lambda: not relay.hub.health().feeds)


async def test_fault_27_a_dashboard_with_five_hundred_open_streams_ends_in_order(tmp_path: Path) -> None:
    async with misbehaving_server(stream_of(event(point(3))), answer_value(3)) as service:
        with ExitStack() as stack:
            dashboard = await asyncio.to_thread(_start_dashboard, tmp_path, service.base_url)
            stack.callback(dashboard.kill)
            grant = StreamGrant((GrantedFeed(SITE, "Europe/Zurich"),))
            token = StreamSigner(SECRET).sign(grant)
            clients = await connect_all(stack, dashboard.base_url, token, 500)
            began = time.monotonic()
            assert await asyncio.to_thread(dashboard.stop) == 0
            print(f"fault 27: ended {time.monotonic() - began:.2f} s after SIGTERM")  # noqa: T201 -- a figure
            await eventually(lambda: all(client.received_end for client in clients))


async def test_fault_28_a_client_that_leaves_while_idle_is_counted_no_more(start_relay: StartRelay) -> None:
    async with misbehaving_server(stream_of(event(point(3))), answer_value(3)) as service:
        relay = start_relay(service.base_url)
        with ExitStack() as stack:
            await connect_all(stack, relay.base_url, token_for(SITE), 20)
            assert viewer_count() == 20
            await eventually(lambda: [feed.subscribers for feed in relay.hub.health().feeds] == [20])
        await eventually(lambda: viewer_count() == 0)
        await eventually(lambda: not relay.hub.health().feeds)


async def test_fault_31_fifty_first_visitors_at_once_open_one_upstream_stream(
    tmp_path: Path,
) -> None:
    async with (
        AsyncExitStack() as ending,
        misbehaving_server(stream_of(event(point(3))), answer_value(3)) as service,
    ):
        dashboard = await asyncio.to_thread(_start_dashboard, tmp_path, service.base_url)
        ending.callback(dashboard.kill)
        token = StreamSigner(SECRET).sign(StreamGrant((GrantedFeed(SITE, "Europe/Zurich"),)))
        with ExitStack() as stack:
            clients = await connect_all(stack, dashboard.base_url, token, 50)
            await eventually(lambda: bool(service.streams))
            await service.streams[0].send(event(point(77)))
            await eventually(lambda: all(b'"inside":77' in client.received for client in clients))
            assert len(service.streams) == 1


def _start_dashboard(folder: Path, base_url: str) -> Any:
    environment = {"HEADROOM_BASE_URL": base_url, "HEADROOM_API_KEY": "key", "HEADROOM_SECRET": SECRET}
    return start_dashboard(folder, environment=environment)
