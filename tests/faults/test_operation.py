"""Faults 19, 20, 22 and 23: revoked keys, clocks that jump or change, stopping and defects of our own."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import generate_latest

from live import FeedKey, FeedState, Hub
from live.browser_messages import encode_feed
from live.clock import Moment, SystemClock, local_zone
from live.reducer import inside
from live.stream_session import StreamSession
from runtime.dashboard_metrics import dashboard_registry
from runtime.health_routes import ServiceProbe, readiness
from runtime.upstream import Upstream
from service.open_store import open_store, store_url
from tests.eventually import eventually
from tests.faults.conftest import KEY, SWIFT, Watch, shows
from tests.faults.misbehaving_server import (
    Call,
    answer_value,
    event,
    failure,
    misbehaving_server,
    one_after_another,
    point,
    stream_of,
)
from tests.running_service import start_service
from tests.small_site import SmallSite, create_small_site


async def refuse_key(call: Call) -> None:
    body = failure("INVALID_API_KEY", "The key was revoked.")
    await call.answer("401 Unauthorized", body)


async def test_fault_19_a_key_revoked_under_an_open_stream_is_found_by_the_next_check(watch: Watch) -> None:
    script = one_after_another(stream_of(event(point(3))), refuse_key)
    async with misbehaving_server(script, one_after_another(answer_value(3), refuse_key)) as server:
        feed = watch(server.base_url, silence=0.1)
        await eventually(lambda: feed.snapshot.state is FeedState.REFUSED)
        assert inside(feed.snapshot.newest) == 3
        assert "revoked" in feed.snapshot.reason


async def test_fault_19_a_stream_ended_by_the_revocation_is_refused_at_the_next_connect(watch: Watch) -> None:
    async def end(call: Call) -> None:
        await call.open_stream()
        await call.send(event(point(3)))

    async with misbehaving_server(one_after_another(end, refuse_key), answer_value(3)) as server:
        feed = watch(server.base_url)
        await eventually(lambda: feed.snapshot.state is FeedState.REFUSED)


async def test_fault_19_the_service_ends_the_streams_of_a_revoked_key(watch: Watch, tmp_path: Path) -> None:
    site = create_small_site(tmp_path)
    service = start_service(site.data_dir)
    hub = Hub(service.base_url, site.read_key, limits=replace(SWIFT, silence=60.0))
    try:
        feed = hub.subscribe(FeedKey(site.site_id))
        await eventually(lambda: feed.snapshot.state is FeedState.LIVE)
        await asyncio.to_thread(revoke, site)
        await eventually(lambda: feed.snapshot.state is FeedState.REFUSED)
        assert feed.snapshot.request_id
    finally:
        hub.close()
        service.kill()


def revoke(site: SmallSite) -> None:
    store = open_store(store_url(site.data_dir))
    store.keys.revoke(site.read_key_id)
    store.close()


class JumpingClock:
    """The system's clocks, with a wall clock that can be set."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def now(self) -> Moment:
        moment = SystemClock().now()
        return Moment(moment.monotonic, moment.wall + self.ahead)


@pytest.mark.parametrize("jump", [timedelta(hours=-5), timedelta(hours=5), timedelta(days=400)])
async def test_fault_20_a_jump_of_the_wall_clock_changes_no_age(jump: timedelta) -> None:
    clock = JumpingClock()
    # Long enough that nothing else is asked or given up meanwhile.
    patient = replace(SWIFT, answer=60.0, idle=600.0, silence=600.0, recheck=600.0)
    async with misbehaving_server(stream_of(event(point(3))), answer_value(3)) as server:
        hub = Hub(server.base_url, "secret-key", limits=patient, clock=clock)
        try:
            feed = hub.subscribe(KEY)
            # An answer without a date that came after the jump would be believed to come from then.
            await eventually(lambda: shows(feed, 3) and bool(feed.snapshot.server_tag))
            before = _confirmed_age(hub)
            clock.ahead = jump
            assert before <= _confirmed_age(hub) < before + 60
            assert feed.snapshot.state is FeedState.LIVE
            await server.streams[0].send(event(point(4)))
            await eventually(lambda: shows(feed, 4))
        finally:
            hub.close()


def _confirmed_age(hub: Hub) -> float:
    age = encode_feed(hub.snapshot(KEY), hub.now(), local_zone("Europe/Zurich"))["confirmed_age"]
    assert isinstance(age, float)
    return age


async def test_fault_20_the_hour_that_comes_twice_keeps_both_its_values() -> None:
    """2026-10-25 in Zurich: 02:30 summer time, and an hour later 02:30 winter time."""
    summer, winter = datetime(2026, 10, 25, 0, 30, tzinfo=UTC), datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
    clock = JumpingClock()
    clock.ahead = winter - datetime.now(UTC)
    values = [
        event(point(inside) | {"timestamp": at.isoformat()}) for at, inside in ((summer, 3), (winter, 4))
    ]
    async with misbehaving_server(stream_of(values[0])) as server:
        hub = Hub(server.base_url, "secret-key", limits=SWIFT, clock=clock)
        try:
            feed = hub.subscribe(KEY, timezone="Europe/Zurich")
            await eventually(lambda: inside(feed.snapshot.newest) == 3)
            await server.streams[0].send(values[1])
            await eventually(lambda: shows(feed, 4))
            told = encode_feed(hub.snapshot(KEY), hub.now(), local_zone("Europe/Zurich"))
            assert [value for _, value in told["points"]] == [3, 4]
            assert told["entrances_today"] == 2
            assert 0 <= told["confirmed_age"] < 60
        finally:
            hub.close()


async def test_fault_22_closing_during_a_blocked_read_ends_the_thread(watch: Watch) -> None:
    threads = set(threading.enumerate())
    async with misbehaving_server(stream_of(event(point(3)))) as server:
        hub = Hub(server.base_url, "secret-key", limits=SWIFT)
        feed = hub.subscribe(KEY)
        await eventually(lambda: shows(feed, 3))
        hub.close()
        assert not hub.health().running
        assert set(threading.enumerate()) <= threads
        hub.close()
        feed.close()


async def test_fault_22_closing_while_a_connect_hangs_ends_the_thread() -> None:
    async def say_nothing(call: Call) -> None:
        await call.hold()

    async with misbehaving_server(say_nothing) as server:
        hub = Hub(server.base_url, "secret-key", limits=SWIFT)
        hub.subscribe(KEY)
        await eventually(lambda: len(server.calls) == 1)
        hub.close()
        assert not hub.health().running


async def test_fault_23_a_defect_in_the_consumer_is_restarted_and_shown(
    watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, defects = StreamSession.read, ["first", "second"]

    async def fail_twice(session: StreamSession, stream: Any) -> None:
        if defects:
            raise ZeroDivisionError(defects.pop(0))
        await whole(session, stream)

    monkeypatch.setattr(StreamSession, "read", fail_twice)
    async with misbehaving_server(stream_of(event(point(3)))) as server:
        hub = Hub(server.base_url, "secret-key", limits=SWIFT)
        try:
            feed = hub.subscribe(KEY)
            await eventually(lambda: shows(feed, 3))
            health = hub.health().feeds[0]
            assert health.restarts == 2
            assert health.last_defect == "ZeroDivisionError('second')"
            told = await readiness(hub, Upstream(server.base_url, "key", embedded=False), ServiceProbe())
            assert (told["ready"], told["restarts"]) == (True, 2)
            assert told["feeds"][0]["lastDefect"] == "ZeroDivisionError('second')"
            metrics = generate_latest(dashboard_registry(lambda: hub)).decode()
            assert "headroom_feed_restarts_total 2.0" in metrics
        finally:
            hub.close()
