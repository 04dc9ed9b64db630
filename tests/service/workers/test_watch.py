from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import structlog

from service.application_state import ApplicationState
from service.broadcast import Broadcast, Subscription
from service.clock import present
from service.open_store import open_store, store_url
from service.settings import ServiceSettings
from service.store.errors import StoreError
from service.store.protocol import KeyScope, Store
from service.workers.watch import Watch
from tests.small_site import create_small_site

DEADLINE = 60.0


@asynccontextmanager
async def watched(
    store: Store, key_id: str, clock: Callable[[], datetime] = present
) -> AsyncIterator[Subscription]:
    """A stream of that key, while the watch looks a hundred times a second."""
    settings = ServiceSettings(watch_interval=timedelta(seconds=0.01))
    broadcast, watch = Broadcast(), Watch()
    parts = {"store": store, "broadcast": broadcast, "settings": settings, "clock": clock}
    state = SimpleNamespace(**parts, heard=asyncio.Event())
    with broadcast.subscribe("corner-shop", key_id) as subscription:
        await watch.start(cast(ApplicationState, state))
        yield subscription
        await watch.stop()


async def ended(subscription: Subscription) -> bool:
    async with asyncio.timeout(DEADLINE):
        await subscription.pause(DEADLINE)
    return subscription.ended


async def test_revoking_a_key_elsewhere_ends_its_streams(tmp_path: Path) -> None:
    create_small_site(tmp_path)
    store, other_process = open_store(store_url(tmp_path)), open_store(store_url(tmp_path))
    organization_id = store.catalogue.organizations()[0].id
    key, _ = store.keys.create(organization_id, "stream", KeyScope.READ)
    async with watched(store, key.id) as subscription:
        other_process.keys.revoke(key.id)
        assert await ended(subscription)
    other_process.close()
    store.close()


async def test_a_key_that_expires_ends_its_streams(tmp_path: Path) -> None:
    create_small_site(tmp_path)
    store, moment = open_store(store_url(tmp_path)), [present()]
    end = moment[0] + timedelta(hours=1)
    key, _ = store.keys.create("corner", "stream", KeyScope.READ, expires_at=end)
    async with watched(store, key.id, lambda: moment[0]) as subscription:
        moment[0] = end - timedelta(seconds=1)
        await subscription.pause(0.1)
        assert not subscription.ended
        moment[0] = end
        assert await ended(subscription)
    store.close()


async def test_streams_end_when_the_store_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create_small_site(tmp_path)
    store = open_store(store_url(tmp_path))

    def fails(*_: Any) -> Any:
        raise StoreError("the file is gone")

    monkeypatch.setattr(store.metrics, "poll_changes", fails)
    async with watched(store, "any") as subscription:
        assert await ended(subscription)
    store.close()


async def test_a_failed_look_is_logged_and_the_next_one_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create_small_site(tmp_path)
    store = open_store(store_url(tmp_path))
    failures = [RuntimeError("nobody foresaw this")]

    def fails_once() -> None:
        if failures:
            raise failures.pop()
        raise StoreError("the file is gone")

    monkeypatch.setattr(store.metrics, "poll_changes", fails_once)
    with structlog.testing.capture_logs() as log:
        async with watched(store, "any") as subscription:
            assert await ended(subscription)
    assert [line["event"] for line in log] == ["watch failed"]
    store.close()
