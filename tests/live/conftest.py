"""A relay on a real server, before a hub, before a service that a test plays by hand."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from threading import Thread
from typing import Any

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette

from api_client.live_stream import EventStreamDecoder
from live import (
    FeedKey,
    FeedLimits,
    GrantedFeed,
    Hub,
    RelayLimits,
    StreamGrant,
    StreamSigner,
    Subscription,
    relay_routes,
)
from tests.eventually import eventually
from tests.faults.misbehaving_server import MisbehavingServer
from tests.running_service import free_port

SWIFT = FeedLimits(
    answer=30.0,
    idle=600.0,
    first_check=0.2,
    cut=0.1,
    grace=0.02,
    first_wait=0.01,
    longest_wait=0.1,
    linger=0.1,
)
"""Swift where a feed acts, patient where it waits for answers: on a busy machine these come late."""
SIGNER = StreamSigner("secret")
SITE_KEY = FeedKey("site-1")
SITE = FeedKey("site-1")


def let_replays_pause(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """A replay is through only when nothing more came for so long."""
    for limit in ("_QUIET", "_LONGEST_QUIET"):
        monkeypatch.setattr(f"live.filling.{limit}", seconds)


Subscribe = Callable[..., Subscription]


@pytest.fixture
def subscribe() -> Iterator[Subscribe]:
    """`subscribe(service, key, **limits)`, each time through a hub of its own, which ends with the test."""
    hubs: list[Hub] = []

    def start(service: MisbehavingServer, key: FeedKey = SITE_KEY, **limits: Any) -> Subscription:
        hubs.append(Hub(service.base_url, "key", limits=replace(SWIFT, **limits)))
        return hubs[-1].subscribe(key, timezone="Europe/Zurich")

    yield start
    for hub in hubs:
        hub.close()


def token_for(*keys: FeedKey) -> str:
    return SIGNER.sign(StreamGrant(tuple(GrantedFeed(key, "Europe/Zurich") for key in keys)))


@dataclass
class Screen:
    """An open connection of a browser, and all that it was sent."""

    events: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    ended: bool = False

    def named(self, name: str) -> list[dict[str, Any]]:
        return [data for event, data in self.events if event == name]


@dataclass
class RunningRelay:
    hub: Hub
    base_url: str

    def address(self, token: str) -> str:
        return f"{self.base_url}/live/stream?token={token}"

    @asynccontextmanager
    async def screen(self, *keys: FeedKey) -> AsyncIterator[Screen]:
        """A browser that shows `keys`, once it has been sent its first message."""
        screen = Screen()
        task = asyncio.create_task(self._show(screen, token_for(*keys)))
        try:
            await eventually(lambda: bool(screen.events) or task.done())
            yield screen
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _show(self, screen: Screen, token: str) -> None:
        decoder = EventStreamDecoder()
        async with (
            httpx.AsyncClient(timeout=30.0) as client,
            client.stream("GET", self.address(token)) as response,
        ):
            async for chunk in response.aiter_bytes():
                screen.events += [(event.event, json.loads(event.data)) for event in decoder.feed(chunk)]
        screen.ended = True


StartRelay = Callable[..., RunningRelay]


@pytest.fixture
def start_relay() -> Iterator[StartRelay]:
    """`start_relay(service_url, **relay_limits)`: everything ends with the test."""
    endings: list[Callable[[], None]] = []

    def start(service_url: str, **limits: Any) -> RunningRelay:
        hub = Hub(service_url, "secret-key", limits=SWIFT)
        relay_limits = RelayLimits(**{"merge": 0.02, **limits})
        routes = relay_routes(lambda: hub, lambda: SIGNER, limits=relay_limits)
        port = free_port()
        config = uvicorn.Config(Starlette(routes=routes), port=port, log_level="error", lifespan="off")
        server = uvicorn.Server(config)
        thread = Thread(target=server.run)
        thread.start()
        endings.append(lambda: end(server, thread, hub))
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        return RunningRelay(hub, f"http://127.0.0.1:{port}")

    yield start
    for ending in endings:
        ending()


def end(server: uvicorn.Server, thread: Thread, hub: Hub) -> None:
    hub.close()
    server.should_exit = True
    server.force_exit = True
    thread.join(30.0)
    assert not thread.is_alive()
