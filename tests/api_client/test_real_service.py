"""Both clients against the service itself, over real HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from api_client import (
    AsyncClient,
    Client,
    Forbidden,
    InvalidQuery,
    NotFound,
    Unauthorized,
)
from contract import Granularity, MetricKey, MetricPoint, MetricsFilter, MetricsQuery
from tests.running_service import RunningService, start_service
from tests.small_site import SITE, SmallSite, count, create_small_site, store_counts

INSIDE = MetricsQuery(metrics=(MetricKey.VISITORS_INSIDE,), site_id=SITE.id)
START = datetime(2026, 6, 1, 10, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Served:
    site: SmallSite
    service: RunningService

    def count_in(self, people: int) -> None:
        body = [count(datetime.now(UTC), forward=people)]
        httpx.post(
            f"{self.service.base_url}/ingest/counts", headers=self.site.ingest_headers, json=body
        ).raise_for_status()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    site = create_small_site(tmp_path_factory.mktemp("service"))
    counts = [(START + timedelta(minutes=minute), "entrance", minute + 1, 0) for minute in range(3)]
    store_counts(site.data_dir, counts)
    service = start_service(site.data_dir)
    yield Served(site, service)
    service.stop()


@pytest.fixture
def client(served: Served) -> Iterator[Client]:
    with Client(f"{served.service.base_url}/v3/", served.site.read_key) as opened:
        yield opened


@pytest.fixture
async def async_client(served: Served) -> AsyncIterator[AsyncClient]:
    opened = AsyncClient(served.service.base_url, served.site.read_key)
    yield opened
    await opened.close()


def test_the_sites_are_listed_without_the_archived_one(client: Client) -> None:
    assert [site.id for site in client.sites()] == [SITE.id]
    assert client.server_tag.startswith("headroom")


def test_a_site_comes_back_as_it_was_stored(client: Client) -> None:
    assert client.site(SITE.id) == SITE


def test_history_is_read_in_the_zone_that_was_asked(client: Client) -> None:
    query = MetricsQuery(
        metrics=(MetricKey.ENTRANCES, MetricKey.VISITORS_INSIDE),
        site_id=SITE.id,
        from_="2026-06-01T12:00:00",
        to="2026-06-01T12:10:00",
        timezone="Europe/Zurich",
        filter=MetricsFilter(zone_ids=("hall",)),
    )
    answer = client.metrics(query)
    assert [point.timestamp for point in answer.points] == [
        START + timedelta(minutes=minute) for minute in range(3)
    ]
    assert [point.metrics["entrances"] for point in answer.points] == [1, 2, 3]
    assert answer.inferred["granularity"] == "minute"
    assert answer.request_id


def test_errors_keep_their_class_code_and_request_id_over_the_wire(served: Served, client: Client) -> None:
    with pytest.raises(NotFound) as missing:
        client.site("nowhere")
    assert missing.value.code == "SITE_NOT_FOUND"
    assert missing.value.request_id
    with pytest.raises(Forbidden):
        client.site("elsewhere")
    with pytest.raises(InvalidQuery) as invalid:
        client.metrics(INSIDE.model_copy(update={"from_": "yesterday", "to": "now"}))
    assert "from" in invalid.value.details
    with Client(served.service.base_url, "wrong") as stranger, pytest.raises(Unauthorized):
        stranger.sites()


async def test_the_asynchronous_client_reads_the_same(client: Client, async_client: AsyncClient) -> None:
    assert await async_client.sites() == client.sites()
    assert await async_client.site(SITE.id) == client.site(SITE.id)
    assert (await async_client.newest(INSIDE)).points == client.newest(INSIDE).points


async def test_a_stream_pushes_the_latest_value_and_then_each_count(
    served: Served, async_client: AsyncClient
) -> None:
    await asyncio.to_thread(served.count_in, 1)
    async with async_client.stream(INSIDE) as stream:
        items = aiter(stream)
        (first,) = await anext(items)
        assert isinstance(first, MetricPoint)
        await asyncio.to_thread(served.count_in, 5)
        (second,) = await anext(items)
        assert isinstance(second, MetricPoint)
        assert second.metrics["visitorsInside"] == first.metrics["visitorsInside"] + 5


async def test_a_stream_with_a_range_begins_with_history(served: Served, async_client: AsyncClient) -> None:
    await asyncio.to_thread(served.count_in, 1)
    query = INSIDE.model_copy(
        update={
            "from_": "2026-06-01T10:00:00",
            "to": "2026-06-01T10:10:00",
            "granularity": Granularity.MINUTE,
        }
    )
    received: list[MetricPoint] = []
    async with async_client.stream(query) as stream:
        async for items in stream:
            received += [item for item in items if isinstance(item, MetricPoint)]
            if len(received) > 3:
                break
    assert [point.metrics["visitorsInside"] for point in received[:3]] == [1, 3, 6]
    assert received[3].timestamp > received[2].timestamp


async def test_a_refused_stream_says_why_before_it_opens(served: Served) -> None:
    stranger = AsyncClient(served.service.base_url, "wrong")
    try:
        with pytest.raises(Unauthorized):
            async with stranger.stream(INSIDE):
                pass
        assert [record.operation for record in stranger.recent_errors] == [f"stream {SITE.id}"]
    finally:
        await stranger.close()
