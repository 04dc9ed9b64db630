"""Hundreds of feeds at once: how many are asked for together, and what one round of the loop does."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

import pytest

from api_client.live_stream import Turns
from live import FeedKey, FeedState, Hub
from live.filling import AT_ONCE, Gate
from tests.eventually import eventually
from tests.faults.misbehaving_server import (
    Call,
    Script,
    answer_value,
    event,
    misbehaving_server,
    one_after_another,
    point,
    stream_of,
)
from tests.live.conftest import SWIFT

FEEDS = 4 * AT_ONCE


async def test_no_more_feeds_are_filled_together_than_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("live.filling._PATIENCE", 600.0)
    may_answer = asyncio.Event()
    under_way = most = 0

    async def stream(call: Call) -> None:
        nonlocal most, under_way
        under_way += 1
        most = max(most, under_way)
        await may_answer.wait()
        under_way -= 1
        await call.open_stream()
        await call.send(event(point(3)))
        await call.hold()

    async with misbehaving_server(stream, answer_value(3)) as service:
        hub = Hub(service.base_url, "key", limits=SWIFT)
        try:
            feeds = [hub.subscribe(FeedKey(f"site-{number}")) for number in range(FEEDS)]
            await eventually(lambda: len(service.streams) == AT_ONCE)
            may_answer.set()
            await eventually(lambda: {feed.snapshot.state for feed in feeds} == {FeedState.LIVE})
            assert len(service.streams) == FEEDS
            assert most == AT_ONCE
        finally:
            hub.close()


@pytest.mark.parametrize("hung", [Call.hold, Call.open_stream], ids=["without a head", "without a day"])
async def test_sites_that_hang_keep_no_other_dark(hung: Script) -> None:
    """Longer than any test waits, and more of them than there are places, each of which asked first."""

    async def stream(call: Call) -> None:
        if call.body["siteId"].startswith("hung"):
            await hung(call)
            await call.hold()
        await call.open_stream()
        await call.send(event(point(3)))
        await call.hold()

    async def answer_newest(call: Call) -> None:
        await (call.hold() if call.body["siteId"].startswith("hung") else answer_value(3)(call))

    limits = replace(SWIFT, answer=3600.0, idle=3600.0)
    async with misbehaving_server(stream, answer_newest) as service:
        service.other = answer_newest
        hub = Hub(service.base_url, "key", limits=limits)
        try:
            for number in range(3 * AT_ONCE):
                hub.subscribe(FeedKey(f"hung-{number}"))
            feeds = [hub.subscribe(FeedKey(f"site-{number}")) for number in range(FEEDS)]
            await eventually(lambda: {feed.snapshot.state for feed in feeds} == {FeedState.LIVE})
        finally:
            hub.close()


def test_a_place_is_kept_longer_in_a_service_that_is_slow_to_answer() -> None:
    gate = Gate()
    soon = gate.patience
    gate.answered(2.0)
    slow = gate.patience
    gate.answered(60.0)
    slowest = gate.patience
    gate.answered(0.01)
    assert soon == gate.patience < slow
    assert slow > 2.0
    assert slow < slowest < 60.0


async def test_after_a_cut_only_what_may_be_missing_is_asked_for() -> None:
    cuts: asyncio.Queue[None] = asyncio.Queue()

    async def stream(call: Call) -> None:
        await call.open_stream()
        await call.send(event(point(2, minutes_ago=1)) + event(point(3)))
        await cuts.get()

    async with misbehaving_server(stream, answer_value(3)) as service:
        hub = Hub(service.base_url, "key", limits=SWIFT)
        try:
            with hub.subscribe(FeedKey("site-1")) as feed:
                await eventually(lambda: bool(feed.snapshot.newest) and not feed.snapshot.awaits_past)
                cuts.put_nowait(None)
                await eventually(lambda: len(service.streams) == 2)
        finally:
            hub.close()
    first, second = (int(call.body["from"].split()[0]) for call in service.streams)
    assert first >= 120
    assert second < 20


async def test_a_stall_of_the_hub_is_not_taken_for_the_silence_of_the_service() -> None:
    limits = replace(SWIFT, idle=4.0, unheard=60.0, beat=0.05)
    stream = one_after_another(Call.hold, stream_of(event(point(3))))
    async with misbehaving_server(stream, answer_value(3)) as service:
        hub = Hub(service.base_url, "key", limits=limits)
        try:
            with hub.subscribe(FeedKey("site-1")) as feed:
                await eventually(lambda: len(service.streams) == 1)
                hub._loop.call_soon_threadsafe(time.sleep, 10 * limits.beat)
                await eventually(lambda: feed.snapshot.state is FeedState.LIVE)
                assert len(service.streams) == 2
                assert feed.snapshot.reconnects == 0
        finally:
            hub.close()


async def test_one_round_of_the_loop_does_one_piece_of_work() -> None:
    turns = Turns()
    rounds = 0
    done_in: list[int] = []

    async def work() -> None:
        for _ in range(3):
            async with turns.take():
                done_in.append(rounds)

    def go_round() -> None:
        nonlocal rounds
        rounds += 1
        asyncio.get_running_loop().call_soon(go_round)

    go_round()
    await asyncio.gather(*(work() for _ in range(50)))
    assert len(done_in) == len(set(done_in)) == 150
