"""The days of many sites, read for reports from a service that says of them what it is told to."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import wait
from datetime import UTC, datetime
from threading import Event
from zoneinfo import ZoneInfo

import pytest

from runtime.day_answers import reading_days
from tests.eventually import PATIENCE, eventually
from tests.scripted_service import KEY, ScriptedService, scripted_service
from tests.wide_site import wide_site

UTC_ZONE = ZoneInfo("Etc/UTC")
SITES = [f"site-{number:02}" for number in range(12)]


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedService]:
    site = wide_site(2, 2)
    sites = [site.model_copy(update={"id": id_}).model_dump(mode="json", by_alias=True) for id_ in SITES]
    held = Event()
    with scripted_service(ScriptedService(sites=sites, held=dict.fromkeys(SITES, held))) as found:
        monkeypatch.setenv("HEADROOM_BASE_URL", found.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", KEY)
        yield found
        held.set()


def asked_sites(service: ScriptedService) -> set[str]:
    return {query["siteId"] for query in service.asked}


async def test_a_report_reads_four_sites_at_once_and_leaves_room_for_another(
    service: ScriptedService,
) -> None:
    day = datetime.now(UTC).date()
    zones = dict.fromkeys(SITES[:-1], UTC_ZONE)
    with reading_days(zones, day) as all_sites, reading_days({SITES[-1]: UTC_ZONE}, day) as one:
        await eventually(lambda: len(asked_sites(service)) == 5)
        assert SITES[-1] in asked_sites(service)
        next(iter(service.held.values())).set()
        futures = [*all_sites.values(), *one.values()]
        done, _ = await asyncio.to_thread(wait, futures, PATIENCE)
        assert [future.result().site_id for future in futures] == SITES
        assert len(done) == len(SITES)


async def test_a_report_that_is_stopped_asks_of_no_more_sites(service: ScriptedService) -> None:
    with reading_days(dict.fromkeys(SITES, UTC_ZONE), datetime.now(UTC).date()) as under_way:
        await eventually(lambda: len(asked_sites(service)) == 4)
    begun = [one for one in under_way.values() if not one.cancelled()]
    assert len(begun) == 4
    next(iter(service.held.values())).set()
    await asyncio.to_thread(wait, begun, PATIENCE)
    assert all(one.done() for one in begun)
    assert len(asked_sites(service)) == 4
