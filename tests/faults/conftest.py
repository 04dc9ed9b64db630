"""A hub whose times are compressed, so that minutes of trouble pass in a second."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from live import FeedKey, FeedLimits, FeedState, Hub, Subscription
from live.reducer import inside
from tests.e2e.conftest import browser_of_module as browser
from tests.e2e.conftest import emptied_stage, shared_stage, stage
from tests.e2e.conftest import new_page as page
from tests.live.conftest import start_relay

__all__ = ["browser", "emptied_stage", "page", "shared_stage", "stage", "start_relay"]

KEY = FeedKey("site-1")
SWIFT = FeedLimits(
    answer=30.0,
    idle=5.0,
    first_check=0.2,
    silence=5.0,
    recheck=0.1,
    cut=0.2,
    cuts_before_polling=3,
    poll=0.05,
    refill=60.0,
    grace=0.02,
    probe=0.3,
    first_wait=0.01,
    longest_wait=0.1,
    stable=60.0,
    linger=0.1,
)


def shows(feed: Subscription, value: int, state: FeedState = FeedState.LIVE) -> bool:
    snapshot = feed.snapshot
    return inside(snapshot.newest) == value and snapshot.state is state


Watch = Callable[..., Subscription]


@pytest.fixture
def watch() -> Iterator[Watch]:
    """`watch(base_url, **limits)` subscribes to KEY through a hub of its own, which ends with the test."""
    hubs: list[Hub] = []

    def start(base_url: str, **limits: Any) -> Subscription:
        hub = Hub(base_url, "secret-key", limits=replace(SWIFT, **limits))
        hubs.append(hub)
        return hub.subscribe(KEY, timezone="Europe/Zurich")

    yield start
    for hub in hubs:
        hub.close()
