"""Counters that stop, before our own service in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from live import FeedKey, FeedState, Hub
from tests.eventually import eventually
from tests.live.conftest import SWIFT
from tests.running_service import RunningService, start_service
from tests.small_site import SITE, SmallSite, count, create_small_site
from tests.stopped_counter import MINUTE, store_stopped

ZONE = "Europe/Zurich"


@pytest.fixture
def site(tmp_path: Path) -> SmallSite:
    site = create_small_site(tmp_path)
    store_stopped(site, 90, still_counting=("entrance",))
    return site


@pytest.fixture
def service(site: SmallSite) -> Iterator[RunningService]:
    service = start_service(site.data_dir)
    yield service
    service.kill()


async def test_a_zone_falls_silent_by_itself_and_is_back_with_its_first_count(
    site: SmallSite, service: RunningService
) -> None:
    """A zone has rows only of minutes in which a passage of its own was counted."""
    limits = replace(SWIFT, first_check=0.02, cadence=0.05, silence=0.1)
    hub = Hub(service.base_url, site.read_key, limits=limits)
    try:
        whole = hub.subscribe(FeedKey(SITE.id), timezone=ZONE)
        hall = hub.subscribe(FeedKey(SITE.id, ("hall",)), timezone=ZONE)
        cafe = hub.subscribe(FeedKey(SITE.id, ("cafe",)), timezone=ZONE)
        await eventually(lambda: cafe.snapshot.state is FeedState.SILENT)
        assert cafe.snapshot.usual_gap == MINUTE
        await eventually(lambda: whole.snapshot.state is hall.snapshot.state is FeedState.LIVE)
        async with httpx.AsyncClient(headers=site.ingest_headers) as client:
            counts = [count(datetime.now(UTC) - MINUTE, 2, passage="terrace")]
            post = await client.post(f"{service.base_url}/ingest/counts", json=counts)
        assert post.is_success
        await eventually(lambda: cafe.snapshot.state is FeedState.LIVE)
    finally:
        hub.close()


@pytest.mark.parametrize("is_listed", [False, True])
async def test_a_site_falls_silent_by_whichever_stream_and_is_back_with_its_first_count(
    tmp_path: Path,
    is_listed: bool,
) -> None:
    site = create_small_site(tmp_path)
    last = store_stopped(site, 90)
    service = start_service(site.data_dir)
    hub = Hub(service.base_url, site.read_key, limits=replace(SWIFT, cadence=0.05))
    try:
        whole = hub.subscribe(FeedKey(SITE.id), timezone=ZONE, is_listed=is_listed)
        await eventually(lambda: whole.snapshot.state is FeedState.SILENT)
        assert (whole.snapshot.since, whole.snapshot.usual_gap) == (last, MINUTE)
        assert hub.has_latest is is_listed
        async with httpx.AsyncClient(headers=site.ingest_headers) as client:
            counts = [count(datetime.now(UTC), 2, passage="terrace")]
            post = await client.post(f"{service.base_url}/ingest/counts", json=counts)
        assert post.is_success
        await eventually(lambda: whole.snapshot.state is FeedState.LIVE)
    finally:
        hub.close()
        service.kill()
