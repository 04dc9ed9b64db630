"""Feeds of a list, beside our own service over real HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import httpx
import pytest

from live import FeedKey, FeedState, Hub
from live.reducer import inside
from service.open_store import open_store, store_url
from service.store.protocol import PassageCount, Store, WriteMode
from tests.eventually import eventually
from tests.live.conftest import SWIFT
from tests.many_sites import ManySites, create_many_sites
from tests.running_service import RunningService, start_service

SITES: Final = 30
KEYS: Final = [FeedKey(f"shop-{number}") for number in range(6)]


@dataclass
class Chain:
    made: ManySites
    service: RunningService
    hub: Hub
    store: Store

    def states(self) -> set[FeedState]:
        return {self.hub.snapshot(key).state for key in KEYS}

    def count(self, number: int, people: int) -> None:
        minute = int(datetime.now(UTC).timestamp()) // 60
        self.store.metrics.append([PassageCount(f"door-{number}", minute, people, 0)], WriteMode.SET)

    def inside(self, number: int) -> float | None:
        return inside(self.hub.snapshot(FeedKey(f"shop-{number}")).newest)

    def open_streams(self) -> int:
        return int(httpx.get(f"{self.service.base_url}/healthz").json()["data"]["openStreams"])


@pytest.fixture
def chain(tmp_path: Path) -> Iterator[Chain]:
    made = create_many_sites(tmp_path, SITES)
    with ExitStack() as stack:
        service = start_service(made.data_dir)
        stack.callback(service.kill)
        store = stack.enter_context(closing(open_store(store_url(made.data_dir))))
        hub = stack.enter_context(closing(Hub(service.base_url, made.read_key, limits=SWIFT)))
        for key in KEYS:
            hub.subscribe(key, timezone="Europe/Zurich", is_listed=True)
        yield Chain(made, service, hub, store)


async def test_values_of_a_list_come_by_one_stream_and_are_as_those_of_streams_of_their_own(
    chain: Chain,
) -> None:
    await eventually(lambda: chain.states() == {FeedState.LIVE})
    assert [chain.inside(number) for number in range(6)] == [0, 1, 2, 3, 4, 5]
    assert chain.open_streams() == 1
    chain.count(3, 40)
    await eventually(lambda: chain.inside(3) == 43)
    await eventually(lambda: not any(chain.hub.snapshot(key).awaits_past for key in KEYS))
    with closing(Hub(chain.service.base_url, chain.made.read_key, limits=SWIFT)) as other:
        for key in KEYS:
            other.subscribe(key, timezone="Europe/Zurich")
        await eventually(lambda: all(other.snapshot(key).reported for key in KEYS))
        await eventually(
            lambda: all(
                other.snapshot(key).reported == chain.hub.snapshot(key).reported
                and other.snapshot(key).state is FeedState.LIVE
                and other.snapshot(key).top_zone_ids == chain.hub.snapshot(key).top_zone_ids
                for key in KEYS
            )
        )
        assert chain.open_streams() == 1 + len(KEYS)


async def test_a_service_that_starts_again_is_joined_again(chain: Chain) -> None:
    await eventually(lambda: chain.states() == {FeedState.LIVE})
    chain.service.kill()
    await eventually(lambda: FeedState.LIVE not in chain.states())
    service = start_service(chain.made.data_dir, port=chain.service.port)
    try:
        chain.count(2, 60)
        await eventually(lambda: chain.inside(2) == 62)
        await eventually(lambda: chain.states() == {FeedState.LIVE} and chain.open_streams() == 1)
    finally:
        service.kill()


async def test_a_key_that_is_revoked_ends_it_and_every_feed_says_so(chain: Chain) -> None:
    await eventually(lambda: chain.states() == {FeedState.LIVE})
    [key] = [one for one in chain.store.keys.list_keys("chain") if one.name == "reads"]
    chain.store.keys.revoke(key.id)
    await eventually(lambda: chain.states() == {FeedState.REFUSED})
    await eventually(lambda: chain.open_streams() == 0)
    await eventually(lambda: chain.hub.latest("shop-1") is None)


async def test_a_site_that_is_archived_goes_on_by_its_own_stream(chain: Chain) -> None:
    await eventually(lambda: chain.states() == {FeedState.LIVE})
    [record] = [one for one in chain.store.catalogue.all_sites("chain") if one.site.id == "shop-4"]
    archived = record.site.model_copy(update={"archived": True})
    [organization] = chain.store.catalogue.organizations()
    chain.store.catalogue.save(organization, [type(record)(archived, record.top_zone_id)])
    await eventually(lambda: chain.hub.latest("shop-4") is None)
    await eventually(lambda: chain.states() == {FeedState.LIVE} and chain.open_streams() == 2)
