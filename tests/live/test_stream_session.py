"""Pieces of a stream taken together: a day that comes minute by minute, and a stream that lives."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from dataclasses import replace
from datetime import datetime

import pytest

from analysis.drift import Drift, drifts
from live import FeedKey, FeedState, Hub
from live.snapshot import Reading
from live.stream_session import gathered
from tests.eventually import PATIENCE, eventually
from tests.faults.misbehaving_server import Call, answer_value, event, misbehaving_server, point
from tests.live.conftest import SWIFT, let_replays_pause

MINUTES = 600


async def test_a_day_that_comes_minute_by_minute_is_judged_once_it_is_through(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judged = 0

    def counted(readings: Iterable[Reading], read_from: datetime) -> list[Drift]:
        nonlocal judged
        judged += 1
        return drifts(readings, read_from)

    async def stream(call: Call) -> None:
        await call.open_chunked_stream()
        for back in range(MINUTES, -1, -1):
            await call.send_chunk(event(point(back, minutes_ago=back)))
        await call.hold()

    monkeypatch.setattr("live.reducer.drifts", counted)
    let_replays_pause(monkeypatch, 4.0)
    async with misbehaving_server(stream, answer_value(0)) as service:
        hub = Hub(service.base_url, "key", limits=replace(SWIFT, first_check=60.0, silence=60.0))
        try:
            with hub.subscribe(FeedKey("site-1")) as feed:
                await eventually(lambda: feed.snapshot.state is FeedState.LIVE)
                assert len(feed.snapshot.readings) > MINUTES
                assert judged <= 3
        finally:
            hub.close()


async def test_what_comes_before_a_stream_breaks_is_given_before_its_error() -> None:
    async def stream() -> AsyncIterator[tuple[int, ...]]:
        yield (1,)
        yield (2, 3)
        raise ConnectionError

    taken: list[int] = []

    async def take() -> None:
        async with gathered(stream(), lambda: True) as pieces:
            async for items in pieces:
                taken.extend(items)

    with pytest.raises(ConnectionError):
        await take()
    assert taken == [1, 2, 3]


async def test_a_replay_is_taken_in_few_steps_and_its_first_piece_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("live.stream_session._MOMENT", 3600.0)
    was_taken = asyncio.Event()

    async def stream() -> AsyncIterator[tuple[int, ...]]:
        yield (1,)
        await was_taken.wait()
        for number in (2, 3, 4):
            yield (number,)
            await asyncio.sleep(0.01)

    steps = []
    async with gathered(stream(), lambda: True) as pieces:
        async for items in pieces:
            steps.append(items)
            was_taken.set()
    assert steps == [(1,), (2, 3, 4)]


async def test_nothing_waits_where_no_past_is_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("live.stream_session._MOMENT", 3600.0)
    was_taken, steps = asyncio.Event(), []

    async def stream() -> AsyncIterator[tuple[int, ...]]:
        for number in (1, 2, 3):
            yield (number,)
            await was_taken.wait()
            was_taken.clear()

    async with asyncio.timeout(PATIENCE), gathered(stream(), lambda: False) as pieces:
        async for items in pieces:
            steps.append(items)
            was_taken.set()
    assert steps == [(1,), (2,), (3,)]


async def test_more_than_may_wait_is_not_read_before_it_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("live.stream_session._MOST", 3)
    read = 0

    async def stream() -> AsyncIterator[tuple[int, ...]]:
        nonlocal read
        for number in range(20):
            read += 1
            yield (number,)
            await asyncio.sleep(0)

    taken: list[int] = []
    async with gathered(stream(), lambda: True) as pieces:
        async for items in pieces:
            taken += items
            assert read <= len(taken) + 3
    assert taken == list(range(20))
