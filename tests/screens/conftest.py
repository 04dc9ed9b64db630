"""The routes of screens on a real server, before a hub and a client, before a real service."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette

from analysis.closed_ahead import ClosedSpans
from api_client import Client
from api_client.live_stream import EventStreamDecoder
from keeping import Place
from live import FeedLimits, Hub
from screens import (
    Composition,
    LinkLimits,
    NewLink,
    PreviewSigner,
    ScreenRoutes,
    ScreenStore,
    ShownBook,
    View,
    ViewerRegistry,
    ViewKind,
)
from screens.day_curve import typical_days
from screens.remembered import UNCONFIRMED
from tests.eventually import PATIENCE, eventually
from tests.kept_places import KINDS, kept_at
from tests.running_service import RunningService, free_port, start_service
from tests.small_site import SmallSite, create_small_site

SWIFT = FeedLimits(answer=2.0, first_check=0.2, cut=0.1, first_wait=0.01, longest_wait=0.1, linger=0.1)
SITE_ID = "corner-shop"
SECRET = "signs previews"


def number_screen(name: str = "Door", zone_id: str | None = None) -> Composition:
    return Composition(name=name, views=(View(kind=ViewKind.NUMBER, site_id=SITE_ID, zone_id=zone_id),))


@dataclass
class Shown:
    """What a wall was sent over its stream."""

    status: int = 0
    events: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    ended: bool = False

    def named(self, name: str) -> list[dict[str, Any]]:
        return [data for event, data in self.events if event == name]


@dataclass
class StoreAccess:
    """Gives the store, or raises `fault` while there is one."""

    store: ScreenStore
    fault: Exception | None = None
    failures: int = 0

    def __call__(self) -> ScreenStore:
        if self.fault:
            self.failures += 1
            raise self.fault
        return self.store


@dataclass
class LeapingClock:
    """Seconds of Unix time, so many ahead."""

    ahead: float = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead


@dataclass
class KeptClosed:
    """When every place is closed."""

    begin: datetime | None = None
    """UTC, for good; None: never."""
    asked: list[str] = field(default_factory=list)
    """Ids of sites."""
    is_unreadable: bool = False

    def __call__(self, zones: Mapping[str, str], _now: datetime) -> Mapping[str, ClosedSpans] | None:
        self.asked += zones
        if self.is_unreadable:
            return None
        return {site_id: [(self.begin.timestamp(), None)] for site_id in zones} if self.begin else {}


@dataclass
class RunningWall:
    """One dashboard's routes of screens; several may share a store's file."""

    base_url: str
    store: ScreenStore
    viewers: ViewerRegistry
    shown: ShownBook
    hub: Hub
    access: StoreAccess
    clock: LeapingClock
    """Of the tickets of previews."""
    hours: KeptClosed

    def link(self, screen: NewLink, rest: str = "") -> str:
        return f"{self.base_url}/screen/{screen.token}{rest}"

    def preview(self, screen: NewLink) -> NewLink:
        """The same screen, by a ticket instead of its link."""
        return NewLink(screen.id, PreviewSigner(SECRET).ticket(screen.id))

    def config(self, screen: NewLink, rest: str = "") -> dict[str, Any]:
        page = httpx.get(self.link(screen, rest))
        assert page.status_code == 200, page.text
        _, _, text = page.text.partition('id="screen">')
        config: dict[str, Any] = json.loads(text.partition("</script>")[0])
        return config

    @asynccontextmanager
    async def watch(self, screen: NewLink, rest: str = "/stream") -> AsyncIterator[Shown]:
        """A wall that shows `screen`, once it has been sent its first message or was turned away."""
        shown = Shown()
        task = asyncio.create_task(self._show(shown, self.link(screen, rest)))
        try:
            await eventually(lambda: bool(shown.events) or task.done())
            yield shown
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _show(self, shown: Shown, address: str) -> None:
        decoder = EventStreamDecoder()
        headers = {
            "User-Agent": "Mozilla/5.0 (X11; Linux armv7l) AppleWebKit/537.36 Chrome/85.0 Safari/537.36"
        }
        async with (
            httpx.AsyncClient(timeout=30.0, headers=headers) as client,
            client.stream("GET", address) as response,
        ):
            shown.status = response.status_code
            async for chunk in response.aiter_bytes():
                shown.events += [(event.event, json.loads(event.data)) for event in decoder.feed(chunk)]
        shown.ended = True


StartWall = Callable[..., RunningWall]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> SmallSite:
    return create_small_site(tmp_path_factory.mktemp("service"))


@pytest.fixture(scope="module")
def service(site: SmallSite) -> Iterator[RunningService]:
    running = start_service(site.data_dir)
    yield running
    running.kill()


@pytest.fixture
def start_wall(tmp_path: Path) -> Iterator[StartWall]:
    """`start_wall(service_url, api_key, limits, unconfirmed)`: those of one test share a data folder, and end
    with it.
    """
    endings: list[Callable[[], None]] = []

    def start(
        service_url: str, api_key: str, limits: LinkLimits | None = None, unconfirmed: float = UNCONFIRMED
    ) -> RunningWall:
        hub, client = Hub(service_url, api_key, limits=SWIFT), Client(service_url, api_key, attempts=1)
        store, viewers = ScreenStore(tmp_path / "dashboard"), ViewerRegistry()
        access, clock = StoreAccess(store), LeapingClock()
        previews = PreviewSigner(SECRET, now=clock)
        shown = ShownBook()
        getters = (access, lambda: client, lambda: hub, lambda: viewers, lambda: previews)
        hours = KeptClosed()
        routes = ScreenRoutes(
            *getters,
            get_shown=lambda: shown,
            typical=typical_days(lambda: client),
            closed=hours,
            limits=limits,
            unconfirmed=unconfirmed,
        ).routes()
        port = free_port()
        config = uvicorn.Config(Starlette(routes=routes), port=port, log_level="error", lifespan="off")
        server = uvicorn.Server(config)
        thread = Thread(target=server.run)
        thread.start()
        deadline = time.monotonic() + PATIENCE
        while not server.started:
            assert time.monotonic() < deadline, "the server did not start"
            time.sleep(0.01)

        def end() -> None:
            hub.close()
            server.should_exit = True
            server.force_exit = True
            thread.join(30.0)
            client.close()
            store.close()
            assert not thread.is_alive()

        endings.append(end)
        return RunningWall(f"http://127.0.0.1:{port}", store, viewers, shown, hub, access, clock, hours)

    yield start
    for end in endings:
        end()


@pytest.fixture
def wall(start_wall: StartWall, service: RunningService, site: SmallSite) -> RunningWall:
    return start_wall(service.base_url, site.read_key)


@pytest.fixture(params=KINDS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """Where a dashboard keeps what is its own, of every kind that there is."""
    with kept_at(request.param, tmp_path) as opened:
        yield opened
