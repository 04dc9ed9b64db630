from __future__ import annotations

import asyncio

from live import LAG_BOUNDS, FeedCounters, FeedKey, LagCounters, relay_counters, viewer_count
from tests.eventually import PATIENCE, eventually
from tests.faults.misbehaving_server import event, misbehaving_server, one_after_another, point, stream_of
from tests.live.conftest import StartRelay

SITE = FeedKey("site-1")


def test_a_lag_falls_into_the_class_whose_edge_it_does_not_pass() -> None:
    lag = LagCounters()
    for seconds in (0.0, 0.01, 0.011, 31.0):
        lag.add(seconds)
    assert lag.classes[:2] == [2, 1]
    assert (lag.classes[len(LAG_BOUNDS)], lag.total) == (1, 31.021)


def test_a_service_that_invents_codes_fills_no_memory() -> None:
    counters = FeedCounters()
    for number in range(1000):
        counters.reconnect(f"CODE_{number}")
    assert len(counters.reconnects) < 50
    assert sum(counters.reconnects.values()) == 1000


async def test_a_hub_counts_readings_skipped_events_and_reconnects_by_reason(start_relay: StartRelay) -> None:
    async with misbehaving_server(stream_of(event(point(3)), b"data: {\n\n")) as service:
        relay = start_relay(service.base_url)
        async with relay.screen(SITE):
            counters = relay.hub.health().counters
            await eventually(lambda: counters.skipped == {"not JSON": 1} and counters.readings == 1)
            service.streams[0].reset()
            await eventually(lambda: counters.readings == 2)
            assert sum(counters.reconnects.values()) == 1
        await eventually(lambda: not relay.hub.health().feeds)
        assert relay.hub.health().counters.readings == 2


async def test_the_relay_counts_viewers_messages_lag_and_what_was_merged(start_relay: StartRelay) -> None:
    async with misbehaving_server(one_after_another(stream_of(event(point(3))))) as service:
        relay = start_relay(service.base_url, merge=0.3)
        async with relay.screen(SITE) as screen:
            await eventually(lambda: bool(screen.named("change")) and bool(service.streams))
            assert viewer_count() == 1
            messages, merged = relay_counters.messages, relay_counters.merged
            lags = sum(relay_counters.lag.classes)
            value = 3
            async with asyncio.timeout(PATIENCE):
                while relay_counters.merged == merged:  # what comes in one piece is merged before it
                    value += 1
                    await service.streams[0].send(event(point(value)))
                    await asyncio.sleep(0.02)
            await eventually(lambda: screen.named("change")[-1]["feeds"]["site-1"]["inside"] == value)
            await eventually(lambda: relay_counters.messages > messages)
            assert sum(relay_counters.lag.classes) > lags
        await eventually(lambda: viewer_count() == 0)
