from __future__ import annotations

import threading
from functools import partial

import pytest

from live import FeedKey, FeedLimits, FeedState, Hub, Subscription
from live.reducer import inside
from tests.eventually import eventually
from tests.faults.misbehaving_server import answer_value, event, misbehaving_server, point, stream_of

SITES = 500


def hub_threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "headroom-hub"}


def is_live(feed: Subscription) -> bool:
    return feed.snapshot.state is FeedState.LIVE


@pytest.mark.soak
async def test_five_hundred_sites_are_live_at_once_in_one_thread() -> None:
    others = hub_threads()  # of what ran before in this process
    async with misbehaving_server(stream_of(event(point(3))), answer_value(3)) as service:
        limits = FeedLimits(answer=60.0, idle=600.0, silence=600.0, unheard=60.0)
        hub = Hub(service.base_url, "secret-key", limits=limits)
        try:
            feeds = [hub.subscribe(FeedKey(f"site-{number}")) for number in range(SITES)]
            for feed in feeds:  # each in turn: to ask all of them again and again is much of the work here
                await eventually(partial(is_live, feed))
            await eventually(lambda: all(is_live(feed) for feed in feeds))
            assert len(service.streams) == hub.health().open_streams == SITES
            assert len(hub_threads() - others) == 1
            for number, stream in enumerate(service.streams):
                await stream.send(event(point(1000 + number)))
            shown = range(1000, 1000 + SITES)
            await eventually(lambda: sorted(inside(feed.snapshot.newest) or 0 for feed in feeds) == [*shown])
        finally:
            hub.close()
