from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

import httpx
import pytest

from live import FeedKey, FeedState, Hub, HubClosedError, queries
from live.feed import Feed
from live.notifier import Watcher
from live.reducer import inside
from tests.eventually import eventually
from tests.faults.misbehaving_server import (
    Call,
    MisbehavingServer,
    answer_value,
    event,
    misbehaving_server,
    point,
    stream_of,
)
from tests.live.conftest import SWIFT
from tests.running_service import start_service
from tests.small_site import SITE, SmallSite, count, create_small_site

KEY = FeedKey("site-1")


@pytest.fixture
async def service() -> AsyncIterator[MisbehavingServer]:
    async with misbehaving_server(stream_of(event(point(3))), answer_value(3)) as started:
        yield started


@pytest.fixture
def hub(service: MisbehavingServer) -> Iterator[Hub]:
    opened = Hub(service.base_url, "key", limits=SWIFT)
    yield opened
    opened.close()


def is_live(hub: Hub, key: FeedKey = KEY) -> bool:
    return hub.snapshot(key).state is FeedState.LIVE


async def test_nothing_is_connected_before_the_first_subscription(
    hub: Hub, service: MisbehavingServer
) -> None:
    assert hub.snapshot(KEY).state is FeedState.CONNECTING
    await asyncio.sleep(0.1)
    assert service.calls == []
    assert hub.health().feeds == ()


async def test_subscribers_share_a_feed_and_the_last_one_closes_it(
    hub: Hub, service: MisbehavingServer
) -> None:
    first, second = hub.subscribe(KEY), hub.subscribe(KEY)
    await eventually(lambda: is_live(hub))
    assert hub.health().feeds[0].subscribers == 2
    first.close()
    first.close()
    await eventually(lambda: hub.health().feeds[0].subscribers == 1)
    assert len(service.streams) == 1
    second.close()
    await eventually(lambda: hub.health().feeds == ())
    await eventually(lambda: not service.tasks)


async def test_a_feed_lingers_for_the_next_subscriber(service: MisbehavingServer) -> None:
    hub = Hub(service.base_url, "key", limits=replace(SWIFT, linger=60.0))
    try:
        with hub.subscribe(KEY):
            await eventually(lambda: is_live(hub))
        await eventually(lambda: hub.health().feeds[0].subscribers == 0)
        with hub.subscribe(KEY) as subscription:
            assert subscription.snapshot.state is FeedState.LIVE
            assert len(service.streams) == 1
    finally:
        hub.close()


async def test_a_feed_that_was_joined_again_in_time_is_not_closed(
    hub: Hub, service: MisbehavingServer
) -> None:
    hub.subscribe(KEY).close()
    with hub.subscribe(KEY):
        await eventually(lambda: [feed.subscribers for feed in hub.health().feeds] == [1])
        await asyncio.sleep(SWIFT.linger * 3)
        assert len(hub.health().feeds) == 1


async def test_many_threads_may_come_and_go_at_once(hub: Hub, service: MisbehavingServer) -> None:
    def come_and_go() -> None:
        for _ in range(50):
            with hub.subscribe(KEY):
                hub.snapshot(KEY)

    with hub.subscribe(KEY):
        await asyncio.gather(*(asyncio.to_thread(come_and_go) for _ in range(8)))
        await eventually(lambda: [feed.subscribers for feed in hub.health().feeds] == [1])
        assert len(service.streams) <= 1


async def test_there_is_one_thread_however_many_feeds(hub: Hub) -> None:
    before = set(threading.enumerate())  # of which those of others may end meanwhile
    for number in range(20):
        hub.subscribe(FeedKey(f"site-{number}"))
    await eventually(lambda: hub.health().open_streams == 20)
    assert set(threading.enumerate()) <= before


async def is_woken(watcher: Watcher) -> bool:
    try:
        return await asyncio.wait_for(watcher.changed(), 0.2)
    except TimeoutError:
        return False


async def test_a_watcher_wakes_for_its_own_feeds_only(hub: Hub, service: MisbehavingServer) -> None:
    other = FeedKey("site-2")
    with hub.subscribe(KEY), hub.subscribe(other):
        await eventually(
            lambda: all(is_live(hub, key) and hub.snapshot(key).server_tag for key in (KEY, other))
        )
        with hub.watch([KEY]) as mine, hub.watch([other]) as theirs:
            stream = next(call for call in service.streams if call.body["siteId"] == "site-1")

            async def wakes_the_other(value: int) -> bool:
                await stream.send(event(point(value)))
                await eventually(lambda: inside(hub.snapshot(KEY).newest) == value)
                assert await mine.changed()
                return await is_woken(theirs)

            # Something of its own may wake the other meanwhile, but not each time.
            assert not all([await wakes_the_other(value) for value in range(8, 12)])


async def test_many_changes_wake_a_slow_watcher_once(hub: Hub, service: MisbehavingServer) -> None:
    with hub.subscribe(KEY), hub.watch([KEY]) as watcher:
        await eventually(
            lambda: is_live(hub) and bool(hub.snapshot(KEY).server_tag) and not hub.snapshot(KEY).awaits_past
        )
        for value in range(50):
            await service.streams[0].send(event(point(value)))
        await eventually(lambda: inside(hub.snapshot(KEY).newest) == 49)
        await asyncio.sleep(0.05)
        assert await watcher.changed()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(watcher.changed(), 0.2)


async def test_closing_ends_every_watcher_and_refuses_new_subscribers(hub: Hub) -> None:
    with hub.watch([KEY]) as watcher:
        waiting = asyncio.create_task(watcher.changed())
        await asyncio.sleep(0)
        hub.close()
        assert await waiting is False
    with hub.watch([KEY]) as late:
        assert await late.changed() is False
    with pytest.raises(HubClosedError):
        hub.subscribe(KEY)
    assert not hub.health().running


async def test_an_unknown_time_zone_does_not_darken_a_feed(hub: Hub) -> None:
    hub.subscribe(KEY, timezone="Mars/Olympus")
    await eventually(lambda: is_live(hub))
    assert hub.health().feeds[0].restarts == 0


async def test_health_tells_the_errors_that_led_to_a_state(service: MisbehavingServer) -> None:
    hub = Hub("http://127.0.0.1:9", "key", limits=SWIFT)
    try:
        hub.subscribe(KEY)
        await eventually(lambda: bool(hub.health().recent_errors))
        assert hub.health().recent_errors[0].operation == "stream site-1"
        assert hub.health().open_streams == 0
    finally:
        hub.close()


def post(site: SmallSite, base_url: str, people: int) -> None:
    body = [count(datetime.now(UTC), forward=people)]
    httpx.post(f"{base_url}/ingest/counts", headers=site.ingest_headers, json=body).raise_for_status()


async def test_counts_posted_to_the_real_service_arrive_also_after_its_return(tmp_path: Path) -> None:
    site = create_small_site(tmp_path)
    service = start_service(tmp_path)
    hub = Hub(service.base_url, site.read_key, limits=SWIFT)
    key, hall = FeedKey(SITE.id), FeedKey(SITE.id, ("hall",))
    try:
        hub.subscribe(key, timezone="Europe/Zurich")
        hub.subscribe(hall, timezone="Europe/Zurich")
        await eventually(lambda: is_live(hub, key) and hub.snapshot(key).top_zone_ids == ("shop",))
        await asyncio.to_thread(post, site, service.base_url, 5)
        await eventually(lambda: [inside(hub.snapshot(one).newest) for one in (key, hall)] == [5, 5])
        service.kill()
        await eventually(lambda: not is_live(hub, key))
        assert inside(hub.snapshot(key).newest) == 5
        service = await asyncio.to_thread(start_service, tmp_path, port=service.port)
        await asyncio.to_thread(post, site, service.base_url, 2)
        await eventually(lambda: is_live(hub, key) and inside(hub.snapshot(key).newest) == 7)
    finally:
        hub.close()
        service.kill()


async def test_a_lasting_defect_never_ends_the_supervision_of_a_feed(
    hub: Hub, service: MisbehavingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def cut(call: Call) -> None:
        await call.open_stream()
        await call.send(event(point(3)))

    def fail(*_: object) -> NoReturn:
        raise ZeroDivisionError

    service.stream = cut
    with monkeypatch.context() as defect:
        defect.setattr(queries, "usable", fail)
        hub.subscribe(KEY)
        # Many more than there are cuts before the service is polled instead.
        await eventually(lambda: any(feed.restarts > 4 for feed in hub.health().feeds))
    service.stream = stream_of(event(point(3)))
    await eventually(lambda: is_live(hub))
    assert hub.health().feeds[0].is_tended


async def test_a_defect_in_telling_of_a_defect_does_not_end_the_supervision_either(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> NoReturn:
        raise ZeroDivisionError

    with monkeypatch.context() as defect:
        defect.setattr(Feed, "run", fail)
        defect.setattr(Feed, "crashed", fail)
        hub.subscribe(KEY)
        await eventually(lambda: any(feed.restarts > 3 for feed in hub.health().feeds))
    await eventually(lambda: is_live(hub))
