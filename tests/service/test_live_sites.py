from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from contract import Device
from service.broadcast import Broadcast
from service.live_sites import Form, LiveSitesPool, SitesReader
from service.store.errors import StoreError
from service.store.protocol import PassageCount, SiteRecord, Store, WriteMode
from service.thread_pools import BoundedThreadPool
from tests.eventually import eventually
from tests.every_store import Opened
from tests.small_site import ORGANIZATION, SITE, create_records

LINES: Final = Form("lines", b"", b"\n", b"")
NOW: Final = datetime.now(UTC).replace(second=0, microsecond=0)


@dataclass
class Chain:
    """The organization of the small site, and a pool of what its streams share."""

    store: Store
    broadcast: Broadcast
    threads: BoundedThreadPool
    now: datetime = NOW
    reads: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.pool = LiveSitesPool(self.store, self.broadcast, lambda: self.now, NOW, self.threads)

    async def reader(self, *site_ids: str) -> SitesReader:
        return await self.pool.reader(ORGANIZATION.id, frozenset(site_ids) or None, LINES)

    async def count(self, people: int, site_id: str = "corner-shop") -> None:
        door = "entrance" if site_id == "corner-shop" else f"door-{site_id}"
        minute = int(NOW.timestamp()) // 60
        self.store.metrics.append([PassageCount(door, minute, people, 0)], WriteMode.SET)
        await asyncio.sleep(0.01)  # the broadcast is told in its loop

    async def save(self, site_id: str, **changes: Any) -> None:
        zone = SITE.zones[0].model_copy(update={"id": f"all-{site_id}"})
        door = SITE.passages[0].model_copy(update={"id": f"door-{site_id}", "to_zone_id": zone.id})
        site = SITE.model_copy(update={"id": site_id, "zones": (zone,), "passages": (door,)} | changes)
        self.store.catalogue.save(ORGANIZATION, [SiteRecord(site, zone.id)])
        await asyncio.sleep(0.01)


@pytest.fixture
def store(opened: Opened) -> Store:
    store = opened()
    create_records(store)
    return store


@asynccontextmanager
async def chain_of(store: Store) -> AsyncIterator[Chain]:
    threads = BoundedThreadPool("streams", threads=2, waiting=0, patience=timedelta(seconds=30), each=1)
    broadcast = Broadcast()
    remove = store.metrics.add_listener(broadcast.publish)
    try:
        yield Chain(store, broadcast, threads)
    finally:
        remove()
        threads.close()


async def told(reader: SitesReader) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (await reader.news()).splitlines()]


def people(objects: list[dict[str, Any]]) -> list[int]:
    return [one["newest"]["metrics"]["entrances"] for one in objects]


async def test_a_reader_that_looks_late_gets_the_newest_of_each_site_once(store: Store) -> None:
    async with chain_of(store) as chain:
        await chain.save("second")
        reader, other = await chain.reader(), await chain.reader()
        await told(reader)
        await told(other)
        for number in range(1, 20):
            await chain.count(number)
            await chain.count(number + 100, "second")
            await told(other)
        assert sorted(people(await told(reader))) == [19, 119]
        assert await told(reader) == []


async def test_what_fails_is_told_with_the_next_look(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    async with chain_of(store) as chain:
        reader = await chain.reader()
        await told(reader)
        await chain.count(7)
        with monkeypatch.context() as broken:

            def fail(*_: object, **__: object) -> None:
                raise StoreError("it is gone")

            broken.setattr(type(store.metrics), "newest", fail)
            with pytest.raises(StoreError):
                await told(reader)
        assert people(await told(reader)) == [7]


async def test_what_another_process_stored_is_told_once_it_is_seen(store: Store, opened: Opened) -> None:
    async with chain_of(store) as chain:
        reader = await chain.reader()
        await told(reader)
        other = opened()
        minute = int(NOW.timestamp()) // 60
        other.metrics.append([PassageCount("entrance", minute, 5, 0)], WriteMode.SET)
        site = SITE.model_copy(update={"id": "third", "zones": SITE.zones[:1], "passages": ()})
        other.catalogue.save(ORGANIZATION, [SiteRecord(site, "shop")])
        store.metrics.poll_changes()
        await asyncio.sleep(0.01)
        heard = {one["siteId"]: one["newest"] for one in await told(reader)}
    assert heard["corner-shop"]["metrics"]["entrances"] == 5
    assert heard["third"] is None


async def test_a_commit_that_changes_no_newest_value_tells_nothing(store: Store) -> None:
    async with chain_of(store) as chain:
        await chain.count(7)
        reader = await chain.reader()
        await told(reader)
        await chain.count(7)
        assert await told(reader) == []


async def test_a_reader_of_some_sites_hears_of_no_others(store: Store) -> None:
    async with chain_of(store) as chain:
        await chain.save("second")
        reader = await chain.reader("second", "closed-shop", "elsewhere")
        first = await told(reader)
        assert [one.get("siteId") for one in first] == ["second", None]
        assert first[-1] == {"kind": "complete", "sites": 1}
        await chain.count(3)
        await chain.save("corner-shop", archived=True)
        assert await told(reader) == []


async def test_devices_are_looked_at_though_nothing_is_counted(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with chain_of(store) as chain:
        reader = await chain.reader()
        await told(reader)
        offline = SITE.passages[0].model_copy(
            update={"devices": (Device(id="a", name="A", status="Offline"),)}
        )
        changed = SITE.model_copy(update={"passages": (offline, *SITE.passages[1:])})
        listing = [SiteRecord(changed, "shop")]
        monkeypatch.setattr(type(store.catalogue), "all_sites", lambda *_: listing)
        assert await told(reader) == []
        monkeypatch.setattr("service.live_sites.DEVICES_AGE", timedelta(seconds=0.05))
        await eventually(lambda: reader.is_due)
        assert [one["devicesOffline"] for one in await told(reader)] == [2]


async def test_what_one_stream_has_looked_up_is_told_by_the_others_without_a_commit(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with chain_of(store) as chain:
        reader, other = await chain.reader(), await chain.reader()
        await told(reader)
        await told(other)
        lone = SITE.model_copy(update={"name": "As it is listed a minute later"})
        monkeypatch.setattr(type(store.catalogue), "all_sites", lambda *_: [SiteRecord(lone, "shop")])
        with monkeypatch.context() as soon:
            soon.setattr("service.live_sites.DEVICES_AGE", timedelta(0))
            assert len(await told(reader)) == 1
        assert not reader.is_due
        assert other.is_due
        assert len(await told(other)) == 1
        assert not other.is_due


async def test_what_streams_share_ends_with_the_last_of_them(store: Store) -> None:
    async with chain_of(store) as chain:
        first, second = await chain.reader(), await chain.reader()
        assert len(chain.broadcast._watched_together) == 1
        del first, second
        await eventually(lambda: not chain.broadcast._watched_together)
