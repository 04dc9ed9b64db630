from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, MutableMapping
from contextlib import ExitStack, asynccontextmanager
from typing import Any

import pytest

from live import FeedKey, FeedState, GrantedFeed, Hub, RelayLimits, StreamGrant
from live.audience import Audience, _audiences, joined
from tests.eventually import eventually
from tests.faults.misbehaving_server import (
    MisbehavingServer,
    answer_value,
    event,
    misbehaving_server,
    point,
    stream_of,
)
from tests.live.conftest import SWIFT

SITE = FeedKey("site-1")
GRANT = StreamGrant((GrantedFeed(SITE, "Europe/Zurich"),))
LIMITS = RelayLimits(gather=0.0, merge=0.0)


class Screen:
    """What one reader was sent; `room` is cleared while its network is full."""

    def __init__(self) -> None:
        self.messages: list[bytes] = []
        self.room = asyncio.Event()
        self.room.set()
        self.ended = False

    async def send(self, message: MutableMapping[str, Any]) -> None:
        await self.room.wait()
        self.messages.append(message["body"])

    def end(self) -> None:
        self.ended = True

    def joined(self, hub: Hub) -> Any:
        return joined(hub, GRANT, LIMITS, self.send, stuck=self.end, end=self.end)

    @property
    def inside(self) -> list[int]:
        texts = [re.search(rb"data: (.*)", message) for message in self.messages]
        data = [json.loads(text[1]) for text in texts if text]
        return [one["feeds"]["site-1"]["inside"] for one in data if "feeds" in one]


@asynccontextmanager
async def fed() -> AsyncIterator[tuple[Hub, MisbehavingServer]]:
    """A hub that is live, with 3 people inside."""
    async with misbehaving_server(stream_of(event(point(3))), answer_value(3)) as service:
        hub = Hub(service.base_url, "secret-key", limits=SWIFT)
        try:
            with hub.subscribe(SITE) as feed:
                await eventually(
                    lambda: (
                        feed.snapshot.state is FeedState.LIVE
                        and bool(feed.snapshot.server_tag)
                        and not feed.snapshot.awaits_past
                    )
                )
                yield hub, service
        finally:
            hub.close()
            await eventually(lambda: not _audiences)


async def test_all_who_look_at_the_same_are_one_audience_and_get_the_same_bytes() -> None:
    screens = [Screen() for _ in range(500)]
    async with fed() as (hub, service):
        with ExitStack() as stack:
            for screen in screens:
                stack.enter_context(screen.joined(hub))
            assert len(_audiences) == 1
            await service.streams[0].send(event(point(4)))
            await eventually(lambda: all(4 in screen.inside for screen in screens))
            assert len({screen.messages[-1] for screen in screens}) == 1
        assert not _audiences


async def test_a_busy_reader_gets_the_newest_state_and_nothing_of_what_lay_between() -> None:
    slow, swift = Screen(), Screen()
    async with fed() as (hub, service):
        with slow.joined(hub), swift.joined(hub):
            slow.room.clear()
            for value in range(10, 20):
                await service.streams[0].send(event(point(value)))
                await eventually(lambda: value in swift.inside)  # noqa: B023 -- awaited at once
            slow.room.set()
            await eventually(lambda: 19 in slow.inside)
            # The first was on its way already when the network was full.
            assert slow.inside == [10, 19]


async def test_a_reader_that_comes_later_is_told_everything_first() -> None:
    first, second = Screen(), Screen()
    async with fed() as (hub, service):
        with first.joined(hub):
            await service.streams[0].send(event(point(8)))
            await eventually(lambda: 8 in first.inside)
            with second.joined(hub) as (_, changes):
                assert [change.known for change in changes] == [None]
                assert changes[0].snapshot == hub.snapshot(SITE)


async def test_a_closed_hub_ends_every_reader() -> None:
    screens = [Screen() for _ in range(3)]
    async with fed() as (hub, _):
        with ExitStack() as stack:
            for screen in screens:
                stack.enter_context(screen.joined(hub))
            hub.close()
            await eventually(lambda: all(screen.ended for screen in screens))


async def test_a_defect_ends_its_readers_and_the_next_get_a_new_audience(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole, defects = Audience._send_changes, ["once"]

    async def fail_once(audience: Audience) -> None:
        if defects:
            raise ZeroDivisionError(defects.pop())
        await whole(audience)

    monkeypatch.setattr(Audience, "_send_changes", fail_once)
    screen, later = Screen(), Screen()
    async with fed() as (hub, service):
        with screen.joined(hub):
            await eventually(lambda: screen.ended)
            with later.joined(hub):
                await service.streams[0].send(event(point(5)))
                await eventually(lambda: 5 in later.inside)
            assert not later.ended
