from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from contract import MetricKey
from live.snapshot import FeedKey, FeedState, Reading, Snapshot
from live.status import Grace
from tests.eventually import eventually

NOON = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
LIVE = Snapshot(
    FeedKey("site"),
    FeedState.LIVE,
    since=NOON - timedelta(hours=1),
    confirmed_at=1000.0,
    readings=(Reading(NOON, {MetricKey.VISITORS_INSIDE: 5}),),
)
LOST = replace(
    LIVE,
    state=FeedState.RECONNECTING,
    since=NOON,
    reason="It broke.",
    next_step="Trying again.",
    retry_at=1001.0,
    request_id="r-1",
    summary="It is away.",
    reported_until=NOON,
    reconnects=1,
)


async def test_a_loss_is_not_told_at_once_and_the_value_grows_no_younger_by_it() -> None:
    grace = Grace(60.0, lambda: None)
    assert grace.held(LIVE) is LIVE
    assert grace.held(LOST) == replace(LIVE, reported_until=NOON, reconnects=1)
    assert grace.held(replace(LOST, reason="It broke again.")) == grace.held(LOST)


async def test_a_loss_that_lasts_is_told_and_began_when_it_did() -> None:
    told: list[Snapshot] = []
    grace = Grace(0.05, lambda: told.append(grace.held(LOST)))
    grace.held(LIVE)
    grace.held(LOST)
    await eventually(lambda: bool(told))
    assert told == [LOST]
    assert grace.held(LOST) is LOST


async def test_a_loss_that_is_over_in_time_is_never_told(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = asyncio.get_running_loop()
    now = loop.time()
    monkeypatch.setattr(loop, "time", lambda: now)

    async def pass_by(seconds: float) -> None:
        nonlocal now
        now += seconds
        for _ in range(2):  # what is due then comes after what waits already
            await asyncio.sleep(0)

    told: list[None] = []
    grace = Grace(60.0, lambda: told.append(None))
    for _ in range(5):
        grace.held(LIVE)
        grace.held(LOST)
        await pass_by(59.0)
    grace.held(LIVE)
    await pass_by(61.0)
    assert told == []
    grace.held(LOST)
    await pass_by(61.0)
    assert told == [None]


@pytest.mark.parametrize("state", [FeedState.CONNECTING, FeedState.LATE, FeedState.POLLING])
async def test_a_feed_that_was_not_live_is_told_as_lost_at_once(state: FeedState) -> None:
    grace = Grace(60.0, lambda: None)
    grace.held(LIVE)
    grace.held(replace(LIVE, state=state))
    assert grace.held(LOST) is LOST


@pytest.mark.parametrize("state", [FeedState.LATE, FeedState.OFFLINE, FeedState.REFUSED])
async def test_a_worse_trouble_than_a_lost_stream_is_told_within_the_grace(state: FeedState) -> None:
    grace = Grace(60.0, lambda: None)
    grace.held(LIVE)
    grace.held(LOST)
    worse = replace(LOST, state=state)
    assert grace.held(worse) is worse
    assert grace.held(LOST) is LOST
