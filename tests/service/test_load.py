"""Counts, queries and another process that writes, all at once: none takes the others' threads."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from service.open_store import open_store, store_url
from service.store.sqlite.store_file import FILE_NAME
from tests.database_of import database_of
from tests.eventually import eventually
from tests.running_service import RunningService, start_service
from tests.small_site import SmallSite, count, create_small_site, store_counts

MOMENT = datetime(2025, 2, 3, 11, 15, 20, tzinfo=UTC)
DAY = {"from": "2025-02-01T00:00:00", "to": "2025-02-02T00:00:00", "granularity": "minute"}

Start = Callable[..., tuple[SmallSite, RunningService]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """`start(WAITING_POSTS="10")` starts a service with this setting and a day of counts."""
    services: list[RunningService] = []

    def run(**settings: str) -> tuple[SmallSite, RunningService]:
        site = create_small_site(tmp_path)
        first = datetime(2025, 2, 1, tzinfo=UTC)
        store_counts(tmp_path, [(first + timedelta(minutes=m), "entrance", 1, 0) for m in range(1440)])
        environment = {f"HEADROOM_SERVICE_{name}": value for name, value in settings.items()}
        services.append(start_service(tmp_path, environment=environment))
        return site, services[-1]

    yield run
    for service in services:
        assert "Traceback" not in service.log()
        assert service.stop() == 0


@contextmanager
def another_process_writes(site: SmallSite) -> Iterator[None]:
    """SQLite's lock of the file is taken, as by an import."""
    store = open_store(store_url(site.data_dir))
    with database_of(store).writing():
        yield
    store.close()


def client(service: RunningService) -> httpx.AsyncClient:
    limits = httpx.Limits(max_connections=None)
    return httpx.AsyncClient(base_url=service.base_url, timeout=60.0, limits=limits)


async def post(http: httpx.AsyncClient, site: SmallSite) -> httpx.Response:
    return await http.post("/ingest/counts", headers=site.ingest_headers, json=[count(MOMENT)])


async def query(http: httpx.AsyncClient, site: SmallSite, **asked: str) -> httpx.Response:
    body = {"siteId": site.site_id, "metrics": ["entrances"]} | asked
    return await http.post("/v3/metrics", headers=site.headers, json=body)


async def stored(http: httpx.AsyncClient, site: SmallSite) -> int:
    answer = await query(http, site, **{"from": "2025-02-03T00:00:00", "to": "2025-02-04T00:00:00"})
    return sum(point["metrics"]["entrances"] for point in answer.json()["data"])


async def test_readers_are_answered_while_posts_wait_for_another_process(start: Start) -> None:
    site, service = start()
    async with client(service) as http:
        with another_process_writes(site):
            posts = [asyncio.create_task(post(http, site)) for _ in range(60)]
            for _ in range(20):
                assert len((await query(http, site, **DAY)).json()["data"]) == 1440
                assert (await http.get("/v3/sites", headers=site.headers)).status_code == 200
            assert not any(task.done() for task in posts)
        assert {(await task).status_code for task in posts} == {200}
        assert await stored(http, site) == 60


async def test_posts_beyond_those_that_may_wait_are_refused_and_the_others_stored(start: Start) -> None:
    site, service = start(WAITING_POSTS="10")
    async with client(service) as http:
        with another_process_writes(site):
            posts = [asyncio.create_task(post(http, site)) for _ in range(60)]
            await eventually(lambda: sum(task.done() for task in posts) >= 30)
            refused = [task.result() for task in posts if task.done()]
        answers = [await task for task in posts]
    assert {answer.status_code for answer in refused} == {503}
    assert all(answer.headers["retry-after"].isdecimal() for answer in refused)
    assert refused[0].json()["meta"]["errors"][0]["code"] == "SERVICE_UNAVAILABLE"
    taken = Counter(answer.status_code for answer in answers)[200]
    assert taken >= 10
    async with client(service) as http:
        assert await stored(http, site) == taken


async def test_reads_are_shed_and_counts_are_taken(start: Start) -> None:
    site, service = start(READ_THREADS="1", WAITING_READS="2")
    async with client(service) as http:
        reads = [asyncio.create_task(query(http, site, **DAY)) for _ in range(60)]
        posts = [asyncio.create_task(post(http, site)) for _ in range(60)]
        answers = [await task for task in reads]
        assert {(await task).status_code for task in posts} == {200}
    statuses = Counter(answer.status_code for answer in answers)
    assert statuses.keys() == {200, 503}
    shed = next(answer for answer in answers if answer.status_code == 503)
    assert shed.headers["retry-after"].isdecimal()
    assert json.loads(shed.content)["meta"]["errors"][0]["code"] == "SERVICE_UNAVAILABLE"


async def test_open_stream_is_not_cut_because_others_ask_much(start: Start) -> None:
    site, service = start(READ_THREADS="1", WAITING_READS="0")
    live = {"siteId": site.site_id, "metrics": ["entrances"], "live": True, "granularity": "hour"}
    headers = site.headers | {"Accept": "text/event-stream"}
    async with (
        client(service) as http,
        http.stream("POST", "/v3/metrics", headers=headers, json=live) as stream,
    ):
        lines = stream.aiter_lines()
        for people in (1, 2, 3):
            reads = [asyncio.create_task(query(http, site, **DAY)) for _ in range(30)]
            assert (await post(http, site)).status_code == 200
            async for line in lines:
                if f'"entrances":{people}}}' in line:
                    break
            await asyncio.gather(*reads)


async def test_service_ends_while_posts_wait_for_another_process(start: Start) -> None:
    site, service = start()
    async with client(service) as http:
        with another_process_writes(site):
            posts = [asyncio.create_task(post(http, site)) for _ in range(60)]
            await http.get("/v3/sites", headers=site.headers)
            assert await asyncio.to_thread(service.stop) == 0
        answers = await asyncio.gather(*posts, return_exceptions=True)
    # One that had not arrived yet has no answer.
    assert {one.status_code for one in answers if isinstance(one, httpx.Response)} <= {503}
    with sqlite3.connect(site.data_dir / FILE_NAME) as file:
        assert file.execute("SELECT count(*) FROM passage_minutes").fetchone() == (1440,)
    file.close()
