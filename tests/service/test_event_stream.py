from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from service.broadcast import Broadcast
from service.event_stream import HEARTBEAT, StreamLimits, accepts_events, live_events
from service.live_series import LiveReader, LiveSeries, event
from service.query.points import RecentPoints
from service.store.errors import StoreAwayError

TEN = datetime(2025, 6, 3, 10, tzinfo=UTC)
FIRST: dict[str, Any] = {"timestamp": TEN, "metrics": {"exits": 1}}
SECOND: dict[str, Any] = {"timestamp": TEN, "metrics": {"exits": 2}}


class Site:
    """A site whose newest point the test sets."""

    def __init__(self, heartbeat: float = 60.0, lifetime: float = 60.0) -> None:
        self.point: dict[str, Any] | None = None
        self.trouble: Exception | None = None
        self.looks = 0
        self.broadcast = Broadcast()
        watched = self.broadcast.watch("site")
        series = LiveSeries(
            watched, lambda _: self.read(), recall=lambda _: None, in_thread=asyncio.to_thread
        )
        self._reader = LiveReader(series)
        self._limits = StreamLimits(*(timedelta(seconds=s) for s in (heartbeat, 5.0, lifetime)))

    def read(self) -> RecentPoints:
        self.looks += 1
        if self.trouble:
            raise self.trouble
        return RecentPoints(TEN, TEN, [] if self.point is None else [self.point])

    def stream(self, *history: dict[str, Any]) -> AsyncGenerator[bytes]:
        opening = b"".join(map(event, history))
        return live_events(self.broadcast.subscribe("site", "key"), opening, self._reader, self._limits)


async def take(stream: AsyncGenerator[bytes]) -> bytes:
    return await asyncio.wait_for(anext(stream), 10.0)


async def test_the_reader_hears_at_once_that_it_is_connected() -> None:
    async with aclosing(Site().stream()) as stream:
        assert await take(stream) == HEARTBEAT


async def test_history_comes_with_the_first_bytes() -> None:
    async with aclosing(Site().stream(FIRST, SECOND)) as stream:
        assert await take(stream) == HEARTBEAT + event(FIRST) + event(SECOND)


async def test_a_commit_that_changes_nothing_for_this_reader_sends_nothing() -> None:
    site = Site(heartbeat=2.0)
    site.point = FIRST
    async with aclosing(site.stream()) as stream:
        assert [await take(stream), await take(stream)] == [HEARTBEAT, event(FIRST)]
        site.broadcast.publish({"site": 7})
        assert await take(stream) == HEARTBEAT
        assert site.looks >= 2
        site.point = SECOND
        site.broadcast.publish({"site": 7})
        assert await take(stream) == event(SECOND)


async def test_heartbeats_go_on_while_others_keep_the_site_busy() -> None:
    site = Site(heartbeat=0.2)

    async def busy() -> None:
        while True:
            site.broadcast.publish({"site": 7})
            await asyncio.sleep(0.01)

    others = asyncio.create_task(busy())
    async with aclosing(site.stream()) as stream:
        assert {await take(stream) for _ in range(3)} == {HEARTBEAT}
    others.cancel()


async def test_it_ends_after_its_lifetime_and_gives_its_place_back() -> None:
    site = Site(lifetime=0.1)
    assert [piece async for piece in site.stream()] == [HEARTBEAT]
    assert site.broadcast.subscriber_count == 0


async def test_it_ends_in_order_where_the_store_cannot_be_read_for_news() -> None:
    site = Site()
    site.trouble = StoreAwayError("the database is out of reach")
    assert [piece async for piece in site.stream()] == [HEARTBEAT]
    assert site.broadcast.subscriber_count == 0


async def test_a_reader_that_leaves_gives_its_place_back() -> None:
    site = Site()
    async with aclosing(site.stream()) as stream:
        await take(stream)
        assert site.broadcast.subscriber_count == 1
    assert site.broadcast.subscriber_count == 0


@pytest.mark.parametrize(
    ("accept", "accepted"),
    [
        ("text/event-stream", True),
        ("application/json, Text/Event-Stream;q=0.5", True),
        ("", False),
        ("*/*", False),
        ("text/event-streams", False),
        ("text/event-stream;q=0", False),
        ("application/json, text/event-stream; q=0.0", False),
    ],
)
def test_a_stream_has_to_be_asked_for_by_name(accept: str, accepted: bool) -> None:
    assert accepts_events(accept) is accepted
